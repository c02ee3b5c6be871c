import { render } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { ActionDialog, Jobs } from './actions';
import * as api from './api';
import * as client from './client';
import { Access } from './access';
import { Clusters } from './clusters';
import { Compare } from './compare';
import { useGrantTexts } from './grants';
import { Groups, Pools } from './groups';
import { Drawer } from './drawer';
import { Engine } from './engine';
import { Events } from './events';
import { useTold } from './hooks';
import { Insight, isInsight } from './lazy';
import { HostDrawer } from './hostdrawer';
import { Hosts } from './hosts';
import * as jobs from './jobs';
import { Menu } from './layout';
import { askForLogin, Login } from './login';
import { VmMap } from './map';
import { Operations } from './operations';
import { Help, Palette } from './palette';
import { isWhole } from './panel';
import { Settings } from './settings';
import { onRolesChange, useRoles, WhoAmI } from './roles';
import { go, href, PAGES, route, set, useRoute, type Page } from './route';
import { text } from './text';
import { Tour, TOUR_STEPS } from './tour';
import { Vms } from './vms';

const THEME = 'stillwater.theme';
const ME_MILLIS = 15_000;
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

function Header({ page, me, find, help }: { page: Page; me: api.Me; find: () => void; help: () => void }) {
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
      <Menu title={me.means === 'none' ? text.theme.label : me.name || text.account} kind={me.means === 'none' ? 'account' : 'account who'}>
        <div class="menu-body">
          {me.means !== 'none' && <p class="soft">{me.name}</p>}
          <button type="button" onClick={find}>{text.palette.open}</button>
          <button type="button" onClick={help}>{text.help.open}</button>
          <label>
            {text.theme.label}{' '}
            <select class="theme" value={theme()} onChange={event => setTheme(event.currentTarget.value)}>
              <option value="system">{text.theme.system}</option>
              <option value="light">{text.theme.light}</option>
              <option value="dark">{text.theme.dark}</option>
            </select>
          </label>
          {me.means === 'cookie' && (
            <button type="button" onClick={() => void logout()}>
              {text.logout}
            </button>
          )}
        </div>
      </Menu>
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
  const hasHosts = page === 'hosts' || page === 'engine' || isInsight(page);
  const details = vm ? <Drawer key={vm} id={vm} /> : hasHosts && host ? <HostDrawer key={host} id={host} /> : null;

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
        const find = () => document.querySelector<HTMLInputElement>('section:not([hidden]) :is(#search, #page-search)')?.select();
        if (isWhole(route().search)) {
          set({ full: '' });
          void Promise.resolve().then(find); // after the list is shown again
        } else find();
      }
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  useEffect(() => {
    document.title = `${text.pages[page]} – ${text.title}`;
  }, [page]);

  // The same for every search: a key in its field draws the page anew.
  const header = useMemo(() => <Header page={page} me={me} find={() => setPalette(true)} help={() => setHelp(true)} />, [page, me]);
  return (
    <>
      <a class="skip" href="#main" onClick={event => {
        event.preventDefault();
        (document.querySelector<HTMLElement>('.whole > .drawer') ?? document.querySelector<HTMLElement>('section:not([hidden]) [tabindex="0"]'))?.focus();
      }}>
        {text.skip}
      </a>
      {header}
      {!sees && me.means !== 'none' && <p class="trouble" role="alert">{text.noRole(me.name)}</p>}
      <main id="main" class={details && isWhole(search) ? 'whole' : ''}>
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
        {details}
      </main>
      <Jobs />
      <ActionDialog />
      {tour > 0 && <Tour step={tour} move={setTour} />}
      {help && <Help close={() => setHelp(false)} tour={() => setTour(1)} />}
      {palette && <Palette close={() => setPalette(false)} />}
    </>
  );
}

function RolesChanged({ grants, close }: { grants: api.Grant[]; close: () => void }) {
  const grantText = useGrantTexts(grants);
  return (
    <p class="trouble notice" role="status">
      {text.access.changedRoles(grants.map(grantText).join(', ') || text.access.noGrants)}{' '}
      <button type="button" class="plain" aria-label={text.close} onClick={close}>×</button>
    </p>
  );
}

/** The engine refuses even the own name to a user without any role. */
async function whoAmI(known: api.Me | null): Promise<api.Me> {
  try {
    return await api.get<api.Me>('api/v1/me');
  } catch (failure) {
    if (!(failure instanceof api.Problem) || failure.status !== 403) throw failure;
    return { name: known?.name ?? '', means: known?.means ?? 'cookie', grants: [], mostInBatch: null };
  }
}

/** The user, read again when the roles may be others: a refusal, a stream that began anew, a login, and now and again. */
function useWhoAmI(changed: () => void): api.Me {
  const [me, setMe] = useState<api.Me>({ name: '', means: 'none', grants: [], mostInBatch: null });
  useLayoutEffect(() => {
    let known: api.Me | null = null;
    let reading = false;
    let late = false;
    const look = async () => {
      late = reading;
      if (reading) return;
      reading = true;
      try {
        const now = await whoAmI(known);
        if (JSON.stringify(now) !== JSON.stringify(known)) {
          if (known?.name === now.name && JSON.stringify(known.grants) !== JSON.stringify(now.grants)) changed();
          jobs.limit(now.mostInBatch);
          jobs.restore(now.name);
          known = now;
          setMe(now);
        }
      } catch {
        // the link shows that the engine does not answer
      }
      reading = false;
      if (late) void look();
    };
    const soon = () => void look();
    soon();
    api.onForbidden(soon);
    onRolesChange(soon);
    const end = client.on('link', link => {
      if (link.state === 'live' || link.state === 'refused') soon();
    });
    const timer = setInterval(soon, ME_MILLIS);
    return () => {
      clearInterval(timer);
      end();
    };
  }, []);
  return me;
}

function App() {
  const [changed, setChanged] = useState(false);
  const me = useWhoAmI(() => setChanged(true));
  return (
    <WhoAmI.Provider value={me}>
      {changed && <RolesChanged grants={me.grants} close={() => setChanged(false)} />}
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
render(<App />, document.getElementById('app')!);
