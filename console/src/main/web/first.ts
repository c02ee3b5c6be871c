// Values of VMs in a list with ages, for the page and its worker.
import { reasonOf, sparkline } from './trouble';
import type { Row } from './protocol';

interface Aged<T> {
  value: T | null;
  ageSeconds: number | null;
  state: 'current' | 'stale' | 'unknown';
}

/** The usage of a VM in a list. */
export interface LookedAt {
  id: Aged<string>;
  status: Aged<string>;
  statistics: { usageCpuPercent: Aged<number>; usageMemoryPercent: Aged<number>; cpuHistory: Aged<number[]> };
}

type Texts = 'name' | 'hostId' | 'hostName' | 'clusterId' | 'clusterName' | 'guestIps' | 'fqdn' | 'pauseStatus' | 'exitStatus' | 'observedAt';

/** A VM in the first list. */
export type FirstVm = LookedAt & Record<Texts, Aged<string>> & { tags: Aged<string[]>; revision: Aged<number> };

/** The first VMs in the usual order. */
export interface FirstVms {
  items: FirstVm[];
  total: number | null;
}

export const cpuOf = ({ statistics: { usageCpuPercent: { state, value } } }: LookedAt): number => (state === 'current' ? value ?? -1 : -1);
export const memoryOf = ({ statistics: { usageMemoryPercent: { state, value } } }: LookedAt): number => (state === 'current' ? value ?? -1 : -1);
/** Milliseconds; -1 if it is not known. */
export const ageOf = ({ status: { ageSeconds } }: LookedAt): number => (ageSeconds === null ? -1 : ageSeconds * 1000);

/** A row of the list of VMs. */
export function rowOf(vm: FirstVm, index: number): Row {
  const status = vm.status.value ?? '';
  return {
    index,
    id: vm.id.value ?? '',
    name: vm.name.value ?? '',
    status,
    reason: reasonOf(status, vm.pauseStatus.value ?? '', vm.exitStatus.value ?? ''),
    stale: vm.status.state === 'stale' ? 'late' : '',
    hostId: vm.hostId.value ?? '',
    host: vm.hostName.value ?? '',
    cluster: vm.clusterName.value ?? '',
    ips: vm.guestIps.value ?? '',
    fqdn: vm.fqdn.value ?? '',
    tags: (vm.tags.value ?? []).join(', '),
    changedAt: vm.observedAt.value === null ? 0 : Date.parse(vm.observedAt.value),
    age: ageOf(vm),
    cpu: cpuOf(vm),
    memory: memoryOf(vm),
    spark: sparkline(vm.statistics.cpuHistory.value ?? []),
    selected: false,
  };
}
