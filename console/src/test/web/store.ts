// A list that is kept in order change by change is the one that is made of the same VMs at once. Ends with a fault if it is not.
import { naturalKey, naturalOrder } from '../../main/web/worker/names';
import { Store, type VmColumns, type VmMessage } from '../../main/web/worker/store';
import { type Host, MARKED, type Query } from '../../main/web/protocol';

const SEEDS = 8;
const STEPS = 800;
const STATUSES = ['up', 'down', 'paused', 'powering_up', 'unknown', 'suspended', 'image_illegal', 'migrating_from'];
const SORTS = ['trouble', 'name', 'status', 'host', 'cluster', 'tags', 'ip', 'fqdn', 'changed', 'cpu', 'age'];
const TAGS = [[], [], ['web'], ['db', 'web'], ['db'], ['Site 7', 'web2']];
const SEARCHES = [
  '', '', 'v', 'vm', 'vm-1', 'vm-12', '1', '12', '123', 'name:vm-1', 'name:vm-12', '-name:vm', 'ip:10.0.1', 'ip:10.0.2.0/24', 'status:up',
  'is:trouble', 'is:stale', 'is:selected', 'host-1', 'host-11', 'cluster:c1', 'cpuAbove:50', 'up', 'web*', 'fqdn:n1', 'fqdn:n12', 'x 1', 'no:key',
  'tag:web', '-tag:web', 'tag:web,db', 'tag:w*', '-tag:*', 'tag:"site 7"', 'we', 'web', 'withoutTag:web',
];

function fail(what: string): never {
  throw new Error(what);
}

