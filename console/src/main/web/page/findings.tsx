// Regressions that the engine found, and the evidence of each.
import type { Finding, FindingChange, FindingDetails, FindingEvidence, Findings as FindingList } from 'stillwater';
import { useMemo, useState } from 'preact/hooks';
import { post, reason, remove } from './api';
import { BenchmarkEvidence, cellOf } from './benchmarks';
import { usePolled } from './hooks';
import { Acknowledge, SilenceFor } from './know';
import { Fact, Panel } from './panel';
import { useRoles } from './roles';
import { href, set, useRoute } from './route';
import { ago, moment, text, words } from './text';
import { seconds, TimeChart } from './timechart';
import { tone } from './tone';

const EVERY_MILLIS = 5000;
const CLUSTERS_MILLIS = 60_000;
const MOST = 1000; // the default of stillwater.regressions.max-findings
const MOST_MEMBERS = 100;
const HEIGHT = 190;
const STATES = ['open', 'ended', 'all'];
const LEVELS = ['vm', 'disk', 'interface', 'host', 'storage-path', 'storage-domain', 'cluster'];
const ORDERS = ['newest', 'impact'];

const metricName = (metric: string) => text.findings.metrics[metric] ?? metric;
const levelName = (level: string) => text.findings.levels[level] ?? words(level);
const changeText = (change: FindingChange) => text.findings.changed(metricName(change.metric), change.changePercent, change.lowPercent, change.highPercent);

/** The begin with the larger half of its interval. */
function beginText({ begin, earliest, latest }: Finding): string {
  const around = Math.max(Date.parse(begin) - Date.parse(earliest), Date.parse(latest) - Date.parse(begin));
  return text.findings.beginAt(moment(begin), around > 0 ? ago(around) : '');
}

/** Those on most VMs first; among as many, the larger loss where it has the same unit. */
function byImpact(a: Finding, b: Finding): number {
  const [first, second] = [a.changes[0], b.changes[0]];
  const comparable = first && second && first.impactUnit === second.impactUnit;
  return b.vms - a.vms || (comparable ? Math.abs(second.impact) - Math.abs(first.impact) : 0) || b.begin.localeCompare(a.begin);
}

const impactText = ({ vms, changes: [change] }: Finding) =>
  [text.findings.vms(vms), ...(change ? [text.findings.loss(change.impact, change.impactUnit)] : [])].join(', ');

const chosen = (search: URLSearchParams, name: string, values: string[]) => {
  const value = search.get(name) ?? '';
  return values.includes(value) ? value : values[0]!;
};

