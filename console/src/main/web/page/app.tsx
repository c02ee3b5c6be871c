import { render } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { ActionDialog, Jobs } from './actions';
import * as api from './api';
import * as client from './client';
import { Access } from './access';
import { Clusters } from './clusters';
import { Compare } from './compare';
import { Groups, Pools } from './groups';
import { Drawer } from './drawer';
import { Engine } from './engine';
import { Events } from './events';
import { useTold } from './hooks';
import { Insight, isInsight } from './lazy';
import { HostDrawer } from './hostdrawer';
import { Hosts } from './hosts';
import * as jobs from './jobs';
import { askForLogin, Login } from './login';
import { VmMap } from './map';
import { Operations } from './operations';
import { Help, Palette } from './palette';
import { Settings } from './settings';
import { useRoles, WhoAmI } from './roles';
import { go, href, PAGES, route, set, useRoute, type Page } from './route';
import { text } from './text';
import { Tour, TOUR_STEPS } from './tour';
import { Vms } from './vms';

const THEME = 'stillwater.theme';
const ME_MILLIS = 60_000;
const SECOND_KEY_MILLIS = 1500;
const GO: Record<string, Page> = {
  v: 'vms', h: 'hosts', c: 'clusters', o: 'operations', e: 'events', m: 'map', p: 'pools', a: 'groups', u: 'access', n: 'engine', s: 'settings', r: 'findings', l: 'alerts',
  b: 'benchmarks',
};

function theme(): string {
  try {
    return localStorage.getItem(THEME) ?? 'system';
  } catch {
    return 'system';
  }
}

function setTheme(value: string): void {
  document.documentElement.dataset['theme'] = value;
  try {
    localStorage.setItem(THEME, value);
  } catch {
    // it holds until the page is closed
  }
}

function Link() {
  const link = useTold('link');
  const [, again] = useState(0);
  useEffect(() => {
    if (link.state !== 'lost') return undefined;
    const timer = setInterval(() => again(times => times + 1), 1000);
    return () => clearInterval(timer);
  }, [link.state]);
  const said =
    link.state === 'lost' ? text.link.lost(Math.round((Date.now() - link.sinceMillis) / 1000))
      : link.state === 'loading' ? text.link.loading(link.loaded)
        : link.state === 'refused' ? link.detail || text.link.refused
          : text.link[link.state];
  return (
    <p id="link" class="link" role="status" data-state={link.state} title={link.detail}>
      {said}
    </p>
  );
}

function Header({ page, me }: { page: Page; me: api.Me }) {
  const [trouble, setTrouble] = useState('');
  const { opens } = useRoles();
  const logout = async () => {
    if (await api.logout().catch(() => false)) location.assign(`${api.base}login`);
    else setTrouble(text.logoutFailed);
  };
  return (
    <header class="top">
      <h1>
        <img src={`${api.base}icon.svg`} alt="" width="24" height="24" />
        {text.title}
      </h1>
      <nav aria-label={text.palette.title}>
        {PAGES.filter(opens).map(each => (
          <a key={each} href={href(each)} aria-current={each === page ? 'page' : undefined}>
            {text.pages[each]}
          </a>
        ))}
      </nav>
      <Link />
      <select
        class="theme"
        aria-label={text.theme.label}
        value={theme()}
        onChange={event => setTheme(event.currentTarget.value)}
      >
        <option value="system">{text.theme.system}</option>
        <option value="light">{text.theme.light}</option>
        <option value="dark">{text.theme.dark}</option>
      </select>
      {me.means !== 'none' && <span class="who">{me.name}</span>}
      {me.means === 'cookie' && (
        <button type="button" onClick={() => void logout()}>
          {text.logout}
        </button>
      )}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
    </header>
  );
}

function Body({ me }: { me: api.Me }) {
  const { page, search } = useRoute();
  const { sees } = useRoles();
  const [help, setHelp] = useState(false);
  const [palette, setPalette] = useState(false);
  const [tour, setTour] = useState(0);
  const wantedTour = Number(search.get('tour') ?? 0);
  useEffect(() => {
    if (Number.isInteger(wantedTour) && wantedTour >= 1 && wantedTour <= TOUR_STEPS) setTour(wantedTour);
  }, [wantedTour]);
  const vm = search.get('vm');
  const host = search.get('host');

  useLayoutEffect(() => {
    let first = 0;
    const key = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const types = target.matches('input:not([type=checkbox]), textarea, select') || target.isContentEditable;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setPalette(true);
        return;
      }
      if (document.querySelector('dialog[open]')) return;
      if (event.key === 'Escape' && !event.defaultPrevented) {
        if (route().search.get('vm')) set({ vm: '' });
        else if (route().search.get('host')) set({ host: '' });
        else if (route().search.get('finding')) set({ finding: '' });
        else if (types) target.blur();
        else if (client.state.counts.selected > 0) client.select('none');
        return;
      }
      if (types || event.ctrlKey || event.metaKey || event.altKey) return;
      if (first !== 0 && Date.now() - first < SECOND_KEY_MILLIS && GO[event.key]) {
        first = 0;
        event.preventDefault();
        go(href(GO[event.key]!));
        return;
      }
      first = event.key === 'g' ? Date.now() : 0;
      if (event.key === '?') setHelp(true);
      else if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('section:not([hidden]) :is(#search, #page-search)')?.select();
      }
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  useEffect(() => {
    document.title = `${text.pages[page]} – ${text.title}`;
  }, [page]);

  return (
    <>
      <a class="skip" href="#main" onClick={event => {
        event.preventDefault();
        document.querySelector<HTMLElement>('section:not([hidden]) [tabindex="0"]')?.focus();
      }}>
        {text.skip}
      </a>
      <Header page={page} me={me} />
      {!sees && me.name !== '' && <p class="trouble" role="alert">{text.noRole(me.name)}</p>}
      <main id="main">
        <div class="pages">
          <Vms active={page === 'vms'} />
          {page === 'hosts' && <Hosts />}
          {page === 'clusters' && <Clusters />}
          {page === 'operations' && <Operations />}
          {page === 'events' && <Events />}
          {page === 'map' && <VmMap />}
          {page === 'pools' && <Pools />}
          {page === 'groups' && <Groups />}
          {page === 'access' && <Access />}
          {page === 'engine' && <Engine />}
          {page === 'settings' && <Settings />}
          {isInsight(page) && <Insight page={page} />}
          {page === 'compare' && <Compare />}
        </div>
        {vm ? <Drawer key={vm} id={vm} /> : (page === 'hosts' || page === 'engine' || isInsight(page)) && host ? <HostDrawer key={host} id={host} /> : null}
      </main>
      <Jobs />
      <ActionDialog />
      {tour > 0 && <Tour step={tour} move={setTour} />}
      {help && <Help close={() => setHelp(false)} tour={() => setTour(1)} />}
      {palette && <Palette close={() => setPalette(false)} />}
    </>
  );
}

function App() {
  const [me, setMe] = useState<api.Me>({ name: '', means: 'none', grants: [] });
  useEffect(() => {
    const look = () => api.get<api.Me>('api/v1/me').then(setMe, () => undefined);
    void look();
    const timer = setInterval(() => void look(), ME_MILLIS);
    return () => clearInterval(timer);
  }, []);
  return (
    <WhoAmI.Provider value={me}>
      <Body me={me} />
      <Login name={me.name} />
    </WhoAmI.Provider>
  );
}

setTheme(theme());
api.onLogin(askForLogin);
void client.open();
addEventListener('offline', () => client.network(false));
addEventListener('online', () => client.network(true));
jobs.restore();
render(<App />, document.getElementById('app')!);