function run(seed: number): void {
  let state = seed;
  const below = (most: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * most);
  };
  const pick = <T>(all: readonly T[]): T => all[below(all.length)]!;
  const name = () => pick([
    `vm-${below(300)}`, `Web${below(20)}-${below(9)}`, 'db', `db-${below(3)}-prod${below(12)}`, `x${below(1e9)}${below(1e6)}`, 'vm', 'vm-', 'VM-7',
    'vm-007', '7up', '42', `vm-${below(30)}.${below(5)}`,
  ]);
  let revision = 1;
  const hosts = Array.from({ length: 12 }, (_, i) => ({ id: `h${i}`, name: `host-${i}`, status: 'up' }) as Host);
  const vm = (id: string): VmMessage => ({
    id, name: name(), status: pick(STATUSES), hostId: below(4) > 0 ? pick(hosts).id : null, clusterId: `c${below(3)}`,
    guestIps: below(3) > 0 ? `10.0.${below(5)}.${below(255)}` : null, fqdn: below(2) > 0 ? `n${below(40)}.example` : null, tags: pick(TAGS),
    pauseStatus: pick(['none', 'eio', 'noerr']), exitStatus: pick(['normal', 'error']),
    observedAt: below(5) > 0 ? new Date(1e12 + below(1e6) * 1000).toISOString() : null, revision: revision++,
  }) as VmMessage;
  const store = new Store();
  hosts.forEach(host => store.putHost(host));
  const vms = new Map<string, VmMessage>();
  const usage = new Map<string, number>();
  const reported = new Map<string, number>();
  let query: Query = { search: '', sort: 'trouble', descending: false };

  const listOf = (of: Store) => Array.from({ length: of.matched }, (_, i) => of.idOf(of.slotAt(i)));
  const check = (step: number) => {
    store.rebuild();
    const fresh = new Store();
    hosts.forEach(host => fresh.putHost(host));
    for (const each of vms.values()) {
      fresh.put(each);
      fresh.setNumbers(each.id, usage.get(each.id) ?? -1, -1);
      fresh.setReported(each.id, reported.get(each.id) ?? 0);
    }
    const selected = new Set(store.selectedIds());
    fresh.rebuild();
    listOf(fresh).forEach((id, i) => selected.has(id) && fresh.select('toggle', i, id));
    fresh.setQuery(query);
    fresh.rebuild();
    const where = `seed ${seed}, step ${step}, ${JSON.stringify(query)}`;
    if (listOf(store).join() !== listOf(fresh).join()) fail(`${where}: the list is another`);
    const counts = (of: Store) => JSON.stringify([of.total, of.statusCounts().trouble, of.statusCounts().statuses.map(String).sort()]);
    if (counts(store) !== counts(fresh)) fail(`${where}: ${counts(store)} is not ${counts(fresh)}`);
  };

  for (let step = 0; step < STEPS; step++) {
    const what = below(100);
    const known = [...vms.keys()];
    if (step % 200 === 0) {
      const all = [...new Set([...known.filter(() => below(3) > 0), ...Array.from({ length: 150 }, () => `id-${below(5000)}`)])].map(vm);
      store.putEarly(vm('id-gone'));
      store.beginSnapshot();
      const columns: Record<string, unknown> = {};
      for (const key of Object.keys(all[0]!) as (keyof VmMessage)[]) {
        const values = all.map(each => each[key]);
        const different = [...new Set(values)];
        if (key === 'revision' || key === 'observedAt') {
          const numbers = values.map(value => (typeof value === 'string' ? Date.parse(value) : (value as number | null)));
          const least = Math.min(...numbers.filter(number => number !== null));
          columns[key] = { least, more: numbers.map(number => (number === null ? null : number - least)) };
          continue;
        }
        columns[key] = key !== 'id' && below(2) > 0 ? { values: different, at: values.map(value => different.indexOf(value)) } : values;
      }
      store.putColumns({ count: all.length, columns } as unknown as VmColumns);
      store.endSnapshot(new Set(hosts.map(host => host.id)));
      vms.clear();
      all.forEach(each => vms.set(each.id, each));
      for (const id of usage.keys()) if (!vms.has(id)) usage.delete(id);
      for (const id of reported.keys()) if (!vms.has(id)) reported.delete(id);
      check(step);
    } else if (what < 45 && known.length > 0) {
      const before = vms.get(pick(known))!;
      const next = vm(before.id);
      const part = Object.fromEntries(Object.entries(next).filter(([key]) => key === 'id' || key === 'revision' || below(3) === 0)) as VmMessage;
      store.put(part);
      vms.set(before.id, { ...before, ...part });
    } else if (what < 53) {
      const added = vm(`id-${below(5000)}`);
      store.put(added);
      vms.set(added.id, added);
    } else if (what < 60 && known.length > 0) {
      const id = pick(known);
      store.remove(id);
      vms.delete(id);
      usage.delete(id);
      reported.delete(id);
    } else if (what < 63) {
      const host = pick(hosts);
      host.status = pick(['up', 'non_responsive']) as Host['status'];
      if (below(5) === 0) host.name = `host-${below(99)}`;
      store.putHost(host);
    } else if (what < 80) {
      query = { search: pick(SEARCHES), sort: below(2) > 0 ? query.sort : pick(SORTS), descending: below(3) === 0 ? !query.descending : query.descending };
      store.setQuery(query);
      check(step);
    } else if (what < 83) {
      for (const id of known) {
        usage.set(id, below(100));
        store.setNumbers(id, usage.get(id)!, -1);
        reported.set(id, below(4) > 0 ? 1e12 + below(1e7) : 0);
        store.setReported(id, reported.get(id)!);
      }
    } else if (what < 88) {
      store.rebuild();
      store.select(pick(['only', 'toggle', 'range', 'all', 'none'] as const), below(50), '');
    } else {
      check(step);
    }
  }

  const names = Array.from({ length: 2000 }, name);
  const ids = names.map((_, i) => String(i).padStart(4, '0'));
  const slots = Uint32Array.from(names.keys());
  const keys = names.map(each => naturalKey(each));
  const wanted = [...slots].sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b));
  if (naturalOrder(slots, names, ids).join() !== wanted.join()) fail(`seed ${seed}: names are in another order`);
}

/** Tags are found whole, in any case, by patterns and by words, and a change of them moves a VM without a reload. */
function tags(): void {
  const store = new Store();
  const vm = (id: string, tags: string[], revision: number) => ({ id, name: id, status: 'up', tags, revision }) as VmMessage;
  store.put(vm('a', ['preprod', 'web'], 1));
  store.put(vm('b', ['Prod'], 2));
  store.put(vm('c', [], 3));
  const found = (search: string, sort = 'name') => {
    store.setQuery({ search, sort, descending: false });
    store.rebuild();
    return Array.from({ length: store.matched }, (_, i) => store.idOf(store.slotAt(i))).join('');
  };
  const expect = (what: string, is: string, wanted: string) => {
    if (is !== wanted) fail(`${what}: ${is} is not ${wanted}`);
  };
  for (const [search, wanted] of [
    ['tag:prod', 'b'], ['tag=PROD', 'b'], ['tag:*prod', 'ab'], ['tag:web,prod', 'ab'], ['-tag:web', 'bc'], ['-tag:*', 'c'], ['prod', 'ab'],
    ['tag:none', ''], ['tag:""', ''], ['prod -tag:web', 'b'],
  ] as const) expect(search, found(search), wanted);
  expect('sorted', found('', 'tags'), 'abc');
  expect('shown', store.row(0, 0).tags, 'preprod, web');
  const values = () => store.values('tag', 'pr', 8).map(each => `${each.value} ${each.count}`).join();
  expect('completed', values(), 'preprod 1,Prod 1');
  found('tag:prod');
  store.put({ id: 'c', tags: ['Prod'], revision: 4 } as VmMessage);
  store.put({ id: 'b', tags: [], revision: 5 } as VmMessage);
  store.put({ id: 'b', tags: ['Prod'], revision: 2 } as VmMessage); // older news
  if (!store.stale) fail('a change of tags changes nothing');
  store.rebuild();
  expect('after a change', store.idOf(store.slotAt(0)) + store.matched, 'c1');
  store.remove('c');
  store.put(vm('d', [], 6));
  expect('a slot that is used again', found('tag:prod'), '');
  expect('completed after all', values(), 'preprod 1');
}

