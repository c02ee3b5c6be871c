// Charts of the statistics of a VM, or of several on one chart, with their period in the address.
import type { History } from 'stillwater';
import { useEffect, useRef } from 'preact/hooks';
import type { Chart as Drawn, Line } from './chart';
import { usePolled, useShades } from './hooks';
import { part } from './part';
import { set, useRoute } from './route';
import { moment, text } from './text';

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
  /** Whether it is a part that was marked in a chart. */
  zoomed: boolean;
}

/** The period in the address: one of the menu's, or the marked part of it. */
export function usePeriod(): Period {
  const { search } = useRoute();
  const [from, to] = (search.get('zoom') ?? '').split('~', 2).map(Number);
  if (from !== undefined && to !== undefined && from > 0 && to > from && to < 8.64e9) {
    const begin = new Date(from * 1000).toISOString();
    const end = new Date(to * 1000).toISOString();
    return { query: `from=${begin}&to=${end}`, name: text.charts.zoomed(moment(begin), moment(end)), zoomed: true };
  }
  const period = search.get('period') ?? '-1h';
  const known = text.charts.periods[period] ? period : '-1h';
  // The last hour is in the engine's memory at its full cadence: no database is asked.
  return { query: known === '-1h' ? 'from=-1h&source=memory' : `from=${known}`, name: text.charts.periods[known]!, zoomed: false };
}

const mark = (from: number, to: number) => set({ zoom: `${Math.floor(from)}~${Math.ceil(to)}` }, false);

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
      {period.zoomed ? (
        <>
          <span>{period.name}</span>
          <button type="button" onClick={() => set({ zoom: '' })}>{text.charts.all}</button>
        </>
      ) : (
        <span class="soft">{text.charts.zoom}</span>
      )}
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
  return <div class="chart" ref={holder} role="img" aria-label={text.charts.of(props.title, props.period.name)} />;
}

export function VmCharts({ id }: { id: string }) {
  const period = usePeriod();
  const history = usePolled<History>(`api/v1/vms/${id}/history?${period.query}&metric=${METRICS.join(',')}`, HISTORY_MILLIS);
  const drawn = useRef<{ of: History | null; lines: Line[][] }>({ of: null, lines: [] });
  if (history.value && drawn.current.of !== history.value) {
    const { series, at } = history.value;
    drawn.current = {
      of: history.value,
      lines: CHARTS.map(chart =>
        chart.lines.map(([label, metric]) => ({ label, values: series.find(each => each.metric === metric)?.mean ?? at.map(() => null) }))),
    };
  }
  const empty = history.value?.series.every(series => series.mean.every(value => value === null));
  return (
    <>
      <h3>{text.charts.title}</h3>
      <PeriodChoice />
      {history.problem && <p class="trouble" role="alert">{history.problem.message}</p>}
      {history.value?.missing && <p class="trouble">{history.value.missing}</p>}
      {history.value === null ? (
        !history.problem && <p class="soft">{text.detail.loadingChart}</p>
      ) : empty ? (
        <p class="soft">{text.detail.noSamples}</p>
      ) : (
        <div class="charts">
          {CHARTS.map((chart, i) => (
            <ChartView key={chart.title} title={chart.title} period={period} at={history.value!.at} lines={drawn.current.lines[i]!} most={chart.most} />
          ))}
        </div>
      )}
    </>
  );
}
