import { useEffect, useState } from 'preact/hooks';
import type { AuditEntry } from '../protocol';
import { get, reason } from './api';
import { useEvents } from './hooks';
import { useMe } from './roles';
import { go, href, route, set, useRoute } from './route';
import { csv, save } from './save';
import { moment, shortMoment, text } from './text';

const SEVERITIES = ['normal', 'warning', 'error', 'alert'];
const TONES: Record<string, string> = { normal: 'idle', warning: 'warn', error: 'bad', alert: 'bad' };
const SHOWN = 200; // rows in the document; older ones come page by page
const PAGE = 200;
const COLUMNS: (keyof AuditEntry)[] = ['at', 'severity', 'event', 'text', 'vmName', 'vmId', 'hostName', 'hostId']; // of CSV

/** Opens the VM or host of an event at the transition that caused it. */
function showCause(entry: AuditEntry): void {
  if (entry.vmId !== null) set({ vm: entry.vmId, cause: entry.at }, false);
  else if (entry.hostId !== null && route().page === 'hosts') set({ host: entry.hostId, cause: entry.at }, false);
  else if (entry.hostId !== null) go(href('hosts', { host: entry.hostId, cause: entry.at }));
}

export function EventRow({ entry }: { entry: AuditEntry }) {
  return (
    <li class="event">
      <time dateTime={entry.at} title={moment(entry.at)}>
        {shortMoment(entry.at, Date.now())}
      </time>
      <span class={`badge ${TONES[entry.severity] ?? 'idle'}`}>{text.events.severities[entry.severity] ?? entry.severity}</span>
      <span title={entry.event}>
        {entry.text}{' '}
        {(entry.vmId !== null || entry.hostId !== null) && (
          <button type="button" class="link-like" aria-label={text.why.of(entry.text)} onClick={() => showCause(entry)}>{text.why.button}</button>
        )}
      </span>
    </li>
  );
}

export function Events() {
  const { search } = useRoute();
  const live = useEvents();
  const me = useMe();
  const least = SEVERITIES.indexOf(search.get('severity') ?? 'normal');
  const words = (search.get('q') ?? '').toLowerCase();
  const [older, setOlder] = useState<AuditEntry[]>([]);
  const [pages, setPages] = useState(1);
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    setOlder([]);
    setNext(undefined);
    setPages(1);
  }, [least, me.name, JSON.stringify(me.grants)]);

  const severity = least > 0 ? `&severity=${SEVERITIES[least]}` : '';
  const load = async () => {
    try {
      const page = await get<{ items: AuditEntry[]; next: string | null }>(
        `api/v1/events?limit=${PAGE}${severity}${next ? `&cursor=${encodeURIComponent(next)}` : ''}`,
      );
      setOlder(before => [...before, ...page.items]);
      setNext(page.next);
      setPages(before => before + 1);
      setTrouble('');
    } catch (failure) {
      setTrouble(reason(failure, text.detail.unreachable));
    }
  };
  const fits = (entry: AuditEntry) =>
    words === '' || `${entry.text}\n${entry.event}\n${entry.vmName}\n${entry.hostName}`.toLowerCase().includes(words);
  const all = [...new Map([...live, ...older].map(entry => [entry.id, entry])).values()];
  const fitting = all
    .filter(entry => SEVERITIES.indexOf(entry.severity) >= least)
    .filter(fits)
    .sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id);
  const shown = fitting.slice(0, SHOWN * pages);
  const newest = `api/v1/events?limit=1000${severity}`;
  const saveAs = async (kind: 'csv' | 'json') => {
    try {
      const { items } = await get<{ items: AuditEntry[] }>(newest);
      const wanted = items.filter(fits);
      if (kind === 'csv') save(new Blob([csv(COLUMNS, wanted)], { type: 'text/csv' }), 'events.csv');
      else save(new Blob([JSON.stringify({ items: wanted }, null, 1)], { type: 'application/json' }), 'events.json');
      setTrouble('');
    } catch (failure) {
      setTrouble(reason(failure, text.detail.unreachable));
    }
  };
  return (
    <section class="page" aria-label={text.pages.events}>
      <form class="tools" role="search" onSubmit={event => event.preventDefault()}>
        <input
          id="page-search"
          type="search"
          autocomplete="off"
          placeholder={text.events.search}
          aria-label={text.events.search}
          value={search.get('q') ?? ''}
          onInput={event => set({ q: event.currentTarget.value })}
        />
        <label>
          {text.events.severity}{' '}
          <select value={SEVERITIES[least]} onChange={event => set({ severity: event.currentTarget.value === 'normal' ? '' : event.currentTarget.value })}>
            {SEVERITIES.map(each => (
              <option key={each} value={each}>
                {each === 'normal' ? text.events.any : text.events.severities[each]}
              </option>
            ))}
          </select>
        </label>
        <span class="count" role="status">
          {text.events.newest(fitting.length)}
        </span>
        <button type="button" class="link-like" onClick={() => void saveAs('json')}>
          {text.events.json}
        </button>
        <button type="button" class="link-like" onClick={() => void saveAs('csv')}>
          {text.events.csv}
        </button>
      </form>
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <ol class="list events" aria-label={text.events.grid} tabIndex={0}>
        {shown.map(entry => (
          <EventRow key={entry.id} entry={entry} />
        ))}
        {shown.length === 0 && <li class="nothing">{text.events.none}</li>}
        {next !== null && (
          <li>
            <button type="button" onClick={() => void load()}>
              {text.events.older}
            </button>
          </li>
        )}
      </ol>
    </section>
  );
}
