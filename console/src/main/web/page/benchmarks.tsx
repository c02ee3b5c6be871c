// Benchmark runs of VMs and hosts: the matrix of record size and operation with its dips, a cell over time, and the runs.
import type { ComponentChildren } from 'preact';
import type { Finding, PermittedBenchmarks } from 'stillwater';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, reason, remove } from './api';
import type { Chart as Drawn, Curve } from './chart';
import { Confirm } from './groups';
import { usePolled, useShades } from './hooks';
import { part } from './part';
import { useRoles } from './roles';
import { go, href, set, useRoute } from './route';
import { moment, text, took } from './text';
import { seconds, TimeChart } from './timechart';

const EVERY_MILLIS = 15_000;
const PAGE = 100;
const HEIGHT = 170;
const KIBI = 1024;
const OPERATIONS = ['sequential-read', 'sequential-write', 'random-read', 'random-write'];

interface Run {
  id: string;
  vmId?: string | null;
  hostId?: string | null;
  objectName: string;
  startedAt: string;
  engine: string;
  machine: string;
  kernel: string;
  direct: boolean;
  fileBytes: number;
  seconds: number;
  cells: number;
  postedBy: string;
  durationMillis: number;
}

interface Runs {
  items: Run[];
  total: number;
  next?: string | null;
}

interface Cell {
  operation: string;
  recordBytes: number;
  last: number;
  lastAt: string;
  runs: number;
  baseline?: number | null;
  low?: number | null;
  high?: number | null;
  dip: boolean;
  begin?: string | null;
  changePercent?: number | null;
  findingId?: string | null;
}

interface Matrix {
  objectName: string;
  setup?: { engine: string; direct: boolean; fileBytes: number; seconds: number } | null;
  runs: number;
  records: number[];
  operations: string[];
  cells: Cell[];
}

interface Series {
  points: { at: string; run: string; megabytesPerSecond: number }[];
  cell: Cell;
}

interface Place {
  /** vm:ID or host:ID, as the address of the page has it. */
  of: string;
  /** operation|bytes; null for the whole object. */
  cell: string | null;
}

/** The object of a finding that is about a benchmark, such as vm:ID/SETUP/OPERATION/BYTES; null for another one. */
export function cellOf(object: string): Place | null {
  const [of = '', , operation, bytes] = object.split('/');
  if (!/^(vm|host):[0-9a-f-]{36}$/.test(of)) return null;
  return { of, cell: operation && bytes ? `${operation}|${bytes}` : null };
}

/** The query for an object; null for none. */
function queryOf(of: string): string | null {
  const place = cellOf(of);
  if (place === null) return null;
  const [kind, id] = place.of.split(':');
  return `${kind}=${id}`;
}

const operationName = (operation: string) => text.benchmarks.operations[operation] ?? operation;

function size(bytes: number): string {
  const [kib, mib, gib] = [bytes / KIBI, bytes / KIBI ** 2, bytes / KIBI ** 3];
  return gib >= 1 ? text.benchmarks.gib(gib) : mib >= 1 ? text.benchmarks.mib(mib) : text.benchmarks.kib(kib);
}

const objectOf = (run: Run) => (run.vmId ? `vm:${run.vmId}` : `host:${run.hostId ?? ''}`);

