import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import * as client from './client';
import { COLUMNS, columnsOf, layoutOf, type Layout } from './columns';
import { Grid } from './grid';
import { useTold } from './hooks';
import { ColumnMenu, ViewMenu } from './layout';
import { orderOf, route, set, useRoute } from './route';
import { SearchField } from './search';
import { text, words } from './text';
import { ActionBar } from './actions';
import { tone } from './tone';

const HINT_ID = 'search-hint';

const ORDERS = [
  <option key="trouble" value="trouble">{text.vms.column.trouble}</option>,
  ...COLUMNS.filter(column => column.sortable).map(column => <option key={column.id} value={column.id}>{column.title}</option>),
];

const layoutIn = (search: URLSearchParams): Layout => ({ cols: search.get('cols'), w: search.get('w'), pin: search.get('pin') });

// Components that follow changes of VMs are drawn alone: the rest of the page is drawn anew only for another address.

function Count() {
  const counts = useTold('counts');
  return (
    <span id={HINT_ID} class="count" role="status" aria-live="polite">
      {counts.error === null ? text.vms.count(counts.matched, counts.total) : <em class="bad">{text.vms.mistakes[counts.error.kind](counts.error)}</em>}
    </span>
  );
}

function Statuses() {
  const counts = useTold('counts');
  return (
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
  );
}

function Actions() {
  const { selected, matched } = useTold('counts');
  return <ActionBar selected={selected} matched={matched} />;
}

function Nothing() {
  const { matched, total } = useTold('counts');
  const link = useTold('link');
  if (matched > 0 || link.state !== 'live') return null;
  return <p class="nothing">{total === 0 ? text.vms.noneAtAll : text.vms.none}</p>;
}

export function Vms({ active }: { active: boolean }) {
  const { search } = useRoute();
  const holder = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid | null>(null);
  const q = active ? search.get('q') ?? '' : null;
  const sortText = active ? search.get('sort') ?? 'trouble' : null;
  const { cols, w, pin } = layoutIn(search);
  const kept = useRef({ q: '', sort: 'trouble', ...layoutIn(new URLSearchParams()) });

  // The list keeps its rows while another page is open.
  if (q !== null && sortText !== null) kept.current = { q, sort: sortText, cols, w, pin };
  const shown = kept.current;

  useLayoutEffect(() => {
    const made = new Grid(text.vms.grid, {
      window: client.look,
      select: client.select,
      open: row => set({ vm: row.id }, false),
      sort: column => {
        const now = route().search.get('sort') ?? 'trouble';
        set({ sort: now === column ? `-${column}` : now === `-${column}` ? '' : column });
      },
      resize: (id, pixels) => {
        const columns = columnsOf(layoutIn(route().search));
        set(layoutOf(columns.map(column => (column.id === id ? { ...column, pixels } : column))));
      },
    });
    grid.current = made;
    holder.current!.append(made.element);
    const stop = client.on('rows', ({ from, matched, rows, asked }) => made.setRows(from, matched, rows, asked));
    client.onOrders(vms => made.refill(vms));
    return () => {
      stop();
      made.destroy();
    };
  }, []);

  const { sort, descending } = orderOf(shown.sort);
  useLayoutEffect(() => {
    client.query({ search: shown.q, sort, descending });
  }, [shown.q, sort, descending]);
  useLayoutEffect(() => grid.current?.toTop(), [shown.q]);
  const columns = useMemo(() => columnsOf(shown), [shown.cols, shown.w, shown.pin]);
  useLayoutEffect(() => {
    grid.current?.setColumns(columns, text.vms.sortBy);
  }, [shown.cols, shown.w, shown.pin]);
  useLayoutEffect(() => {
    grid.current?.setSort(sort, descending);
  }, [sort, descending]);

  // A key in the search field draws this anew, but not what is the same for every search.
  const columnMenu = useMemo(() => <ColumnMenu columns={columns} />, [columns]);
  return (
    <section class="page vms" hidden={!active} aria-label={text.pages.vms}>
      <form class="tools" role="search" onSubmit={event => event.preventDefault()}>
        <SearchField
          shown={shown.q}
          hint={HINT_ID}
          down={() => {
            grid.current?.focus();
            grid.current?.activate(0);
          }}
        />
        <Count />
        <label>
          {text.vms.sortBy}{' '}
          <select value={sort} onChange={event => set({ sort: event.currentTarget.value === 'trouble' ? '' : event.currentTarget.value })}>
            {ORDERS}
          </select>
        </label>
        <button
          type="button"
          aria-label={text.vms.reverse}
          aria-pressed={descending}
          disabled={sort === 'trouble'}
          onClick={() => set({ sort: descending ? sort : `-${sort}` })}
        >
          {descending ? '▼' : '▲'}
        </button>
        {columnMenu}
        <ViewMenu />
      </form>
      <Statuses />
      <Actions />
      <div class="grid-holder" ref={holder}>
        <Nothing />
      </div>
    </section>
  );
}
