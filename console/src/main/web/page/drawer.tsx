import type { AuditEntries, Operations, Vm, VmNuma } from 'stillwater';
import { ACTIONS, act } from './actions';
import { VmCharts } from './charts';
import { ConsoleButton, EditButton, Versions } from './definition';
import { Devices, type Statistics } from './devices';
import { EventRow } from './events';
import { Guest } from './guest';
import { useHosts, usePolled } from './hooks';
import { useRoles } from './roles';
import { Fact, Panel } from './panel';
import { go, href } from './route';
import { TagList } from './tags';
import { ago, moment, text, words } from './text';
import { tone } from './tone';
import { beginOf, Beliefs, Explanation, useBeliefs } from './why';

const STATE_MILLIS = 2000;
const LIST_MILLIS = 5000;
/** Why the VM is as it is, in a sentence; null if nothing needs an explanation. */
function explanation(vm: Vm): string | null {
  if (vm.status === 'paused' && vm.pauseStatus && text.pauseReasons[vm.pauseStatus]) return text.pauseReasons[vm.pauseStatus]!;
  if (vm.status === 'unknown') return text.pauseReasons['unknown']!;
  if (vm.status === 'not_responding') return text.pauseReasons['not_responding']!;
  if (vm.status === 'down' && vm.exitStatus === 'error') return vm.exitMessage || (vm.exitReason ? words(vm.exitReason) : text.pauseReasons['exit']!);
  return null;
}

export function Drawer({ id }: { id: string }) {
  const path = `api/v1/vms/${id}`;
  const vm = usePolled<Vm>(path, STATE_MILLIS);
  const statistics = usePolled<Statistics>(`${path}/statistics`, LIST_MILLIS);
  const numa = usePolled<VmNuma>(`${path}/numa`, LIST_MILLIS);
  const events = usePolled<AuditEntries>(`api/v1/events?vm=${id}&limit=20`, LIST_MILLIS);
  const operations = usePolled<Operations>(`api/v1/operations?vm=${id}&limit=10`, LIST_MILLIS);
  const beliefs = useBeliefs('vms', id);
  const hosts = useHosts();
  const { operates } = useRoles();

  const known = vm.value;
  const host = known?.hostId ? hosts.find(each => each.id === known.hostId) : undefined;
  const why = known ? explanation(known) : null;
  const begin = known ? beginOf(beliefs.value?.items ?? [], known.status) : null;
  return (
    <Panel id={id} parameter="vm" title={known?.name ?? null} status={known?.status ?? null}>
      {vm.problem && <p class="trouble" role="alert">{vm.problem.status === 404 ? text.detail.gone : text.detail.unreachable}</p>}
      {known && (
        <>
          {why !== null && <p class="trouble">{why}</p>}
          <Explanation kind="vms" id={id} />
          {operates && (
            <div class="actions">
              {ACTIONS.map(action => (
                <button key={action} type="button" onClick={() => act(action, [known.id])}>
                  {text.actions[action]}
                </button>
              ))}
              <ConsoleButton vm={known} />
              <EditButton vm={known} />
            </div>
          )}
          <dl class="facts">
            <Fact
              name={text.detail.statusSince}
              value={begin && (begin.isOlder ? text.detail.sinceBefore : text.detail.sinceTime)(moment(begin.at), ago(Date.now() - Date.parse(begin.at)))}
            />
            <Fact name={text.detail.reason} value={begin?.because ?? null} />
            <Fact
              name={text.detail.since}
              value={known.observedAt && `${ago(Date.now() - Date.parse(known.observedAt))}`}
              title={moment(known.observedAt)}
            />
            <Fact name={text.detail.host} value={host?.name ?? known.hostId} />
            <Fact name={text.detail.migratingTo} value={hosts.find(each => each.id === known.migratingToHostId)?.name ?? known.migratingToHostId} />
            <Fact name={text.detail.ips} value={known.guestIps} />
            <Fact name={text.detail.fqdn} value={known.fqdn} />
            <Fact name={text.detail.os} value={known.guestOs} />
            <Fact name={text.detail.cpus} value={text.number(known.cpus ?? 0)} />
            <Fact name={text.detail.memory} value={`${text.number(known.memoryMebibytes ?? 0)} MiB`} />
            <Fact name={text.detail.numa} value={numa.value?.items.map(node => text.detail.numaNode(node.index, node.hostNodes)).join('; ') ?? null} />
            <Fact name={text.detail.started} value={known.lastStartAt && moment(known.lastStartAt)} />
            <Fact name={text.detail.stopped} value={known.lastStopAt && moment(known.lastStopAt)} />
            <Fact name={text.detail.exit} value={known.exitMessage} />
            <Fact name={text.detail.hypervisor} value={text.detail.hypervisors[known.hypervisor] ?? known.hypervisor} />
            <Fact
              name={text.detail.claims}
              value={known.claims.map(claim => hosts.find(each => each.id === claim.hostId)?.name ?? claim.hostId).join(', ')}
            />
            <Fact name={text.detail.id} value={known.id} />
          </dl>
          <TagList kind="vms" id={known.id} tags={known.tags} changed={vm.again} />
          <VmCharts id={id} />
          <Guest vm={known} disksUsage={statistics.value?.disksUsage ?? null} />
          <Devices id={id} statistics={statistics.value} />
          <h3>{text.detail.events}</h3>
          <ul class="plain-list">
            {events.value?.items.map(entry => <EventRow key={entry.id} entry={entry} />)}
            {events.value?.items.length === 0 && <li>{text.detail.none}</li>}
            {events.value && events.value.next !== null && <li><a href={href('events', { q: `vm:${known.id}` })}>{text.detail.allEvents}</a></li>}
          </ul>
          <Beliefs kind="vms" id={id} newest={beliefs} />
          {operations.value && (
            <>
              <h3>{text.detail.operations}</h3>
              <ul class="plain-list">
                {operations.value.items.map(each => (
                  <li key={each.id}>
                    <time dateTime={each.createdAt}>{moment(each.createdAt)}</time> <b>{words(each.kind)}</b>{' '}
                    <span class={`badge ${tone(each.state)}`}>{each.state}</span> {each.failure?.reason ?? each.step}
                  </li>
                ))}
                {operations.value.items.length === 0 && <li>{text.detail.none}</li>}
              </ul>
            </>
          )}
          <Versions id={id} />
          {host && (
            <p>
              <button type="button" onClick={() => go(href('vms', { q: `host:"${host.name}"`, vm: known.id }))}>
                {host.name}
              </button>
            </p>
          )}
        </>
      )}
    </Panel>
  );
}