export function Benchmarks() {
  const { search } = useRoute();
  const of = search.get('of') ?? '';
  const query = queryOf(of);
  const runs = usePolled<Runs>(`api/v1/benchmarks?limit=${PAGE}${query === null ? '' : `&${query}`}`, EVERY_MILLIS);
  const [older, setOlder] = useState<{ of: string; items: Run[]; next: string | null } | null>(null);
  const [trouble, setTrouble] = useState('');
  const [told, setTold] = useState('');
  const [removed, setRemoved] = useState<Run | null>(null);
  const { administers } = useRoles();
  const more = older?.of === of ? older : { of, items: [], next: runs.value?.next ?? null };
  const items = [...new Map([...(runs.value?.items ?? []), ...more.items].map(run => [run.id, run])).values()];
  const load = async () => {
    try {
      const page = await get<Runs>(`api/v1/benchmarks?limit=${PAGE}&before=${more.next}${query === null ? '' : `&${query}`}`);
      setOlder({ of, items: [...more.items, ...page.items], next: page.next ?? null });
      setTrouble('');
    } catch (failure) {
      setTrouble(reason(failure, text.detail.unreachable));
    }
  };
  const off = runs.problem?.status === 404;
  const permits = usePolled<PermittedBenchmarks>('api/v1/benchmarks/permits?limit=100', EVERY_MILLIS);
  const permitted = (permits.value?.items ?? []).filter(each => of === '' || of === (each.vmId ? `vm:${each.vmId}` : `host:${each.hostId ?? ''}`));
  return (
    <section class="page benchmarks" aria-label={text.pages.benchmarks}>
      <div class="tools">
        {query !== null && <button type="button" onClick={() => go(href('benchmarks'))}>{text.benchmarks.back}</button>}
        <span class="count" role="status">{told !== '' ? told : runs.value && text.benchmarks.runs(runs.value.total)}</span>
      </div>
      {runs.problem && <p class="trouble" role="alert">{off ? text.benchmarks.off : runs.problem.message}</p>}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.benchmarks.grid}>
        {permitted.length > 0 && (
          <ul class="plain-list permits" aria-label={text.benchmarks.permits}>
            {permitted.map(each => (
              <li key={each.permit}>
                {each.state === 'lost' && <span class="badge warn">{text.benchmarks.lost}</span>}{' '}
                {text.benchmarks.permit(each.objectName, moment(each.grantedAt), moment(each.expiresAt), each.state === 'lost')}
              </li>
            ))}
          </ul>
        )}
        {query !== null && !off && <MatrixOf key={of} query={query} chosen={search.get('cell') ?? ''} />}
        <table class="cards runs">
          <thead>
            <tr>
              <th scope="col">{text.benchmarks.run}</th>
              <th scope="col">{text.benchmarks.object}</th>
              <th scope="col">{text.benchmarks.engine}</th>
              <th scope="col">{text.benchmarks.file}</th>
              <th scope="col">{text.benchmarks.cells}</th>
              <th scope="col">{text.benchmarks.length}</th>
              <th scope="col">{text.benchmarks.system}</th>
              <th scope="col">{text.benchmarks.by}</th>
              {administers && <th scope="col">{text.hosts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {items.map(run => (
              <tr key={run.id}>
                <th scope="row"><time dateTime={run.startedAt}>{moment(run.startedAt)}</time></th>
                <td><a href={href('benchmarks', { of: objectOf(run) })}>{run.objectName}</a></td>
                <td>{run.engine}, {text.benchmarks.direct(run.direct)}</td>
                <td>{size(run.fileBytes)}</td>
                <td>{text.number(run.cells)}</td>
                <td>{took(run.durationMillis)}</td>
                <td>{run.machine}, {run.kernel}</td>
                <td>{run.postedBy}</td>
                {administers && <td class="buttons"><button type="button" onClick={() => setRemoved(run)}>{text.benchmarks.remove}</button></td>}
              </tr>
            ))}
          </tbody>
        </table>
        {runs.value && items.length === 0 && <p class="nothing">{query === null ? text.benchmarks.none : text.benchmarks.noRuns}</p>}
        {more.next && <p><button type="button" onClick={() => void load()}>{text.benchmarks.older}</button></p>}
      </div>
      {removed && (
        <Confirm
          title={text.benchmarks.removeTitle(moment(removed.startedAt))}
          what={text.benchmarks.removes}
          button={text.benchmarks.remove}
          close={() => setRemoved(null)}
          run={() => {
            remove(`api/v1/benchmarks/${removed.id}`)
              .then(() => {
                setOlder(null);
                setTold(text.benchmarks.removed);
              }, (failure: unknown) => setTrouble(reason(failure, text.act.unreachable)))
              .finally(() => runs.again());
          }}
        />
      )}
    </section>
  );
}

/** The matrix of an object, its curves, and the chosen cell over time. */
function MatrixOf({ query, chosen }: { query: string; chosen: string }) {
  const matrix = usePolled<Matrix>(`api/v1/benchmarks/matrix?${query}`, EVERY_MILLIS);
  const { value, problem } = matrix;
  if (problem) return <p class="trouble" role="alert">{problem.status === 404 ? text.benchmarks.unknown : problem.message}</p>;
  if (value === null || !value.setup) return null;
  const operations = [...value.operations].sort((a, b) => OPERATIONS.indexOf(a) - OPERATIONS.indexOf(b));
  const cells = new Map(value.cells.map(cell => [`${cell.operation}|${cell.recordBytes}`, cell]));
  const at = cells.get(chosen);
  return (
    <section class="matrix-of" aria-label={text.benchmarks.matrix(value.objectName)}>
      <h2>{value.objectName}</h2>
      <p class="soft">
        {text.benchmarks.setup(value.setup.engine, value.setup.direct, size(value.setup.fileBytes), value.setup.seconds)}; {text.benchmarks.runs(value.runs)}
      </p>
      <div class="wide-table" tabIndex={0} role="group" aria-label={text.benchmarks.matrix(value.objectName)}>
        <table class="matrix">
          <caption class="unseen">{text.benchmarks.matrix(value.objectName)}</caption>
          <thead>
            <tr>
              <th scope="col">{text.benchmarks.record}</th>
              {operations.map(each => <th key={each} scope="col">{operationName(each)}</th>)}
            </tr>
          </thead>
          <tbody>
            {value.records.map(record => (
              <tr key={record}>
                <th scope="row">{size(record)}</th>
                {operations.map(operation => {
                  const cell = cells.get(`${operation}|${record}`);
                  return <td key={operation} class={cell?.dip ? 'dip' : ''}>{cell ? <CellView cell={cell} chosen={cell === at} /> : '–'}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {at && <CellOverTime query={query} cell={at} />}
      <h3>{text.benchmarks.charts}</h3>
      <div class="charts curves">
        {operations.map(operation => <OperationCurve key={operation} operation={operation} records={value.records} cells={cells} />)}
      </div>
      <p class="soft">{text.benchmarks.curveHint}</p>
    </section>
  );
}

function band(cell: Cell): string {
  return cell.baseline == null || cell.low == null || cell.high == null
    ? text.benchmarks.noBaseline
    : text.benchmarks.band(cell.baseline, cell.low, cell.high);
}

function CellView({ cell, chosen }: { cell: Cell; chosen: boolean }) {
  return (
    <>
      <button
        type="button"
        class="link-like number"
        aria-pressed={chosen}
        aria-label={text.benchmarks.cellLabel(operationName(cell.operation), size(cell.recordBytes), cell.last, cell.dip)}
        onClick={() => set({ cell: chosen ? '' : `${cell.operation}|${cell.recordBytes}` })}
      >
        {text.benchmarks.speed(cell.last)}
      </button>
      {cell.dip && <span class="badge bad">{text.benchmarks.dip(cell.changePercent ?? 0)}</span>}
      <span class="soft band">{band(cell)}</span>
    </>
  );
}

/** A cell over time, with its level and the begin of its dip. */
function CellOverTime({ query, cell }: { query: string; cell: Cell }) {
  const series = usePolled<Series>(`api/v1/benchmarks/series?${query}&operation=${cell.operation}&recordBytes=${cell.recordBytes}`, EVERY_MILLIS);
  const [operation, record] = [operationName(cell.operation), size(cell.recordBytes)];
  const begin = cell.begin ? seconds(cell.begin) : null;
  return (
    <section class="cell" aria-label={text.benchmarks.cellTitle(operation, record)}>
      <h3>{text.benchmarks.cellTitle(operation, record)}</h3>
      {series.problem && <p class="trouble" role="alert">{series.problem.message}</p>}
      <p>
        {band(cell)}
        {cell.dip && <> <span class="badge bad">{text.benchmarks.dip(cell.changePercent ?? 0)}</span></>}
        {cell.begin && <> {text.benchmarks.since(moment(cell.begin))}</>}{' '}
        {cell.findingId && <a href={href('findings', { finding: cell.findingId })}>{text.benchmarks.finding}</a>}
      </p>
      {series.value && (
        <TimeChart
          title={text.benchmarks.cell(operation, record)}
          label={text.benchmarks.cellLabel(operation, record, cell.last, cell.dip)}
          at={series.value.points.map(point => seconds(point.at))}
          lines={[{ label: text.benchmarks.unit, values: series.value.points.map(point => point.megabytesPerSecond) }]}
          most={cell.high ?? null}
          height={HEIGHT}
          dots
          begin={begin === null ? null : { at: begin, from: begin, to: begin }}
          level={cell.baseline == null || cell.low == null || cell.high == null ? null : { value: cell.baseline, low: cell.low, high: cell.high }}
        />
      )}
    </section>
  );
}

/** The cell of a finding, with its level and band; `otherwise` if its runs are gone. */
export function BenchmarkEvidence({ finding, otherwise }: { finding: Finding; otherwise: ComponentChildren }) {
  const place = cellOf(finding.object);
  const query = place && queryOf(place.of);
  const [operation = '', bytes = ''] = (place?.cell ?? '').split('|');
  const series = usePolled<Series>(query ? `api/v1/benchmarks/series?${query}&operation=${operation}&recordBytes=${bytes}` : '', EVERY_MILLIS);
  if (series.problem) return <>{otherwise}</>;
  if (!query || !series.value) return null;
  return <CellOverTime query={query} cell={series.value.cell} />;
}

function OperationCurve({ operation, records, cells }: { operation: string; records: number[]; cells: Map<string, Cell> }) {
  const holder = useRef<HTMLDivElement>(null);
  const row = records.map(record => cells.get(`${operation}|${record}`));
  const title = text.benchmarks.curve(operationName(operation));
  const shown: Curve = {
    title,
    height: HEIGHT,
    sizes: records.map(size),
    last: { label: text.benchmarks.last, values: row.map(cell => cell?.last ?? null) },
    baseline: { label: text.benchmarks.level, values: row.map(cell => cell?.baseline ?? null) },
    low: row.map(cell => cell?.low ?? null),
    high: row.map(cell => cell?.high ?? null),
    dips: row.map(cell => cell?.dip ?? false),
  };
  const what = JSON.stringify(shown);
  const colours = useShades();
  useEffect(() => {
    let current = true;
    let drawn: Drawn | null = null;
    void part(() => import('./chart'), () => current).then(drawing => {
      if (drawing && current && holder.current) drawn = drawing.curve(holder.current, shown);
    });
    return () => {
      current = false;
      drawn?.end();
    };
  }, [what, colours]);
  return <div class="chart" ref={holder} role="img" aria-label={title} />;
}
