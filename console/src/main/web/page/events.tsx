import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuditEntry } from '../protocol';
import { get, reason } from './api';
import { MOST_EXPORTED, newestEvents } from './eventfile';
import { filtersOf, hasKeys, hasWords, parseEvents } from './eventquery';
import { useEvents } from './hooks';
import { useMe } from './roles';
import { go, href, route, set, useRoute } from './route';
import { csv, save } from './save';
import { moment, shortMoment, text } from './text';

const SEVERITIES = ['normal', 'warning', 'error', 'alert'];
const TONES: Record<string, string> = { normal: 'idle', warning: 'warn', error: 'bad', alert: 'bad' };
const SHOWN = 200; // rows in the document; older ones come page by page
const PAGE = 200;
const TYPING_MILLIS = 300; // the engine filters after the end of typing
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
  const query = parseEvents(search.get('q') ?? '');
  const filters = filtersOf(query);
  const [older, setOlder] = useState<AuditEntry[]>([]);
  const [pages, setPages] = useState(1);
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const [trouble, setTrouble] = useState('');
  const [saving, setSaving] = useState<number | null>(null);
  const [saved, setSaved] = useState('');
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const list = useRef(0); // which one is shown: an answer may be about an earlier one
  const severity = least > 0 ? `&severity=${SEVERITIES[least]}` : '';
  const load = async (cursor: string | null | undefined) => {
    const number = list.current;
    try {
      const page = await get<{ items: AuditEntry[]; next: string | null }>(
        `api/v1/events?limit=${PAGE}${severity}${filters}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      );
      if (number !== list.current) return;
      setOlder(before => [...before, ...page.items]);
      setNext(page.next);
      setPages(before => before + 1);
      setTrouble('');
    } catch (failure) {
      if (number === list.current) setTrouble(reason(failure, text.detail.unreachable));
    }
  };
  useEffect(() => {
    list.current++;
    setOlder([]);
    setNext(undefined);
    setPages(1);
    setTrouble('');
    if (filters === '') return undefined; // the newest ones of all are here
    const timer = setTimeout(() => void load(undefined), TYPING_MILLIS);
    return () => clearTimeout(timer);
  }, [least, filters, me.name, JSON.stringify(me.grants)]);

  const fits = (entry: AuditEntry) => hasWords(query, entry);
  const all = [...new Map([...live.filter(entry => hasKeys(query, entry)), ...older].map(entry => [entry.id, entry])).values()];
  const fitting = all
    .filter(entry => SEVERITIES.indexOf(entry.severity) >= least)
    .filter(fits)
    .sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id);
  const shown = fitting.slice(0, SHOWN * pages);
  const saveAs = async (kind: 'csv' | 'json') => {
    const ended = new AbortController();
    abort.current = ended;
    setTrouble('');
    setSaved('');
    setSaving(0);
    try {
      const { items, read, more } = await newestEvents(path => get(path, ended.signal), severity + filters, fits, setSaving);
      if (kind === 'csv') save(new Blob([csv(COLUMNS, items)], { type: 'text/csv' }), 'events.csv');
      else save(new Blob([JSON.stringify({ items }, null, 1)], { type: 'application/json' }), 'events.json');
      setSaved(more ? text.events.savedNewest(items.length, read) : text.events.saved(items.length));
    } catch (failure) {
      if (!ended.signal.aborted) setTrouble(reason(failure, text.detail.unreachable));
    }
    setSaving(null);
  };
  return (
    <section class="page" aria-label={text.pages.events}>
      <form class="tools" role="search" onSubmit={event => event.preventDefault()}>
        <input
          id="page-search"
          type="search"
          autocomplete="off"
          placeholder={text.events.hint}
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
        {saving === null ? (
          (['json', 'csv'] as const).map(kind => (
            <button key={kind} type="button" class="link-like" title={text.events.bound(MOST_EXPORTED)} onClick={() => void saveAs(kind)}>
              {text.events[kind]}
            </button>
          ))
        ) : (
          <button type="button" class="link-like" onClick={() => abort.current?.abort()}>{text.cancel}</button>
        )}
        <span role="status">{saving === null ? saved : text.events.saving(saving)}</span>
      </form>
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <ol class="list events" aria-label={text.events.grid} tabIndex={0}>
        {shown.map(entry => (
          <EventRow key={entry.id} entry={entry} />
        ))}
        {shown.length === 0 && <li class="nothing">{text.events.none}</li>}
        {next !== null && (
          <li>
            <button type="button" onClick={() => void load(next)}>
              {text.events.older}
            </button>
          </li>
        )}
      </ol>
    </section>
  );
}