export function Findings() {
  const { search } = useRoute();
  const clusters = usePolled<{ items: { id: string; name: string }[] }>('api/v1/clusters', CLUSTERS_MILLIS);
  const state = chosen(search, 'state', STATES);
  const order = chosen(search, 'order', ORDERS);
  const level = search.get('level') ?? '';
  const cluster = search.get('cluster') ?? '';
  const query = new URLSearchParams({
    limit: String(MOST), ...(state === 'all' ? {} : { state }), ...(level === '' ? {} : { level }), ...(cluster === '' ? {} : { cluster }),
  });
  const findings = usePolled<FindingList>(`api/v1/findings?${query}`, EVERY_MILLIS);
  const rows = useMemo(() => (order === 'impact' ? [...(findings.value?.items ?? [])].sort(byImpact) : findings.value?.items ?? []), [findings.value, order]);
  const levels = [...new Set([...LEVELS, ...rows.map(row => row.level), ...(level === '' ? [] : [level])])];
  const open = search.get('vm') || search.get('host') ? null : search.get('finding');
  const choose = (name: string, first: string) => (event: Event) => {
    const { value } = event.currentTarget as HTMLSelectElement;
    set({ [name]: value === first ? '' : value });
  };
  return (
    <>
      <section class="page findings" aria-label={text.pages.findings}>
        <form class="tools" onSubmit={event => event.preventDefault()}>
          <label>
            {text.findings.state}{' '}
            <select name="state" value={state} onChange={choose('state', STATES[0]!)}>
              {STATES.map(each => <option key={each} value={each}>{text.findings.states[each]}</option>)}
            </select>
          </label>
          <label>
            {text.findings.level}{' '}
            <select name="level" value={level} onChange={choose('level', '')}>
              <option value="">{text.findings.anyLevel}</option>
              {levels.map(each => <option key={each} value={each}>{levelName(each)}</option>)}
            </select>
          </label>
          <label>
            {text.findings.cluster}{' '}
            <select name="cluster" value={cluster} onChange={choose('cluster', '')}>
              <option value="">{text.findings.anyCluster}</option>
              {clusters.value?.items.map(each => <option key={each.id} value={each.id}>{each.name}</option>)}
            </select>
          </label>
          <label title={text.findings.orderHint}>
            {text.findings.order}{' '}
            <select name="order" value={order} onChange={choose('order', ORDERS[0]!)}>
              {ORDERS.map(each => <option key={each} value={each}>{text.findings.orders[each]}</option>)}
            </select>
          </label>
          <span class="count" role="status">
            {findings.value && (findings.value.total > rows.length ? text.findings.shown(rows.length, findings.value.total) : text.findings.some(rows.length))}
          </span>
        </form>
        {findings.problem && <p class="trouble" role="alert">{findings.problem.message}</p>}
        <div class="list" tabIndex={0} role="group" aria-label={text.findings.grid}>
          <table class="cards">
            <thead>
              <tr>
                <th scope="col">{text.findings.object}</th>
                <th scope="col">{text.findings.state}</th>
                <th scope="col">{text.findings.change}</th>
                <th scope="col">{text.findings.begin}</th>
                <th scope="col">{text.findings.impact}</th>
                <th scope="col">{text.findings.coincides}</th>
                <th scope="col">{text.findings.known}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(row => (
                <tr key={row.id}>
                  <th scope="row">
                    <button type="button" class="link-like" onClick={() => set({ finding: row.id }, false)}>{row.objectName}</button>
                  </th>
                  <td><span class={`badge ${tone(row.state)}`}>{text.findings.states[row.state] ?? row.state}</span></td>
                  <td>{row.changes[0] && changeText(row.changes[0])}</td>
                  <td><time dateTime={row.begin}>{beginText(row)}</time></td>
                  <td>{impactText(row)}</td>
                  <td title={text.findings.proof}>{row.coincidences[0]?.text}</td>
                  <td>{row.acknowledged?.by}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {findings.value && rows.length === 0 && <p class="nothing">{text.findings.none}</p>}
        </div>
      </section>
      {open && <FindingPanel key={open} id={open} changed={findings.again} />}
    </>
  );
}

/** The points of all members of one metric on the times of all of them. */
function aligned(evidence: FindingEvidence[]) {
  const all = evidence.map(each => {
    const [first, step, times] = [seconds(each.first), stepSeconds(each.step), each.times.map(seconds)];
    return new Map(each.values.map((value, i) => [Math.round(times[i] ?? first + i * step), value]));
  });
  const at = [...new Set(all.flatMap(each => [...each.keys()]))].sort((a, b) => a - b);
  return { at, lines: evidence.map((each, i) => ({ label: each.name, values: at.map(time => all[i]!.get(time) ?? null) })) };
}

/** Restarts and migrations within the shown time, each once though several metrics have it. */
function marksOf(evidence: FindingEvidence[]): string[] {
  const all = evidence.flatMap(each =>
    each.marks.map(mark => {
      const at = seconds(each.first) + mark.position * stepSeconds(each.step);
      return { at, line: text.findings.mark(moment(new Date(at * 1000).toISOString()), each.name, mark.kind) };
    }),
  );
  return [...new Set(all.sort((a, b) => a.at - b.at).map(each => each.line))];
}

/** An ISO 8601 duration of days, hours, minutes and seconds. */
function stepSeconds(step: string): number {
  const [, days = '0', hours = '0', minutes = '0', rest = '0'] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(step) ?? [];
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(rest);
}

function Evidence({ finding, change, evidence }: { finding: Finding; change: FindingChange; evidence: FindingEvidence[] }) {
  const { at, lines } = useMemo(() => aligned(evidence), [evidence]);
  const name = metricName(change.metric);
  return (
    <TimeChart
      title={text.findings.chart(name, change.unit)}
      label={text.findings.chartLabel(name, change.before, change.after, change.unit, moment(finding.begin))}
      at={at}
      lines={lines}
      most={null}
      height={HEIGHT}
      begin={{ at: seconds(finding.begin), from: seconds(finding.earliest), to: seconds(finding.latest) }}
    />
  );
}

function Change({ change }: { change: FindingChange }) {
  return (
    <>
      <h3>{changeText(change)}</h3>
      <dl class="facts">
        <Fact name={text.findings.levelsOf} value={text.findings.fromTo(change.before, change.after, change.unit)} />
        <Fact name={text.findings.impact} value={text.findings.loss(change.impact, change.impactUnit)} />
        <Fact name={text.findings.confidence} value={text.findings.percent(change.confidence)} />
      </dl>
    </>
  );
}

function FindingPanel({ id, changed }: { id: string; changed: () => void }) {
  const details = usePolled<FindingDetails>(`api/v1/findings/${id}`, EVERY_MILLIS);
  const { operates } = useRoles();
  const [asked, setAsked] = useState<'known' | 'silent' | null>(null);
  const [told, setTold] = useState('');
  const finding = details.value?.finding ?? null;
  const again = () => {
    details.again();
    changed();
  };
  const run = (work: () => Promise<unknown>, done: string) => {
    work().then(() => setTold(done), (failure: unknown) => setTold(reason(failure, text.act.unreachable))).finally(again);
  };
  const path = `api/v1/findings/${id}`;
  const all = details.value?.evidence ?? [];
  const earlier = Math.max(0, ...all.map(each => each.readBack));
  const marks = marksOf(all);
  const points =
    finding === null || all.length === 0 ? (
      <p class="soft">{text.findings.noEvidence}</p>
    ) : (
      <div class="charts evidence">
        {finding.changes.map(change => {
          const evidence = all.filter(each => each.metric === change.metric);
          return evidence.length > 0 && <Evidence key={change.metric} finding={finding} change={change} evidence={evidence} />;
        })}
        <p class="soft">{text.findings.legend}{earlier > 0 && ` ${text.findings.readBack(earlier)}`}</p>
        {marks.length > 0 && (
          <ul class="soft" aria-label={text.findings.marks}>
            {marks.map(line => <li key={line}>{line}</li>)}
          </ul>
        )}
      </div>
    );
  return (
    <Panel id={id} parameter="finding" title={finding?.objectName ?? null} status={finding?.state ?? null}>
      {details.problem && (
        <p class="trouble" role="alert">{details.problem.status === 404 ? text.findings.gone : details.problem.message}</p>
      )}
      {finding && details.value && (
        <>
          <div class="tools">
            {finding.vmId && <button type="button" onClick={() => set({ vm: finding.vmId! }, false)}>{text.palette.vm}</button>}
            {finding.hostId && <button type="button" onClick={() => set({ host: finding.hostId! }, false)}>{text.palette.host}</button>}
            {cellOf(finding.object) && <a href={href('benchmarks', { of: cellOf(finding.object)!.of })}>{text.findings.matrix}</a>}
            {operates && (
              <>
                {finding.acknowledged === null ? (
                  <button type="button" onClick={() => setAsked('known')}>{text.know.acknowledge}</button>
                ) : (
                  <button type="button" onClick={() => run(() => remove(`${path}/acknowledge`), text.know.forgotten(finding.objectName))}>{text.know.forget}</button>
                )}
                {finding.silencedUntil === null ? (
                  <button type="button" onClick={() => setAsked('silent')}>{text.know.silence}</button>
                ) : (
                  <button type="button" onClick={() => run(() => post(`${path}/silence`, { minutes: 0 }), text.know.unsilenced(finding.objectName))}>
                    {text.know.unsilence}
                  </button>
                )}
              </>
            )}
            <span class="count" role="status">{told}</span>
          </div>
          <dl class="facts">
            <Fact name={text.findings.level} value={levelName(finding.level)} />
            <Fact name={text.findings.begin} value={beginText(finding)} />
            <Fact name={text.findings.interval} value={text.charts.zoomed(moment(finding.earliest), moment(finding.latest))} />
            <Fact name={text.findings.detected} value={moment(finding.detectedAt)} />
            <Fact
              name={text.findings.ended}
              value={finding.endedAt && `${moment(finding.endedAt)}: ${text.findings.endings[finding.ending ?? ''] ?? finding.ending}`}
            />
            <Fact name={text.findings.impact} value={impactText(finding)} />
            <Fact
              name={text.findings.known}
              value={finding.acknowledged && text.know.by(finding.acknowledged.by, moment(finding.acknowledged.at), finding.acknowledged.comment)}
            />
            <Fact name={text.findings.silencedUntil} value={finding.silencedUntil && moment(finding.silencedUntil)} />
          </dl>
          {finding.changes.map(change => <Change key={change.metric} change={change} />)}
          <h3>{text.findings.evidence}</h3>
          {cellOf(finding.object)?.cell ? <BenchmarkEvidence finding={finding} otherwise={points} /> : points}
          <h3>{text.findings.coincides}</h3>
          {finding.coincidences.length === 0 ? <p class="soft">{text.findings.noCoincidence}</p> : (
            <>
              <ul class="plain-list coincidences">
                {finding.coincidences.map(each => (
                  <li key={`${each.at} ${each.text}`}>
                    <b>{each.text}</b> <time dateTime={each.at}>{moment(each.at)}</time>, {text.findings.share(each.share)}
                  </li>
                ))}
              </ul>
              <p class="soft">{text.findings.proof}</p>
            </>
          )}
          <h3>{text.findings.members}: {text.findings.memberCount(finding.memberCount)}</h3>
          <ul class="plain-list members">
            {details.value.members.slice(0, MOST_MEMBERS).map(each => <li key={each.object}>{each.name}</li>)}
            {finding.memberCount > MOST_MEMBERS && <li class="soft">{text.findings.more(finding.memberCount - MOST_MEMBERS)}</li>}
          </ul>
        </>
      )}
      {asked === 'known' && finding && (
        <Acknowledge
          name={finding.objectName}
          close={() => setAsked(null)}
          send={async comment => {
            await post(`${path}/acknowledge`, { comment });
            setAsked(null);
            setTold(text.know.acknowledged(finding.objectName));
            again();
          }}
        />
      )}
      {asked === 'silent' && finding && (
        <SilenceFor
          name={finding.objectName}
          reason={false}
          close={() => setAsked(null)}
          send={async minutes => {
            await post(`${path}/silence`, { minutes });
            setAsked(null);
            setTold(text.know.silenced(finding.objectName));
            again();
          }}
        >
          <p class="soft">{text.know.noEvents}</p>
        </SilenceFor>
      )}
    </Panel>
  );
}
