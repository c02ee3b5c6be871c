import { useEffect, useRef, useState } from 'preact/hooks';
import * as client from './client';
import { COLUMNS, columnsOf, DEFAULT_COLUMNS } from './columns';
import { Grid } from './grid';
import { useTold } from './hooks';
import { set, useRoute } from './route';
import { text, words } from './text';
import { ActionBar } from './actions';
import { tone } from './tone';

const HINT_ID = 'search-hint';

function ColumnChooser({ chosen }: { chosen: string[] }) {
  const choose = (id: string, on: boolean) => {
    const next = on ? [...chosen, id] : chosen.filter(each => each !== id);
    set({ cols: next.join(',') === DEFAULT_COLUMNS.join(',') ? '' : next.join(',') });
  };
  return (
    <details class="menu">
      <summary>{text.vms.columns}</summary>
      <div class="menu-body">
        {COLUMNS.map(column => (
          <label key={column.id}>
            <input
              type="checkbox"
              checked={chosen.includes(column.id)}
              disabled={column.id === 'name'}
              onChange={event => choose(column.id, event.currentTarget.checked)}
            />
            {column.title}
          </label>
        ))}
      </div>
    </details>
  );
}

export function Vms({ active }: { active: boolean }) {
  const { search } = useRoute();
  const counts = useTold('counts');
  const link = useTold('link');
  const holder = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid | null>(null);
  const q = active ? search.get('q') ?? '' : null;
  const sortText = active ? search.get('sort') ?? 'trouble' : null;
  const cols = active ? search.get('cols') : null;
  const [shown, setShown] = useState({ q: '', sort: 'trouble', cols: null as string | null });
  const field = useRef<HTMLInputElement>(null);

  // The list keeps what it shows while another page is open.
  useEffect(() => {
    if (q !== null && sortText !== null) setShown({ q, sort: sortText, cols });
  }, [q, sortText, cols]);

  useEffect(() => {
    const made = new Grid(text.vms.grid, {
      window: client.look,
      select: client.select,
      open: row => set({ vm: row.id }, false),
      sort: column => {
        const now = new URLSearchParams(location.hash.split('?')[1] ?? '').get('sort') ?? 'trouble';
        set({ sort: now === column ? `-${column}` : now === `-${column}` ? '' : column });
      },
    });
    grid.current = made;
    holder.current!.append(made.element);
    const stop = client.on('rows', ({ from, matched, rows }) => made.setRows(from, matched, rows));
    return () => {
      stop();
      made.destroy();
    };
  }, []);

  const descending = shown.sort.startsWith('-');
  const sort = descending ? shown.sort.slice(1) : shown.sort;
  useEffect(() => {
    client.query({ search: shown.q, sort, descending });
  }, [shown.q, sort, descending]);
  useEffect(() => grid.current?.toTop(), [shown.q]);
  useEffect(() => {
    grid.current?.setColumns(columnsOf(shown.cols), sort, descending, text.vms.sortBy);
  }, [shown.cols, sort, descending]);
  useEffect(() => {
    if (field.current && document.activeElement !== field.current && field.current.value !== shown.q) field.current.value = shown.q;
  }, [shown.q]);

  const chosen = columnsOf(shown.cols).map(column => column.id);
  const nothing = counts.matched === 0 && link.state === 'live';
  return (
    <section class="page vms" hidden={!active} aria-label={text.pages.vms}>
      <form class="tools" role="search" onSubmit={event => event.preventDefault()}>
        <input
          ref={field}
          id="search"
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder={text.vms.searchHint}
          aria-label={text.vms.search}
          aria-describedby={HINT_ID}
          title={text.vms.help}
          defaultValue={shown.q}
          onInput={event => set({ q: event.currentTarget.value })}
          onKeyDown={event => {
            if (event.key === 'Enter' || event.key === 'ArrowDown') {
              event.preventDefault();
              grid.current?.focus();
              grid.current?.activate(0);
            }
          }}
        />
        <span id={HINT_ID} class="count" role="status" aria-live="polite">
          {counts.error === '' ? text.vms.count(counts.matched, counts.total) : <em class="bad">{counts.error}</em>}
        </span>
        <label class="wide">
          {text.vms.sortBy}{' '}
          <select value={sort} onChange={event => set({ sort: event.currentTarget.value === 'trouble' ? '' : event.currentTarget.value })}>
            <option value="trouble">{text.vms.column.trouble}</option>
            {COLUMNS.filter(column => column.sortable).map(column => (
              <option key={column.id} value={column.id}>
                {column.title}
              </option>
            ))}
          </select>
        </label>
        <ColumnChooser chosen={chosen} />
      </form>
      <ul class="statuses" aria-label={text.vms.column.status}>
        {counts.trouble > 0 && (
          <li>
            <button type="button" class="badge bad" onClick={() => set({ q: 'is:trouble' })}>
              {text.trouble(counts.trouble)}
            </button>
          </li>
        )}
        {counts.statuses.map(([status, count]) => (
          <li key={status}>
            <button type="button" class={`badge ${tone(status)}`} onClick={() => set({ q: `status:${status}` })}>
              {words(status)} {text.number(count)}
            </button>
          </li>
        ))}
      </ul>
      <ActionBar selected={counts.selected} matched={counts.matched} />
      <div class="grid-holder" ref={holder}>
        {nothing && <p class="nothing">{counts.total === 0 ? text.vms.noneAtAll : text.vms.none}</p>}
      </div>
    </section>
  );
}
