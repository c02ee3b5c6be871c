// The engine about itself: CPU, statements, memory, queues, the age of reports, and recordings.
import type { EngineCpu, EngineMemory, EngineMemoryItem, EngineRecording, EngineStage, EngineStatements, HostRow, HostsHealth } from 'stillwater';
import { useEffect, useRef, useState } from 'preact/hooks';
import { base, post, reason } from './api';
import { useEngine, type Live } from './enginetopic';
import { draw, frameAt, framesOf, hottest, neighbour, type Frame } from './flame';
import { usePolled, useShades } from './hooks';
import { useRoles } from './roles';
import { set, useRoute } from './route';
import { ago, moment, text, words } from './text';

const EVERY_MILLIS = 5000;
const HOSTS_MILLIS = 2000;
const RECORDING_MILLIS = 2000;
const WINDOWS = [60, 300, 3600]; // seconds; the last one is the default of stillwater.profile.span
const MOST_SHOWN = 20;
const MOST_CELLS = 1000;
const LATE_MILLIS = 60_000; // the end of the scale of ages
const STEPS = 10;
const RECENT_MILLIS = 15_000; // the default of stillwater.cycle.interval

const share = (value: number) => text.engine.percent(value * 100);
const mebibytes = (bytes: number | null | undefined) => (bytes === null || bytes === undefined ? '–' : `${text.number(Math.round(bytes / 2 ** 20))} MiB`);
const millis = (micros: number) => text.engine.millis(micros / 1000);

function Share({ value, name }: { value: number; name: string }) {
  return (
    <span class="bar">
      <meter min={0} max={1} value={value} aria-label={name} />
      <span class="number">{share(value)}</span>
    </span>
  );
}

