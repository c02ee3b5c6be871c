// Up to eight VMs on one chart.
import type { History } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { get, reason } from './api';
import type { Line } from './chart';
import { ChartView, PeriodChoice, usePeriod } from './charts';
import { set, useRoute } from './route';
import { text } from './text';

export const MOST_COMPARED = 8;
const EVERY_MILLIS = 15_000;
const HEIGHT = 320;

interface Drawn {
  at: string[];
  lines: Line[];
  /** Names of VMs without data. */
  missing: string[];
}

/** What stands instead of a refused answer: a VM that is gone has no line. A lost connection is a failure. */
const unlessLost = <T,>(otherwise: T) => (failure: unknown): T => {
  if (reason(failure, '') === '') throw failure;
  return otherwise;
};

/** Names of VMs by their ids, from the engine: the worker knows none until it has read all VMs. */
async function namesOf(vms: string[], signal: AbortSignal): Promise<Map<string, string>> {
  const page = await get<{ items: { id: string; name: string }[] }>(`api/v1/vms?fields=id,name&limit=${MOST_COMPARED}&id=${vms.join(',')}`, signal);
  return new Map(page.items.map(vm => [vm.id, vm.name]));
}

/** Joins histories by their times: steps begin at the same times, but not all have every one. */
function join(names: string[], histories: (History | null)[]): Drawn {
  const at = [...new Set(histories.flatMap(history => history?.at ?? []))].sort();
  const places = new Map(at.map((time, i) => [time, i]));
  const lines: Line[] = [];
  const missing: string[] = [];
  histories.forEach((history, i) => {
    const mean = history?.series[0]?.mean ?? [];
    if (!history || mean.every(value => value === null)) {
      missing.push(names[i]!);
      return;
    }
    const values: (number | null)[] = at.map(() => null);
    history.at.forEach((time, j) => {
      values[places.get(time)!] = mean[j] ?? null;
    });
    lines.push({ label: names[i]!, values });
  });
  return { at, lines, missing };
}

export function Compare() {
  const { search } = useRoute();
  const period = usePeriod();
  const vms = (search.get('vms') ?? '').split(',').filter(each => each !== '').slice(0, MOST_COMPARED);
  const wanted = search.get('metric') ?? '';
  const metric = text.compare.metrics[wanted] ? wanted : 'usageCpuPercent';
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      if (document.hidden || vms.length === 0) return;
      try {
        const [names, histories] = await Promise.all([
          namesOf(vms, abort.signal).catch(unlessLost(new Map<string, string>())),
          Promise.all(vms.map(vm =>
            get<History>(`api/v1/vms/${vm}/history?${period.query}&metric=${metric}`, abort.signal).catch(unlessLost(null)))),
        ]);
        if (abort.signal.aborted) return;
        setDrawn(join(vms.map(vm => names.get(vm) ?? vm), histories));
        setTrouble('');
      } catch (failure) {
        if (!abort.signal.aborted) setTrouble(reason(failure, text.detail.unreachable));
      }
    };
    void read();
    const timer = setInterval(() => void read(), EVERY_MILLIS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [vms.join(','), metric, period.query]);
  return (
    <section class="page" aria-label={text.pages.compare}>
      <div class="tools">
        <label>
          {text.compare.metric}{' '}
          <select value={metric} onChange={event => set({ metric: event.currentTarget.value })}>
            {Object.entries(text.compare.metrics).map(([value, name]) => (
              <option key={value} value={value}>{name}</option>
            ))}
          </select>
        </label>
        <PeriodChoice />
      </div>
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      {vms.length === 0 ? (
        <p class="nothing">{text.compare.none}</p>
      ) : (
        <div class="list" tabIndex={0} role="group" aria-label={text.compare.chart}>
          {drawn && (drawn.lines.length > 0 || period.zoomed) && (
            <ChartView
              title={text.compare.metrics[metric]!}
              period={period}
              at={drawn.at}
              lines={drawn.lines}
              most={metric.endsWith('Percent') ? 100 : null}
              height={HEIGHT}
            />
          )}
          {drawn && drawn.missing.length > 0 && <p class="soft">{text.compare.missing(drawn.missing.join(', '))}</p>}
        </div>
      )}
    </section>
  );
}