/** A VM is found by its whole name, however many others have it in their texts. */
function exactNames(): void {
  const store = new Store();
  for (let i = 1; i <= 300; i++) store.put({ id: `id${i}`, name: `Web-9${i}`, status: 'up', tags: [], revision: i } as unknown as VmMessage);
  store.put({ id: 'exact', name: 'Web-9', status: 'up', tags: [], revision: 301 } as unknown as VmMessage);
  const found = store.find('web-9', 50);
  if (found[0]?.id !== 'exact' || found.length !== 50 || new Set(found.map(each => each.id)).size !== 50) fail('the VM of this name is not the first one found');
}

/** The age of data: the youngest first, the oldest first when it is reversed, and VMs without a report last in both directions. */
function ages(): void {
  const store = new Store();
  const now = 1e12;
  for (const id of ['young', 'old', 'none', 'middle']) store.put({ id, name: id, status: 'up', tags: [], revision: 1 } as unknown as VmMessage);
  const list = (descending: boolean) => {
    store.setQuery({ search: '', sort: 'age', descending });
    store.rebuild();
    return Array.from({ length: store.matched }, (_, i) => store.idOf(store.slotAt(i))).join(' ');
  };
  store.setReported('young', now - 1000);
  store.setReported('old', now - 90_000);
  store.setReported('middle', now - 20_000);
  store.setReported('none', 0);
  if (list(false) !== 'young middle old none') fail(`by age: ${list(false)}`);
  if (list(true) !== 'old middle young none') fail(`by age, reversed: ${list(true)}`);
  if (store.row(0, now).age !== 90_000 || store.row(3, now).age !== -1) fail(`ages: ${store.row(0, now).age}, ${store.row(3, now).age}`);
  store.setUsage('old', { cpu: 1, memory: 1, history: [], age: 500, stale: false, at: now + 15_000 });
  store.setReported('young', now + 14_000);
  if (list(false) !== 'old young middle none') fail(`after a look at a visible VM: ${list(false)}`);
  store.setQuery({ search: '', sort: 'name', descending: false });
  store.rebuild();
  if (store.row(0, now).age !== -1) fail('an age that is read no more is shown');
}

/** Filters of the engine find nothing before its answer, and what it has answered afterwards. */
function engineFilters(): void {
  const store = new Store();
  const vm = (id: string, tags: string[] = []) => ({ id, name: `n-${id}`, status: 'up', tags, guestIps: `10.0.0.${id} fe80::${id}`, revision: 1 }) as VmMessage;
  for (const id of ['1', '2', '3']) store.put(vm(id, id === '3' ? ['web'] : []));
  const found = (search: string) => {
    store.setQuery({ search, sort: 'name', descending: false });
    store.rebuild();
    return Array.from({ length: store.matched }, (_, i) => store.idOf(store.slotAt(i))).join('');
  };
  const expect = (what: string, is: string, wanted: string) => {
    if (is !== wanted) fail(`${what}: ${is} is not ${wanted}`);
  };
  expect('before the answer', found('-hypervisor:xapi'), '');
  expect('filters', store.filters.join(), 'hypervisor=xapi');
  store.setAnswer('hypervisor=xapi', ['2', 'gone']);
  store.setAnswer('networkAbove=5', ['1']); // of an earlier search
  expect('the opposite', found('-hypervisor:xapi'), '13');
  expect('with words', found('hypervisor:xapi n-'), '2');
  expect('another one', found('hypervisor:xapi networkAbove:5'), '');
  store.setAnswer('networkAbove=5', ['1', '2']);
  expect('both', found('hypervisor:xapi networkAbove:5'), '2');
  store.remove('2');
  store.put(vm('4'));
  expect('a slot that is used again', found('hypervisor:xapi'), '');
  for (let i = 0; i < 5000; i++) store.put(vm(`x${i}`));
  store.setAnswer('hypervisor=xapi', ['x4999']);
  expect('after growth', found('hypervisor:xapi'), 'x4999');
  expect('forgotten with the search', found('') && found('hypervisor:xapi'), '');
  expect('without tags', String(found('name:n-3 withoutTag:web') + found('name:n-1 withoutTag:*')), '1');
  const values = (key: string, part: string) => store.values(key, part, 2).map(each => each.value).join();
  expect('choices', values('highlyAvailable', '') + values('hypervisor', 'x'), 'true,falsexapi');
  if (found('highlyAvailable:maybe') !== '' || store.error?.kind !== 'choice') fail(`a wrong choice is taken: ${JSON.stringify(store.error)}`);
}