function Stages({ stages }: { stages: EngineStage[] }) {
  return (
    <table class="cards stages">
      <thead>
        <tr>
          <th scope="col">{text.engine.stage}</th>
          <th scope="col">{text.engine.share}</th>
          <th scope="col">{text.engine.cpuTime}</th>
          <th scope="col">{text.engine.allocated}</th>
        </tr>
      </thead>
      <tbody>
        {stages.filter(each => each.samples > 0 || each.cpuMillis > 0).map(each => (
          <tr key={each.stage}>
            <th scope="row">{each.stage}</th>
            <td><Share value={each.share} name={each.stage} /></td>
            <td>{text.engine.millis(each.cpuMillis)}</td>
            <td>{mebibytes(each.allocatedBytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Calls as a flame graph; a click or Enter zooms, arrows move from call to call. */
function Flame({ frames }: { frames: Frame[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [zoomed, setZoomed] = useState(0);
  const [active, setActive] = useState(0);
  const colours = useShades();
  const known = frames.length;
  useEffect(() => {
    // New samples are another tree: a zoom into the old one does not apply.
    setZoomed(0);
    setActive(0);
  }, [frames]);
  useEffect(() => {
    const redraw = () => draw(canvas.current!, frames, zoomed, active);
    redraw();
    const resized = new ResizeObserver(redraw);
    resized.observe(canvas.current!.parentElement!);
    return () => resized.disconnect();
  }, [frames, zoomed, active, colours]);
  const at = (event: MouseEvent) => frameAt(frames, zoomed, canvas.current!.width, event.offsetX, event.offsetY);
  const shown = frames[active];
  const key = (event: KeyboardEvent) => {
    if (event.key.startsWith('Arrow')) setActive(neighbour(frames, active, event.key));
    else if (event.key === 'Enter') setZoomed(active);
    else if (event.key === 'Escape' && zoomed !== 0) setZoomed(0);
    else return;
    event.preventDefault();
  };
  return (
    <div class="flame">
      <p>
        <span class="count" role="status">{shown && text.engine.call(shown.name, shown.samples, shown.samples / Math.max(1, frames[0]!.samples))}</span>{' '}
        {zoomed !== 0 && <button type="button" onClick={() => setZoomed(0)}>{text.engine.whole}</button>}
      </p>
      <div>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={text.engine.graph(known)}
          onKeyDown={key}
          onMouseMove={event => {
            const over = at(event);
            if (over >= 0 && over !== active) setActive(over);
          }}
          onClick={event => {
            const over = at(event);
            if (over >= 0) setZoomed(over);
          }}
        />
      </div>
    </div>
  );
}

function Calls({ seconds }: { seconds: number }) {
  const [open, setOpen] = useState(false);
  const [taken, setTaken] = useState<{ frames: Frame[]; until: string; cut: number } | null>(null);
  const tree = usePolled<EngineCpu>(open && taken === null ? `api/v1/engine/profile?seconds=${seconds}&tree=true` : '', EVERY_MILLIS);
  useEffect(() => setTaken(null), [seconds]);
  useEffect(() => {
    // A graph stands still while it is read; "again" takes a new one.
    if (tree.value?.tree) setTaken({ frames: framesOf(tree.value.tree), until: tree.value.until, cut: tree.value.cutPaths });
  }, [tree.value]);
  return (
    <details class="calls" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{text.engine.calls}</summary>
      {tree.problem && <p class="trouble" role="alert">{tree.problem.message}</p>}
      {taken === null ? open && !tree.problem && <p class="soft">{text.engine.loading}</p> : (
        <>
          <p>
            <span class="soft">{text.engine.until(moment(taken.until))}</span>{' '}
            <button type="button" onClick={() => setTaken(null)}>{text.engine.again}</button>
          </p>
          {taken.cut > 0 && <p class="soft">{text.engine.cut(taken.cut)}</p>}
          <Flame frames={taken.frames} />
          <h3>{text.engine.hottest}</h3>
          <ol class="plain-list">
            {hottest(taken.frames, MOST_SHOWN).map(each => (
              <li key={each.name}><code>{each.name}</code> {text.engine.samples(each.samples, each.share)}</li>
            ))}
          </ol>
        </>
      )}
    </details>
  );
}

function Cpu({ live, seconds }: { live: Live; seconds: number }) {
  const cpu = usePolled<EngineCpu>(`api/v1/engine/profile?seconds=${seconds}`, EVERY_MILLIS);
  const now = seconds === WINDOWS[0] && live.reading?.since ? live.reading : null;
  const stages = now?.stages ?? cpu.value?.items;
  const spent = now ?? cpu.value;
  return (
    <section aria-label={text.engine.cpu}>
      <h2>{text.engine.cpu}</h2>
      {cpu.problem && <p class="trouble" role="alert">{cpu.problem.message}</p>}
      {spent && spent.seconds > 0 && <p>{text.engine.processors(spent.cpuMillis / 1000 / spent.seconds)}</p>}
      {stages && <Stages stages={stages} />}
      {cpu.value && (
        <p class="soft">
          {text.engine.threads} {cpu.value.threads.map(each => `${each.kind} ${share(each.share)}`).join(', ')}
        </p>
      )}
      <Calls seconds={seconds} />
      {cpu.value && cpu.value.waits.length > 0 && (
        <details>
          <summary>{text.engine.waits}</summary>
          <ul class="plain-list">
            {cpu.value.waits.slice(0, MOST_SHOWN).map(each => (
              <li key={`${each.name} ${each.place}`}>
                <code>{each.name}</code> {each.stage}, <code>{each.place}</code>: {text.engine.waited(each.waits, each.totalMillis, each.longestMillis)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Statements({ live, seconds }: { live: Live; seconds: number }) {
  const statements = usePolled<EngineStatements>(`api/v1/engine/statements?seconds=${seconds}`, EVERY_MILLIS);
  const { value, problem } = statements;
  const { reading } = live;
  return (
    <section aria-label={text.engine.statements}>
      <h2>{text.engine.statements}</h2>
      {problem && <p class="trouble" role="alert">{problem.message}</p>}
      {reading?.since && (
        <p role="status" class="quiet">
          {reading.monitoringStatements === 0 ? text.engine.quiet(reading.seconds) : text.engine.busy(reading.monitoringStatements, reading.seconds)}
        </p>
      )}
      {value && (
        <>
          <p>{text.engine.allStatements(value.calls, value.totalMicros / 1000)}</p>
          <table class="cards statements">
            <thead>
              <tr>
                <th scope="col">{text.engine.statement}</th>
                <th scope="col">{text.engine.stage}</th>
                <th scope="col">{text.engine.executed}</th>
                <th scope="col">{text.engine.rows}</th>
                <th scope="col">{text.engine.mean}</th>
                <th scope="col">{text.engine.p99}</th>
                <th scope="col">{text.engine.share}</th>
              </tr>
            </thead>
            <tbody>
              {value.items.slice(0, MOST_SHOWN).map(each => (
                <tr key={`${each.name} ${each.statement} ${each.stage}`}>
                  <th scope="row"><code>{each.name}</code>{each.statement !== each.name && <> <span class="soft">{each.statement}</span></>}</th>
                  <td>{each.stage}</td>
                  <td>{text.number(each.calls)}{each.failed > 0 && <span class="bad"> {text.engine.failed(each.failed)}</span>}</td>
                  <td>{text.number(each.rows)}</td>
                  <td>{millis(each.meanMicros)}</td>
                  <td>{millis(each.p99Micros)}</td>
                  <td><Share value={each.share} name={each.name} /></td>
                </tr>
              ))}
            </tbody>
          </table>
          {value.items.length > MOST_SHOWN && <p class="soft">{text.jobs.more(value.items.length - MOST_SHOWN)}</p>}
        </>
      )}
    </section>
  );
}

function Memory({ live, seconds }: { live: Live; seconds: number }) {
  const memory = usePolled<EngineMemory>(`api/v1/engine/memory?seconds=${seconds}`, EVERY_MILLIS);
  const { value, problem } = memory;
  const used = live.reading?.heapUsedBytes ?? value?.heapUsedBytes;
  const most = live.reading?.heapMaxBytes ?? value?.heapMaxBytes;
  return (
    <section aria-label={text.engine.memory}>
      <h2>{text.engine.memory}</h2>
      {problem && <p class="trouble" role="alert">{problem.message}</p>}
      {used !== undefined && most !== undefined && (
        <p class="bar">
          <meter min={0} max={most} value={used} aria-label={text.engine.heap} /> {text.engine.heapOf(mebibytes(used), mebibytes(most))}
        </p>
      )}
      {value && (
        <>
          <dl class="facts">
            <div><dt>{text.engine.live}</dt><dd>{mebibytes(value.heapAfterCollectionBytes)}</dd></div>
            <div><dt>{text.engine.resident}</dt><dd>{mebibytes(value.residentBytes)}</dd></div>
            <div><dt>{text.engine.direct}</dt><dd>{mebibytes(value.directBytes)}</dd></div>
            <div><dt>{text.engine.collections}</dt><dd>{text.engine.pauses(value.collections, value.pauseMillis, value.longestPauseMillis)}</dd></div>
            <div><dt>{text.engine.allocated}</dt><dd>{mebibytes(value.allocatedBytes)}</dd></div>
          </dl>
          <details>
            <summary>{text.engine.types}</summary>
            <ul class="plain-list">
              {value.items.filter(each => each.type !== undefined).slice(0, MOST_SHOWN).map(each => (
                <li key={each.type}><code>{each.type}</code> {mebibytes(each.allocatedBytes)}, {share(each.share ?? 0)}</li>
              ))}
            </ul>
          </details>
        </>
      )}
    </section>
  );
}

function Queues({ structures }: { structures: EngineMemoryItem[] }) {
  return (
    <section aria-label={text.engine.queues}>
      <h2>{text.engine.queues}</h2>
      <table class="cards queues">
        <thead>
          <tr>
            <th scope="col">{text.engine.structure}</th>
            <th scope="col">{text.engine.entries}</th>
            <th scope="col">{text.engine.fill}</th>
          </tr>
        </thead>
        <tbody>
          {structures.map(each => (
            <tr key={each.meter}>
              <th scope="row" title={each.meter}>{each.name}</th>
              <td>{text.number(each.entries ?? 0)}{each.bound != null && text.engine.of(each.bound)}</td>
              <td>{each.fill == null ? <span class="soft">–</span> : <Share value={each.fill} name={each.name ?? ''} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type HostAge = Required<Pick<HostRow, 'id' | 'name' | 'status' | 'lastPollAt'>>;

/** Every host as a cell, coloured by the age of its newest report, and the hosts that stall. */
function Reports({ skew }: { skew: number }) {
  const hosts = usePolled<{ items: HostAge[] }>('api/v1/hosts?fields=id,name,status,lastPollAt', HOSTS_MILLIS);
  const health = usePolled<HostsHealth>('api/v1/health/hosts', EVERY_MILLIS);
  const now = Date.now() + skew;
  const ages = (hosts.value?.items ?? []).map(host => ({
    host, age: host.lastPollAt === null ? -1 : Math.max(0, now - Date.parse(host.lastPollAt)),
  }));
  const recent = ages.filter(each => each.age >= 0 && each.age < RECENT_MILLIS).length;
  const oldest = ages.reduce((most, each) => Math.max(most, each.age), -1);
  const stalled = health.value?.items.filter(each => each.lastStall !== null || (each.waitingMillis ?? 0) > 0) ?? [];
  const said = (age: number) => (age < 0 ? text.engine.noReport : ago(age));
  return (
    <section aria-label={text.engine.reports}>
      <h2>{text.engine.reports}</h2>
      {hosts.problem && <p class="trouble" role="alert">{hosts.problem.message}</p>}
      {ages.length > 0 && <p role="status">{text.engine.flow(recent, ages.length, said(oldest))}</p>}
      <ul class="heat">
        {ages.slice(0, MOST_CELLS).map(({ host, age }) => (
          <li key={host.id}>
            <button
              type="button"
              class={`age-${age < 0 ? 'none' : Math.min(STEPS, Math.floor((age / LATE_MILLIS) * STEPS))}`}
              title={`${host.name}: ${said(age)}, ${words(host.status)}`}
              aria-label={`${host.name}: ${said(age)}`}
              onClick={() => set({ host: host.id }, false)}
            />
          </li>
        ))}
      </ul>
      {ages.length > MOST_CELLS && <p class="soft">{text.jobs.more(ages.length - MOST_CELLS)}</p>}
      <h3>{text.engine.stalls}</h3>
      <ul class="plain-list">
        {stalled.map(each => (
          <li key={each.id}>
            <button type="button" class="link-like" onClick={() => set({ host: each.id }, false)}>{each.name}</button>{' '}
            {text.conditions[each.condition] ?? words(each.condition)}
            {each.waitingMillis !== null && each.waitingMillis > 0 && `; ${text.engine.waiting(each.waitingMillis)}`}
            {each.lastStall && `; ${text.engine.stalled(each.lastStall.task, each.lastStall.seconds)}`}
          </li>
        ))}
        {health.value && stalled.length === 0 && <li>{text.detail.none}</li>}
      </ul>
    </section>
  );
}

function Recording() {
  const recording = usePolled<EngineRecording>('api/v1/engine/recording', RECORDING_MILLIS);
  const [seconds, setSeconds] = useState(60);
  const [trouble, setTrouble] = useState('');
  const order = async (path: string, body?: unknown) => {
    try {
      await post(path, body);
      setTrouble('');
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    }
    recording.again();
  };
  const now = recording.value;
  return (
    <section aria-label={text.engine.recording} class="recording">
      <h2>{text.engine.recording}</h2>
      {recording.problem && <p class="trouble" role="alert">{recording.problem.message}</p>}
      {now && (
        <>
          <p role="status">
            {text.engine.states[now.state]}
            {now.startedAt !== null && now.seconds !== null && `: ${text.engine.since(moment(now.startedAt), now.seconds)}`}
            {now.state === 'stopped' && now.deletedAt !== null && `, ${text.engine.kept(moment(now.deletedAt))}`}
          </p>
          <form
            class="tools"
            onSubmit={event => {
              event.preventDefault();
              void order('api/v1/engine/recording', { seconds });
            }}
          >
            <label>
              {text.engine.length}{' '}
              <input
                type="number"
                min={1}
                max={now.mostSeconds}
                required
                value={seconds}
                onInput={event => setSeconds(event.currentTarget.valueAsNumber)}
              />
            </label>
            <button disabled={now.state === 'running'}>{text.engine.start}</button>
            <button type="button" disabled={now.state !== 'running'} onClick={() => void order('api/v1/engine/recording/stop')}>
              {text.engine.stop}
            </button>
            {now.state === 'stopped' && (
              <a href={`${base}api/v1/engine/recording/file`} download="stillwater.jfr">{text.engine.download}</a>
            )}
          </form>
        </>
      )}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
    </section>
  );
}

export function Engine() {
  const { search } = useRoute();
  const { administers } = useRoles();
  const live = useEngine(text.engine.lost);
  const asked = Number(search.get('seconds'));
  const seconds = WINDOWS.includes(asked) ? asked : WINDOWS[0]!;
  const { reading, trouble } = live;
  return (
    <section class="page" aria-label={text.pages.engine}>
      <form class="tools" onSubmit={event => event.preventDefault()}>
        <label>
          {text.engine.window}{' '}
          <select
            value={seconds}
            onChange={event => set({ seconds: event.currentTarget.value === String(WINDOWS[0]) ? '' : event.currentTarget.value })}
          >
            {WINDOWS.map(each => <option key={each} value={each}>{text.engine.windows[each]}</option>)}
          </select>
        </label>
        <span class="count engine-at">{reading && text.engine.at(moment(reading.at))}</span>
      </form>
      {trouble !== null && <p class="trouble" role="alert">{trouble}</p>}
      <div class="list engine" tabIndex={0} role="group" aria-label={text.pages.engine}>
        <Cpu live={live} seconds={seconds} />
        <Statements live={live} seconds={seconds} />
        <Memory live={live} seconds={seconds} />
        <Queues structures={reading?.structures ?? []} />
        <Reports skew={live.skew} />
        {administers && <Recording />}
      </div>
    </section>
  );
}
