// Searches before the first one of a user.
import type { Host } from '../protocol';
import { Store, type VmMessage } from './store';

const VMS = 300;
const ROUNDS = 30; // a browser compiles code that has run often
const ROWS = 60;
const SEARCHES = [['1', 'trouble'], ['12', 'trouble'], ['123', 'trouble'], ['2', 'name'], ['', 'ip'], ['', 'trouble']] as const;

/**
 * Searches and sorts made-up VMs as a user does, a step at each turn. Code that has never run takes some ten times as long: a user's first
 * keys would wait for it.
 */
export function* rehearsal(): Generator<void, void> {
  const store = new Store();
  store.putHost({ id: 'h', name: 'host-1', status: 'up' } as Host);
  for (let i = 0; i < VMS; i++) {
    store.put({
      id: `${i}-`.repeat(6), name: `vm-${i}`, status: i % 9 === 0 ? 'paused' : 'up', hostId: 'h', clusterId: 'c', guestIps: `10.0.${i >> 8}.${i & 255}`,
      fqdn: null, tags: [], pauseStatus: 'none', exitStatus: 'normal', observedAt: null, revision: i,
    } satisfies VmMessage);
    if (i % 100 === 0) yield;
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [search, sort] of SEARCHES) {
      store.put({ id: `${round}-`.repeat(6), status: 'down', revision: VMS + round } as VmMessage);
      store.rebuild();
      store.setQuery({ search, sort, descending: false });
      store.rebuild();
      for (let i = 0; i < Math.min(ROWS, store.matched); i++) store.row(i, 0);
      yield;
    }
  }
}
