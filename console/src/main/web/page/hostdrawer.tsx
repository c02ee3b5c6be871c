// A host in detail: its health, its certificate, and the plan of a drain as it continues.
import type { AuditEntries, Host, Operation, Operations } from 'stillwater';
import { useEffect, useRef, useState } from 'preact/hooks';
import { post, reason } from './api';
import { ended } from './definition';
import { EventRow } from './events';
import { FenceAgents } from './fence';
import { Confirm } from './groups';
import { usePolled } from './hooks';
import { Fact, Panel } from './panel';
import { useRoles } from './roles';
import { href, set } from './route';
import { moment, text, words } from './text';
import { TagList } from './tags';
import { tone } from './tone';
import { Beliefs, Explanation, useBeliefs } from './why';

const EVERY_MILLIS = 2000;
const LIST_MILLIS = 5000;
const MOST_MOVES = 200;
const MOST_DETAILED = 20;
const OPEN = new Set(['queued', 'running']);
const RANK = ['failed', 'running', 'queued', 'cancelled', 'succeeded'];

/** The last drain of the host, with where each VM goes. */
function Drain({ host }: { host: Host }) {
  const drains = usePolled<Operations>(`api/v1/operations?host=${host.id}&kind=drain&limit=1`, EVERY_MILLIS);
  const drain = drains.value?.items[0];
  const wanted = drain && (OPEN.has(drain.state) || host.status !== 'up') ? drain : undefined;
  const moves = usePolled<Operations>(wanted ? `api/v1/operations?batch=${wanted.id}&limit=${MOST_MOVES}` : '', EVERY_MILLIS);
  if (!wanted) return null;
  const all = (moves.value?.items ?? [])
    .filter(move => move.id !== wanted.id)
    .sort((a, b) => RANK.indexOf(a.state) - RANK.indexOf(b.state));
  return (
    <section aria-label={text.hostDetail.plan}>
      <h3>{text.hostDetail.plan}</h3>
      <p>
        <span class={`badge ${tone(wanted.state)}`}>{text.jobs.result[wanted.state] ?? wanted.state}</span> {wanted.failure?.reason ?? wanted.step}
      </p>
      <progress max={100} value={wanted.state === 'succeeded' ? 100 : wanted.progress} aria-label={text.hostDetail.plan} />
      <ul class="plain-list plan">
        {all.map(move => (
          <li key={move.id}>
            <span class={`badge ${tone(move.state)}`}>{text.jobs.result[move.state] ?? move.state}</span>{' '}
            <button type="button" class="link-like" onClick={() => set({ vm: move.vmId ?? '' }, false)}>{move.vmName ?? move.vmId}</button>{' '}
            {move.targetHostName !== null && `→ ${move.targetHostName} `}
            <span class="soft">{move.failure?.reason ?? move.step}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function CertificateView({ host, again }: { host: Host; again: () => void }) {
  const { administers } = useRoles();
  const [compared, setCompared] = useState('');
  const [trouble, setTrouble] = useState('');
  const { certificate } = host;
  const { refused } = certificate;
  const confirm = async (fingerprint: string) => {
    try {
      await post(`api/v1/hosts/${host.id}/certificate/confirm`, { fingerprint });
      setTrouble('');
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    }
    setCompared('');
    again();
  };
  return (
    <>
      <h3>{text.hostDetail.certificate}</h3>
      {refused && (
        <div class="trouble">
          <p>{text.hostDetail.refused(refused.why)}</p>
          <dl class="facts">
            <Fact name={text.hostDetail.subject} value={refused.subject} />
            <Fact name={text.addHost.names} value={refused.names} />
            <Fact name={text.hostDetail.until} value={moment(refused.notAfter)} />
          </dl>
          <p>{text.addHost.fingerprint} <code class="fingerprint">{refused.fingerprint}</code></p>
          {administers && (
            <>
              <label class="flag">
                <input
                  type="checkbox"
                  checked={compared === refused.fingerprint}
                  onChange={event => setCompared(event.currentTarget.checked ? refused.fingerprint : '')}
                />
                {text.addHost.compared}
              </label>
              <button type="button" disabled={compared !== refused.fingerprint} onClick={() => void confirm(refused.fingerprint)}>
                {text.hostDetail.accept}
              </button>
            </>
          )}
        </div>
      )}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <dl class="facts">
        <Fact name={text.hostDetail.binding} value={text.hostDetail.bindings[certificate.binding] ?? certificate.binding} />
        <Fact name={text.hostDetail.subject} value={certificate.subject} />
        <Fact name={text.hostDetail.since} value={certificate.since && moment(certificate.since)} />
      </dl>
      {certificate.fingerprint !== null && <p>{text.addHost.fingerprint} <code class="fingerprint">{certificate.fingerprint}</code></p>}
    </>
  );
}

const POWER = {
  fence: { path: 'fence', button: text.hostDetail.fence, title: text.hostDetail.fenceTitle, what: text.hostDetail.fenceWhat },
  rebooted: { path: 'confirm-rebooted', button: text.hostDetail.rebooted, title: text.hostDetail.rebootedTitle, what: text.hostDetail.rebootedWhat },
} as const;

/** Switches a host off and on, or accepts the user's confirmation that this was done. */
function PowerButtons({ host, tell }: { host: Host; tell: (told: string) => void }) {
  const [asked, setAsked] = useState<keyof typeof POWER | null>(null);
  const open = useRef(true);
  useEffect(() => () => {
    open.current = false;
  }, []);
  const run = async (wanted: keyof typeof POWER) => {
    const { path, button } = POWER[wanted];
    tell(text.hostDetail.working(button));
    try {
      const end = await ended(await post<Operation>(`api/v1/hosts/${host.id}/${path}`), () => open.current);
      if (open.current) tell(text.hostDetail.result(button, end.failure?.reason ?? end.step));
    } catch (failure) {
      if (open.current) tell(reason(failure, text.act.unreachable));
    }
  };
  return (
    <>
      <button type="button" onClick={() => setAsked('fence')}>{text.hostDetail.fence}</button>
      {host.status !== 'up' && <button type="button" onClick={() => setAsked('rebooted')}>{text.hostDetail.rebooted}</button>}
      {asked && (
        <Confirm
          title={POWER[asked].title(host.name)}
          what={POWER[asked].what(host.vms ?? 0)}
          button={POWER[asked].button}
          close={() => setAsked(null)}
          run={() => void run(asked)}
        />
      )}
    </>
  );
}

export function HostDrawer({ id }: { id: string }) {
  const host = usePolled<Host>(`api/v1/hosts/${id}`, EVERY_MILLIS);
  const vms = usePolled<{ items: { id: string; name: string; status: string }[]; total: number | null }>(
    `api/v1/vms?host=${id}&fields=id,name,status&sort=name&limit=${MOST_DETAILED}&total=true`, LIST_MILLIS);
  const events = usePolled<AuditEntries>(`api/v1/events?host=${id}&limit=${MOST_DETAILED}`, LIST_MILLIS);
  const beliefs = useBeliefs('hosts', id);
  const { administers } = useRoles();
  const [told, setTold] = useState('');
  const known = host.value;
  const isOfPool = known?.hypervisor === 'xapi';
  const order = async (action: 'refresh' | 'activate') => {
    try {
      await post(`api/v1/hosts/${id}/${action}`);
      setTold(text.hostDetail.ordered[action]);
    } catch (failure) {
      setTold(reason(failure, text.act.unreachable));
    }
    host.again();
  };
  const percent = (value: number | null) => (value === null ? null : text.hosts.percent(value));
  return (
    <Panel id={id} parameter="host" title={known?.name ?? null} status={known?.status ?? null}>
      {host.problem && <p class="trouble" role="alert">{host.problem.status === 404 ? text.hostDetail.gone : text.detail.unreachable}</p>}
      {known && (
        <>
          {known.reason !== null && <p class="trouble">{known.reason}</p>}
          <Explanation kind="hosts" id={id} />
          {administers && (
            <div class="actions">
              <button type="button" onClick={() => void order('refresh')}>{text.hostDetail.refresh}</button>
              {known.status !== 'up' && <button type="button" onClick={() => void order('activate')}>{text.hosts.activate}</button>}
              {!isOfPool && <PowerButtons host={known} tell={setTold} />}
            </div>
          )}
          {told !== '' && <p role="status">{told}</p>}
          <dl class="facts">
            <Fact name={text.hosts.address} value={`${known.address}:${known.port}`} />
            <Fact name={text.detail.hypervisor} value={text.detail.hypervisors[known.hypervisor] ?? known.hypervisor} />
            <Fact name={text.detail.since} value={moment(known.statusSince)} />
            <Fact name={text.hostDetail.lastPoll} value={known.lastPollAt && moment(known.lastPollAt)} />
            {known.cadence !== null && (
              <Fact name={text.hostDetail.interval} value={text.hostDetail.every(known.cadence.intervalMillis / 1000)} title={known.cadence.reason} />
            )}
            <Fact name={text.hosts.cpu} value={percent(known.usage.cpuPercent)} />
            <Fact name={text.hosts.memory} value={percent(known.usage.memoryPercent)} />
            <Fact name={text.hostDetail.network} value={percent(known.usage.networkPercent)} />
            <Fact name={text.hostDetail.committed} value={`${text.number(known.committedMemoryMebibytes)} MiB`} />
          </dl>
          <TagList kind="hosts" id={id} tags={known.tags} changed={host.again} />
          <Drain host={known} />
          <h3>{text.hosts.vms}</h3>
          <ul class="plain-list">
            {vms.value?.items.map(vm => (
              <li key={vm.id}>
                <button type="button" class="link-like" onClick={() => set({ vm: vm.id }, false)}>{vm.name}</button>{' '}
                <span class={`badge ${tone(vm.status)}`}>{words(vm.status)}</span>
              </li>
            ))}
            <li><a href={href('vms', { q: `host:"${known.name}"` })}>{text.hostDetail.allVms(vms.value?.total ?? known.vms)}</a></li>
          </ul>
          <CertificateView host={known} again={host.again} />
          {isOfPool ? <p class="soft">{text.hostDetail.ofPool}</p> : administers && <FenceAgents host={id} />}
          <h3>{text.detail.events}</h3>
          <ul class="plain-list">
            {events.value?.items.map(entry => <EventRow key={entry.id} entry={entry} />)}
            {events.value?.items.length === 0 && <li>{text.detail.none}</li>}
            {events.value && events.value.next !== null && <li><a href={href('events', { q: `host:${id}` })}>{text.detail.allEvents}</a></li>}
          </ul>
          <Beliefs kind="hosts" id={id} newest={beliefs} />
        </>
      )}
    </Panel>
  );
}
