// Charts of the statistics of a VM, or of several on one chart, with their period in the address.
import type { History } from 'stillwater';
import { useEffect, useRef } from 'preact/hooks';
import type { Chart as Drawn, Line } from './chart';
import { usePolled, useShades } from './hooks';
import { part } from './part';
import { set, useRoute } from './route';
import { moment, text } from './text';
import { afterKey, type Span } from './zoom';

const HISTORY_MILLIS = 15_000;
const HEIGHT = 130;
const METRICS = [
  'usageCpuPercent', 'usageMemoryPercent', 'networkReceiveRate', 'networkSendRate', 'diskReadRate', 'diskWriteRate',
] as const;

interface Chart {
  title: string;
  lines: [string, (typeof METRICS)[number]][];
  most: number | null;
}

const CHARTS: Chart[] = [
  { title: text.detail.cpu, lines: [[text.detail.usage, 'usageCpuPercent']], most: 100 },
  { title: text.detail.memoryUsage, lines: [[text.detail.usage, 'usageMemoryPercent']], most: 100 },
  { title: text.detail.network, lines: [[text.detail.receive, 'networkReceiveRate'], [text.detail.send, 'networkSendRate']], most: null },
  { title: text.detail.disk, lines: [[text.detail.read, 'diskReadRate'], [text.detail.write, 'diskWriteRate']], most: null },
];

export interface Period {
  /** For the query of a history. */
  query: string;
  name: string;
  /** The part that was marked in a chart or chosen by keys; null for the whole period. */
  zoomed: Span | null;
}

/** The period in the address: one of the menu's, or the marked part of it. */
export function usePeriod(): Period {
  const { search } = useRoute();
  const [from, to] = (search.get('zoom') ?? '').split('~', 2).map(Number);
  if (from !== undefined && to !== undefined && from > 0 && to > from && to < 8.64e9) {
    const begin = new Date(from * 1000).toISOString();
    const end = new Date(to * 1000).toISOString();
    return { query: `from=${begin}&to=${end}`, name: text.charts.zoomed(moment(begin), moment(end)), zoomed: { from, to } };
  }
  const period = search.get('period') ?? '-1h';
  const known = text.charts.periods[period] ? period : '-1h';
  // The last hour is in the engine's memory at its full cadence: no database is asked.
  return { query: known === '-1h' ? 'from=-1h&source=memory' : `from=${known}`, name: text.charts.periods[known]!, zoomed: null };
}

const mark = (from: number, to: number) => set({ zoom: `${Math.floor(from)}~${Math.ceil(to)}` }, false);

/** Zooms or moves the period by a key. Keys leave one entry in the history of the browser, not one each. */
function keyed(event: KeyboardEvent, period: Period, at: string[]): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const shown = period.zoomed ?? (at.length > 1 ? { from: Date.parse(at[0]!) / 1000, to: Date.parse(at.at(-1)!) / 1000 } : null);
  const next = shown && afterKey(event.key, shown, Date.now() / 1000);
  if (next === undefined || (next === null && shown === null)) return;
  event.preventDefault(); // arrow keys scroll the page
  set({ zoom: next === null ? '' : `${Math.round(next.from)}~${Math.round(next.to)}` }, period.zoomed !== null);
}

export function PeriodChoice() {
  const { search } = useRoute();
  const period = usePeriod();
  return (
    <div class="tools">
      <label>
        {text.charts.period}{' '}
        <select
          value={search.get('period') ?? '-1h'}
          onChange={event => set({ period: event.currentTarget.value === '-1h' ? '' : event.currentTarget.value, zoom: '' })}
        >
          {Object.entries(text.charts.periods).map(([value, name]) => (
            <option key={value} value={value}>{name}</option>
          ))}
        </select>
      </label>
      <span role="status" class={period.zoomed ? '' : 'soft'}>{period.zoomed ? period.name : text.charts.zoom}</span>
      {period.zoomed && <button type="button" onClick={() => set({ zoom: '' })}>{text.charts.all}</button>}
    </div>
  );
}

const seconds = (at: string[]) => at.map(time => Date.parse(time) / 1000);

export function ChartView(props: { title: string; period: Period; at: string[]; lines: Line[]; most: number | null; height?: number }) {
  const holder = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const latest = useRef(props);
  const colours = useShades();
  latest.current = props;
  useEffect(() => {
    let current = true;
    void part(() => import('./chart'), () => current).then(drawing => {
      if (!drawing || !current || !holder.current) return;
      const { at, lines, title, most, height = HEIGHT } = latest.current;
      drawn.current = drawing.chart(holder.current, seconds(at), lines, { title, most, height, zoom: mark });
    });
    return () => {
      current = false;
      drawn.current?.end();
      drawn.current = null;
    };
  }, [props.lines.map(line => line.label).join('\n'), props.title, props.most, props.height, colours]);
  // New samples move the lines of the chart that is there, so that a period which is being marked stays marked.
  useEffect(() => drawn.current?.update(seconds(props.at), props.lines), [props.at, props.lines]);
  const name = text.charts.of(props.title, props.period.name);
  return (
    <div class="chart-frame" tabIndex={0} role="group" aria-label={`${name}. ${text.charts.keys}`} onKeyDown={event => keyed(event, props.period, props.at)}>
      <div class="chart" ref={holder} role="img" aria-label={name} />
    </div>
  );
}

export function VmCharts({ id }: { id: string }) {
  const period = usePeriod();
  const history = usePolled<History>(`api/v1/vms/${id}/history?${period.query}&metric=${METRICS.join(',')}`, HISTORY_MILLIS);
  // The charts of the period before stay until those of the next one come: the focus stays on the chart, too.
  const drawn = useRef<{ of: History | null; lines: Line[][] }>({ of: null, lines: [] });
  if (history.value && drawn.current.of !== history.value) {
    const { series, at } = history.value;
    drawn.current = {
      of: history.value,
      lines: CHARTS.map(chart =>
        chart.lines.map(([label, metric]) => ({ label, values: series.find(each => each.metric === metric)?.mean ?? at.map(() => null) }))),
    };
  }
  const shown = drawn.current.of;
  const empty = shown?.series.every(series => series.mean.every(value => value === null)) ?? false;
  return (
    <>
      <h3>{text.charts.title}</h3>
      <PeriodChoice />
      {history.problem && <p class="trouble" role="alert">{history.problem.message}</p>}
      {shown?.missing && <p class="trouble">{shown.missing}</p>}
      {shown === null && !history.problem && <p class="soft">{text.detail.loadingChart}</p>}
      {empty && <p class="soft">{text.detail.noSamples}</p>}
      {shown && (!empty || period.zoomed) && (
        <div class="charts" aria-busy={history.value === null}>
          {CHARTS.map((chart, i) => (
            <ChartView key={chart.title} title={chart.title} period={period} at={shown.at} lines={drawn.current.lines[i]!} most={chart.most} />
          ))}
        </div>
      )}
    </>
  );
}