/** All that match are selected by the interface's filter, where it has one that matches the same. */
function filtersOfSelections(): void {
  const store = new Store();
  for (const id of ['h1', 'h11', 'h2']) store.putHost({ id, name: `host-${id.slice(1)}`, status: 'up' } as Host);
  store.clusterNames.set('c1', 'North');
  const vm = (id: string, status: string, hostId: string) => ({ id, name: `n-${id}`, status, hostId, clusterId: 'c1', tags: ['web'], revision: 1 }) as unknown as VmMessage;
  store.put(vm('1', 'up', 'h1'));
  store.put(vm('2', 'powering_up', 'h11'));
  store.put(vm('3', 'down', 'h2'));
  const search = (words: string) => {
    store.setQuery({ search: words, sort: 'name', descending: false });
    store.rebuild();
  };
  const expect = (what: string, wanted: unknown) => {
    if (JSON.stringify(store.selectedBy) !== JSON.stringify(wanted)) fail(`${what}: ${JSON.stringify(store.selectedBy)} is not ${JSON.stringify(wanted)}`);
  };
  for (const [words, wanted] of [
    ['', { name: '*' }], ['name:N-', { name: 'n-' }], ['name:n-? tag:web', { name: 'n-?', tag: 'web' }], ['withoutTag:db', { withoutTag: 'db' }],
    ['status:up', { status: 'up' }], ['status:up,powering-up', { status: 'up,powering_up' }], ['status:pow', null], ['status:up,pow', null],
    ['host:host-1', { host: 'h1,h11' }], ['cluster:nor', { cluster: 'c1' }], ['host:elsewhere', null], ['fqdn:*', null], ['n-1', null],
    ['-name:n-1', null], ['name:n- name:1', null], ['is:running', null], ['cpuBelow:50', null], ['stale:false', null], ['id:1', null], ['name:n-1 up', null],
    ['no:key', null],
  ] as const) {
    store.select('none', -1, '');
    search(words);
    store.select('all', -1, '');
    expect(`all of "${words}"`, wanted);
  }
  search('name:n-1');
  store.select('all', -1, '');
  search('name:n-2');
  store.select('all', -1, '');
  expect('with another selected before', null);
  store.select('none', -1, '');
  store.select('all', -1, '');
  expect('all again', { name: 'n-2' });
  search('name:n-3');
  expect('after another search', { name: 'n-2' });
  store.select('toggle', -1, '3');
  expect('with one more', null);
}

/** The map has the values of its metric by their largest one, and marks selected VMs. */
function metrics(): void {
  const store = new Store();
  for (const id of ['a', 'b', 'c']) store.put({ id, name: id, status: 'up', tags: [], revision: 1 } as unknown as VmMessage);
  store.rebuild();
  store.setMetric([['a', 5], ['b', 50], ['gone', 500]]);
  store.select('toggle', -1, 'b');
  const { colours, most, slots } = store.map('diskRead');
  if (most !== 50 || [...colours].join() !== `17,${26 + MARKED},15`) fail(`the map's colours up to ${most}: ${[...colours].join()}`);
  if (store.mapVm(slots[1]!, 'diskRead')?.value !== 50 || store.mapVm(slots[2]!, 'diskRead')?.value !== null) fail('a cell has another value');
  if (store.map('network').most !== 100 || store.map('status').most !== 0) fail('the scale is another');
}

engineFilters();
filtersOfSelections();
metrics();
tags();
exactNames();
ages();
for (let seed = 1; seed <= SEEDS; seed++) run(seed);
