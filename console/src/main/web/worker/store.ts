import type { VmRow } from 'stillwater';
import type { Found, Host, MapData, Query, Row, Suggestion } from '../protocol';
import { Dictionary } from './dictionary';
import { ipv4Key, naturalKey, networkTest, ranks } from './names';
import { anyTest, NUMBERS, parse, STATES, statusMatches, type Term, textTest } from './query';

/** A VM as the stream tells it; a change has only the members that changed. */
export type VmMessage = { id: string } & Pick<
  VmRow,
  'name' | 'status' | 'hostId' | 'clusterId' | 'guestIps' | 'fqdn' | 'pauseStatus' | 'exitStatus' | 'observedAt' | 'revision'
>;

/** What a look at the visible VMs found out about them. */
export interface Usage {
  cpu: number;
  memory: number;
  history: number[];
  /** Milliseconds; -1 if not known. */
  age: number;
  stale: boolean;
  /** When this was asked, milliseconds since the epoch. */
  at: number;
}

const BAD = new Set(['unknown', 'not_responding', 'image_illegal']);
const RUNNING = new Set([
  'up', 'powering_up', 'paused', 'migrating_from', 'migrating_to', 'unknown', 'not_responding', 'wait_for_launch',
  'reboot_in_progress', 'saving_state', 'restoring_state', 'powering_down',
]);
const ERRORS = new Set(['eother', 'eio', 'enospc', 'eperm']);
const HOST_CURRENT = new Set(['up', 'preparing_for_maintenance']);

/** Ranks of trouble, the worst first. */
export const RANK = { bad: 0, paused: 1, stale: 2, failed: 3, changing: 4, up: 5, suspended: 6, down: 7 } as const;
const FIRST_WELL = RANK.changing;

const SLOT_BITS = 2 ** 21; // room for two million names below the primary key of a sort
// Of a primary key. One more is that of what is unknown: with a name below it, it still is a number of 53 bits, of which none is lost.
const MOST_KEY = 2 ** 32 - 2;
const GROWTH = 4096;
const KEPT_USAGE = 512;

/**
 * All VMs in columns: numbers in typed arrays, repeated texts by number. A VM keeps its slot until
 * it is removed; a removed slot is used again.
 */
export class Store {
  readonly hosts = new Map<string, Host>();
  readonly clusterNames = new Map<string, string>();
  total = 0;
  matched = 0;
  selectedCount = 0;
  error = '';

  private capacity = GROWTH;
  private used = 0;
  private free: number[] = [];
  private readonly slots = new Map<string, number>();

  private ids: string[] = [];
  private names: string[] = [];
  private ips: string[] = [];
  private fqdns: string[] = [];
  private texts: string[] = []; // what plain words are looked for in, lower case; empty until needed
  private status = new Uint16Array(GROWTH);
  private pause = new Uint16Array(GROWTH);
  private exit = new Uint16Array(GROWTH);
  private host = new Uint32Array(GROWTH);
  private cluster = new Uint32Array(GROWTH);
  private observed = new Float64Array(GROWTH);
  private revision = new Float64Array(GROWTH);
  private cpu = new Float32Array(GROWTH).fill(-1);
  private memory = new Float32Array(GROWTH).fill(-1);
  private alive = new Uint8Array(GROWTH);
  private selected = new Uint8Array(GROWTH);
  private readonly usage = new Map<number, Usage>();
  private readonly orders = new Map<number, string>();

  private readonly statuses = new Dictionary();
  private readonly pauses = new Dictionary();
  private readonly exits = new Dictionary();
  private readonly hostIds = new Dictionary();
  private readonly clusterIds = new Dictionary();

  private nameRank = new Uint32Array(GROWTH);
  private slotOfRank = new Uint32Array(GROWTH);
  private namesChanged = true;
  private fqdnRank: Uint32Array | null = null;

  private query: Query = { search: '', sort: 'trouble', descending: false };
  private terms: Term[] = [];
  private view = new Uint32Array(0);
  private anchor = -1; // slot of the last row that was clicked

  /** Whether the order or the matches may have changed. */
  stale = true;
  /** Slots that changed since the page was last told. */
  readonly changed = new Set<number>();

  private grow(): void {
    const capacity = Math.ceil(this.capacity * 1.5);
    const wider = <T extends Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array>(old: T): T => {
      const made = new (old.constructor as new (size: number) => T)(capacity);
      made.set(old as never);
      return made;
    };
    this.status = wider(this.status);
    this.pause = wider(this.pause);
    this.exit = wider(this.exit);
    this.host = wider(this.host);
    this.cluster = wider(this.cluster);
    this.observed = wider(this.observed);
    this.revision = wider(this.revision);
    this.cpu = wider(this.cpu).fill(-1, this.capacity);
    this.memory = wider(this.memory).fill(-1, this.capacity);
    this.alive = wider(this.alive);
    this.selected = wider(this.selected);
    this.capacity = capacity;
  }

  /** Takes a whole VM or a change of one; older news than what is known changes nothing. */
  put(vm: VmMessage): void {
    let slot = this.slots.get(vm.id);
    if (slot === undefined) {
      if (vm.name === undefined) return; // a change of what the snapshot has not told yet
      slot = this.free.pop() ?? this.used++;
      if (slot >= this.capacity) this.grow();
      this.slots.set(vm.id, slot);
      this.ids[slot] = vm.id;
      this.names[slot] = '';
      this.ips[slot] = '';
      this.fqdns[slot] = '';
      this.revision[slot] = 0;
      this.alive[slot] = 1;
      this.total++;
      this.namesChanged = true;
    }
    const revision = vm.revision ?? 0;
    if (revision < this.revision[slot]!) return;
    this.revision[slot] = revision;
    if (vm.name !== undefined && vm.name !== this.names[slot]) {
      this.names[slot] = vm.name;
      this.texts[slot] = '';
      this.namesChanged = true;
    }
    if (vm.guestIps !== undefined) {
      this.ips[slot] = vm.guestIps ?? '';
      this.texts[slot] = '';
    }
    if (vm.fqdn !== undefined) {
      this.fqdns[slot] = vm.fqdn ?? '';
      this.texts[slot] = '';
      this.fqdnRank = null;
    }
    if (vm.status !== undefined) this.status[slot] = this.statuses.number(vm.status);
    if (vm.pauseStatus !== undefined) this.pause[slot] = this.pauses.number(vm.pauseStatus);
    if (vm.exitStatus !== undefined) this.exit[slot] = this.exits.number(vm.exitStatus);
    if (vm.hostId !== undefined) this.host[slot] = this.hostIds.number(vm.hostId);
    if (vm.clusterId !== undefined) this.cluster[slot] = this.clusterIds.number(vm.clusterId);
    if (vm.observedAt !== undefined) this.observed[slot] = vm.observedAt ? Date.parse(vm.observedAt) : 0;
    this.changed.add(slot);
    this.stale = true;
  }

  remove(id: string): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    this.slots.delete(id);
    this.alive[slot] = 0;
    if (this.selected[slot]) {
      this.selected[slot] = 0;
      this.selectedCount--;
    }
    this.ids[slot] = '';
    this.names[slot] = '';
    this.ips[slot] = '';
    this.fqdns[slot] = '';
    this.texts[slot] = '';
    this.cpu[slot] = -1;
    this.memory[slot] = -1;
    this.usage.delete(slot);
    this.orders.delete(slot);
    this.free.push(slot);
    this.total--;
    this.namesChanged = true;
    this.stale = true;
  }

  /** A snapshot has ended: what it did not name is gone. */
  keepOnly(vms: ReadonlySet<string>, hosts: ReadonlySet<string>): void {
    for (const id of [...this.slots.keys()]) if (!vms.has(id)) this.remove(id);
    for (const id of [...this.hosts.keys()]) if (!hosts.has(id)) this.hosts.delete(id);
    this.stale = true;
  }

  putHost(host: Host): void {
    this.hosts.set(host.id, { ...this.hosts.get(host.id), ...host });
    this.stale = true;
  }

  removeHost(id: string): void {
    this.hosts.delete(id);
    this.stale = true;
  }

  setQuery(query: Query): void {
    this.query = query;
    const parsed = parse(query.search);
    this.terms = parsed.terms;
    this.error = parsed.error;
    this.stale = true;
  }

  private hostOf(slot: number): Host | undefined {
    return this.hosts.get(this.hostIds.text(this.host[slot]!));
  }

  private isRunning(slot: number): boolean {
    return RUNNING.has(this.statuses.text(this.status[slot]!));
  }

  /** By number of a host: whether its reports are current. */
  private currentHosts(): Uint8Array {
    const current = new Uint8Array(this.hostIds.size);
    for (let i = 1; i < current.length; i++) {
      const host = this.hosts.get(this.hostIds.text(i));
      current[i] = host && HOST_CURRENT.has(host.status) ? 1 : 0;
    }
    return current;
  }

  private ranker(): (slot: number) => number {
    const current = this.currentHosts();
    const ofStatus = this.statuses.texts.map(status =>
      BAD.has(status) ? RANK.bad
        : status === 'up' ? RANK.up
          : status === 'down' ? RANK.down
            : status === 'suspended' ? RANK.suspended
              : RANK.changing);
    const paused = this.statuses.known('paused');
    const down = this.statuses.known('down');
    const running = this.statuses.texts.map(status => RUNNING.has(status));
    const errors = this.pauses.texts.map(code => ERRORS.has(code));
    const failed = this.exits.known('error');
    return slot => {
      const status = this.status[slot]!;
      const rank = ofStatus[status]!;
      if (rank === RANK.bad) return rank;
      if (status === paused && errors[this.pause[slot]!]) return RANK.paused;
      const host = this.host[slot]!;
      if (host !== 0 && running[status] && !current[host]) return RANK.stale;
      if (status === down && failed > 0 && this.exit[slot] === failed) return RANK.failed;
      return rank;
    };
  }

  private hay(slot: number): string {
    let text = this.texts[slot];
    if (!text) {
      text = `${this.names[slot]}\n${this.ips[slot]}\n${this.fqdns[slot]}\n${this.ids[slot]}`.toLowerCase();
      this.texts[slot] = text;
    }
    return text;
  }

  private matcher(term: Term, rank: (slot: number) => number): (slot: number) => boolean {
    const { value } = term;
    const namesMatch = (ids: readonly string[], name: (id: string) => string) => {
      const fits = anyTest(value);
      return Uint8Array.from(ids, (id, i) => (i > 0 && fits(name(id).toLowerCase()) ? 1 : 0));
    };
    const hostMatches = () => namesMatch(this.hostIds.texts, id => this.hosts.get(id)?.name ?? id);
    const clusterMatches = () => namesMatch(this.clusterIds.texts, id => this.clusterNames.get(id) ?? id);
    const isStatus = () => Uint8Array.from(this.statuses.texts, (status, i) => (i > 0 && statusMatches(status, value) ? 1 : 0));
    switch (term.key) {
      case 'any': {
        const hosts = hostMatches();
        const statuses = isStatus();
        return slot => this.hay(slot).includes(value) || hosts[this.host[slot]!] === 1 || statuses[this.status[slot]!] === 1;
      }
      case 'name': {
        const fits = textTest(value);
        return slot => fits(this.names[slot]!.toLowerCase());
      }
      case 'ip': {
        const tests = value.split(',').filter(each => each !== '').map(each => networkTest(each) ?? this.addressTest(each));
        return slot => tests.some(test => test(this.ips[slot]!.toLowerCase()));
      }
      case 'fqdn': {
        const fits = textTest(value);
        return slot => fits(this.fqdns[slot]!.toLowerCase());
      }
      case 'id': {
        const begins = value.split(',');
        return slot => begins.some(begin => this.ids[slot]!.startsWith(begin));
      }
      case 'host': {
        const hosts = hostMatches();
        return slot => hosts[this.host[slot]!] === 1;
      }
      case 'cluster': {
        const clusters = clusterMatches();
        return slot => clusters[this.cluster[slot]!] === 1;
      }
      case 'status': {
        // The whole status where there is one of this name: status:up is not "powering up".
        const wanted = value.split(',').filter(each => each !== '');
        const fits = Uint8Array.from(this.statuses.texts, (status, i) =>
          i > 0 && wanted.some(each =>
            this.statuses.known(each.replace(/[ -]/g, '_')) > 0 ? status === each.replace(/[ -]/g, '_') : statusMatches(status, each)) ? 1 : 0);
        return slot => fits[this.status[slot]!] === 1;
      }
      case 'stale':
        return slot => (rank(slot) === RANK.stale) === (value === 'true');
      case 'cpuAbove':
        return slot => this.cpu[slot]! >= 0 && this.cpu[slot]! > Number(value);
      case 'cpuBelow':
        return slot => this.cpu[slot]! >= 0 && this.cpu[slot]! < Number(value);
      case 'memoryAbove':
        return slot => this.memory[slot]! >= 0 && this.memory[slot]! > Number(value);
      case 'memoryBelow':
        return slot => this.memory[slot]! >= 0 && this.memory[slot]! < Number(value);
      case 'is':
        switch (value) {
          case 'trouble':
            return slot => rank(slot) < FIRST_WELL;
          case 'stale':
            return slot => rank(slot) === RANK.stale;
          case 'selected':
            return slot => this.selected[slot] === 1;
          default:
            return slot => this.isRunning(slot);
        }
    }
  }

  /** An address of a VM fits: a part of the text, or with * and ? one whole address. */
  private addressTest(value: string): (ips: string) => boolean {
    const fits = textTest(value);
    return /[*?]/.test(value) ? ips => ips.split(/[\s,]+/).some(fits) : fits;
  }

  /** Whether the search needs the usage of all VMs. */
  get usesNumbers(): boolean {
    return this.terms.some(term => NUMBERS.includes(term.key));
  }

  /** Values of a key that contain a text, with the number of VMs that have each. */
  values(key: string, part: string, limit: number): Suggestion[] {
    if (key === 'is') return STATES.filter(state => state.includes(part)).map(value => ({ value, count: -1 }));
    if (key === 'stale') return ['true', 'false'].filter(each => each.includes(part)).map(value => ({ value, count: -1 }));
    const [column, texts, name] =
      key === 'status' ? [this.status, this.statuses.texts, (text: string) => text] as const
        : key === 'host' ? [this.host, this.hostIds.texts, (id: string) => this.hosts.get(id)?.name ?? id] as const
          : key === 'cluster' ? [this.cluster, this.clusterIds.texts, (id: string) => this.clusterNames.get(id) ?? id] as const
            : [null, [], (text: string) => text] as const;
    if (column === null) return [];
    const counts = new Uint32Array(texts.length);
    for (let slot = 0; slot < this.used; slot++) if (this.alive[slot]) counts[column[slot]!]!++;
    const found: Suggestion[] = [];
    texts.forEach((text, i) => {
      const value = name(text);
      if (i > 0 && counts[i]! > 0 && value.toLowerCase().includes(part)) found.push({ value, count: counts[i]! });
    });
    return found
      .map(each => ({ each, order: naturalKey(each.value) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
      .slice(0, limit)
      .map(({ each }) => each);
  }

  private rankNames(): void {
    if (!this.namesChanged) return;
    this.namesChanged = false;
    const size = this.used;
    const keys: string[] = new Array<string>(size);
    const order: number[] = [];
    for (let slot = 0; slot < size; slot++) {
      if (this.alive[slot]) {
        keys[slot] = naturalKey(this.names[slot]!);
        order.push(slot);
      }
    }
    order.sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : this.ids[a]! < this.ids[b]! ? -1 : 1));
    this.nameRank = new Uint32Array(size);
    this.slotOfRank = Uint32Array.from(order);
    for (let rank = 0; rank < order.length; rank++) this.nameRank[order[rank]!] = rank;
  }

  /** A number for each slot, by which it is sorted; -1 is unknown and comes last. */
  private sortKey(rank: (slot: number) => number): { key: (slot: number) => number; most: number } | null {
    switch (this.query.sort) {
      case 'name':
        return null;
      case 'status': {
        const order = ranks(this.statuses.texts);
        return { key: slot => order[this.status[slot]!]!, most: 1000 };
      }
      case 'host': {
        const order = ranks(this.hostIds.texts.map(id => (id === '' ? '' : this.hosts.get(id)?.name ?? id)));
        return { key: slot => (this.host[slot] === 0 ? -1 : order[this.host[slot]!]!), most: 2 ** 20 };
      }
      case 'cluster': {
        const order = ranks(this.clusterIds.texts.map(id => (id === '' ? '' : this.clusterNames.get(id) ?? id)));
        return { key: slot => (this.cluster[slot] === 0 ? -1 : order[this.cluster[slot]!]!), most: 2 ** 20 };
      }
      case 'ip':
        return {
          key: slot => {
            const text = this.ips[slot]!;
            return text === '' ? -1 : Math.min(ipv4Key(text) || MOST_KEY, MOST_KEY);
          },
          most: MOST_KEY,
        };
      case 'fqdn': {
        this.fqdnRank ??= ranks(this.fqdns);
        const order = this.fqdnRank;
        return { key: slot => (order[slot] ? order[slot]! : -1), most: SLOT_BITS };
      }
      case 'changed':
        return { key: slot => (this.observed[slot] ? Math.floor(this.observed[slot]! / 1000) : -1), most: MOST_KEY };
      case 'cpu':
        return { key: slot => Math.round(this.cpu[slot]! * 100), most: 2 ** 24 };
      case 'memory':
        return { key: slot => Math.round(this.memory[slot]! * 100), most: 2 ** 24 };
      default:
        return { key: rank, most: 16 };
    }
  }

  /** Finds and sorts anew. About 20 ms for 100 000 VMs. */
  rebuild(): void {
    this.stale = false;
    this.rankNames();
    const rank = this.ranker();
    const tests = this.terms.map(term => {
      const matches = this.matcher(term, rank);
      return term.negated ? (slot: number) => !matches(slot) : matches;
    });
    const sort = this.sortKey(rank);
    const { descending } = this.query;
    const keys = new Float64Array(this.total);
    let count = 0;
    // A search that is not understood finds nothing: what it found would be acted on.
    const end = this.error === '' ? this.used : 0;
    for (let slot = 0; slot < end; slot++) {
      if (!this.alive[slot]) continue;
      let fits = true;
      for (const test of tests) {
        if (!test(slot)) {
          fits = false;
          break;
        }
      }
      if (!fits) continue;
      const name = this.nameRank[slot]!;
      if (sort === null) {
        keys[count++] = descending ? SLOT_BITS - 1 - name : name;
      } else {
        const key = sort.key(slot);
        const primary = key < 0 ? sort.most + 1 : descending ? sort.most - key : key;
        keys[count++] = primary * SLOT_BITS + name;
      }
    }
    const sorted = keys.subarray(0, count).sort();
    const view = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const low = sorted[i]! % SLOT_BITS;
      view[i] = this.slotOfRank[sort === null && descending ? SLOT_BITS - 1 - low : low]!;
    }
    this.view = view;
    this.matched = count;
  }

  slotAt(index: number): number {
    return index >= 0 && index < this.view.length ? this.view[index]! : -1;
  }

  idOf(slot: number): string {
    return this.ids[slot] ?? '';
  }

  private reason(slot: number): string {
    const status = this.statuses.text(this.status[slot]!);
    const pause = this.pauses.text(this.pause[slot]!);
    if (status === 'paused' && ERRORS.has(pause)) return pause;
    if (status === 'down' && this.exits.text(this.exit[slot]!) === 'error') return 'exit';
    return BAD.has(status) ? status : '';
  }

  private staleness(slot: number): string {
    const host = this.host[slot]! === 0 ? undefined : this.hostOf(slot);
    if (host && this.isRunning(slot) && !HOST_CURRENT.has(host.status)) {
      return `${host.name}: ${host.status.replaceAll('_', ' ')}${host.reason ? ` – ${host.reason}` : ''}`;
    }
    const usage = this.usage.get(slot);
    return usage?.stale && this.isRunning(slot) ? 'late' : '';
  }

  row(index: number, now: number): Row {
    const slot = this.view[index]!;
    const hostId = this.hostIds.text(this.host[slot]!);
    const clusterId = this.clusterIds.text(this.cluster[slot]!);
    const usage = this.usage.get(slot);
    return {
      index,
      id: this.ids[slot]!,
      name: this.names[slot]!,
      status: this.statuses.text(this.status[slot]!),
      reason: this.reason(slot),
      stale: this.staleness(slot),
      hostId,
      host: this.hosts.get(hostId)?.name ?? hostId,
      cluster: this.clusterNames.get(clusterId) ?? clusterId,
      ips: this.ips[slot]!,
      fqdn: this.fqdns[slot]!,
      changedAt: this.observed[slot]!,
      age: usage === undefined || usage.age < 0 ? -1 : usage.age + now - usage.at,
      cpu: usage?.cpu ?? this.cpu[slot]!,
      memory: usage?.memory ?? this.memory[slot]!,
      cpuHistory: usage?.history ?? [],
      selected: this.selected[slot] === 1,
      ordered: this.orders.get(slot) ?? '',
    };
  }

  /** What a look at visible VMs found; the oldest looks are forgotten. */
  setUsage(id: string, usage: Usage): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    this.usage.delete(slot);
    this.usage.set(slot, usage);
    this.cpu[slot] = usage.cpu;
    this.memory[slot] = usage.memory;
    this.changed.add(slot);
    for (const oldest of this.usage.keys()) {
      if (this.usage.size <= KEPT_USAGE) break;
      this.usage.delete(oldest);
    }
  }

  /** Numbers of one of all VMs. */
  setNumbers(id: string, cpu: number, memory: number): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    this.cpu[slot] = cpu;
    this.memory[slot] = memory;
    this.stale = true;
  }

  /** What the page has ordered for VMs; without an action its orders have ended. */
  setOrdered(action: string, ids: string[]): void {
    for (const id of ids) {
      const slot = this.slots.get(id);
      if (slot === undefined || (this.orders.get(slot) ?? '') === action) continue;
      if (action === '') this.orders.delete(slot);
      else this.orders.set(slot, action);
      this.changed.add(slot);
    }
  }

  /** Selects by the id of a row as it was on the screen; by its place, where the page did not know the row. */
  select(how: 'only' | 'toggle' | 'range' | 'all' | 'none', index: number, id: string): void {
    const slot = id === '' ? this.slotAt(index) : this.slots.get(id) ?? -1;
    const set = (at: number, to: number) => {
      if (this.selected[at] !== to) {
        this.selected[at] = to;
        this.selectedCount += to ? 1 : -1;
        this.changed.add(at);
      }
    };
    const clear = () => {
      if (this.selectedCount > 0) for (let at = 0; at < this.used; at++) set(at, 0);
    };
    switch (how) {
      case 'none':
        clear();
        this.anchor = -1;
        break;
      case 'all':
        for (const at of this.view) set(at, 1);
        break;
      case 'only':
        if (slot < 0) return;
        clear();
        set(slot, 1);
        this.anchor = slot;
        break;
      case 'toggle':
        if (slot < 0) return;
        set(slot, this.selected[slot] ? 0 : 1);
        this.anchor = slot;
        break;
      case 'range': {
        if (slot < 0) return;
        const end = this.view.indexOf(slot);
        if (end < 0) return;
        const begin = this.anchor < 0 ? end : this.view.indexOf(this.anchor);
        const first = Math.min(begin < 0 ? end : begin, end);
        const last = Math.max(begin < 0 ? end : begin, end);
        for (let at = first; at <= last; at++) set(this.view[at]!, 1);
        break;
      }
    }
    if (this.terms.some(term => term.key === 'is' && term.value === 'selected')) this.stale = true;
  }

  selectedIds(): string[] {
    const ids: string[] = [];
    for (let slot = 0; slot < this.used; slot++) if (this.selected[slot]) ids.push(this.ids[slot]!);
    return ids;
  }

  statusCounts(): { statuses: [string, number][]; trouble: number } {
    const counts = new Uint32Array(this.statuses.size);
    const rank = this.ranker();
    let trouble = 0;
    for (let slot = 0; slot < this.used; slot++) {
      if (!this.alive[slot]) continue;
      counts[this.status[slot]!]!++;
      if (rank(slot) < FIRST_WELL) trouble++;
    }
    const statuses: [string, number][] = [];
    counts.forEach((count, i) => {
      if (count > 0 && i > 0) statuses.push([this.statuses.text(i), count]);
    });
    statuses.sort((a, b) => b[1] - a[1]);
    return { statuses, trouble };
  }

  describe(ids: string[]): { id: string; name: string; status: string; host: string }[] {
    return ids.map(id => {
      const slot = this.slots.get(id);
      return slot === undefined
        ? { id, name: id, status: '', host: '' }
        : {
          id,
          name: this.names[slot]!,
          status: this.statuses.text(this.status[slot]!),
          host: this.hostOf(slot)?.name ?? '',
        };
    });
  }

  find(text: string, limit: number): Found[] {
    const value = text.toLowerCase().trim();
    const found: Found[] = [];
    if (value === '') return found;
    for (const host of this.hosts.values()) {
      if (found.length >= limit / 2) break;
      if (`${host.name}\n${host.address}`.toLowerCase().includes(value)) found.push({ id: host.id, name: host.name, kind: 'host' });
    }
    for (let slot = 0; slot < this.used && found.length < limit; slot++) {
      if (this.alive[slot] && this.hay(slot).includes(value)) found.push({ id: this.ids[slot]!, name: this.names[slot]!, kind: 'vm' });
    }
    return found;
  }

  /** Every VM as a cell, grouped by host in order of names; VMs without a host come last. */
  map(by: string): MapData {
    this.rankNames();
    const rank = this.ranker();
    const hosts = [...this.hosts.values()].sort((a, b) => (naturalKey(a.name) < naturalKey(b.name) ? -1 : 1));
    const place = new Int32Array(this.hostIds.size).fill(hosts.length);
    hosts.forEach((host, i) => {
      const number = this.hostIds.known(host.id);
      if (number > 0) place[number] = i;
    });
    const counts = new Uint32Array(hosts.length + 1);
    for (let slot = 0; slot < this.used; slot++) if (this.alive[slot]) counts[place[this.host[slot]!]!]!++;
    const next = new Uint32Array(hosts.length + 1);
    for (let i = 1; i < next.length; i++) next[i] = next[i - 1]! + counts[i - 1]!;
    const slots = new Uint32Array(this.total);
    const colours = new Uint8Array(this.total);
    for (const slot of this.slotOfRank) {
      if (!this.alive[slot]) continue;
      const at = next[place[this.host[slot]!]!]!++;
      slots[at] = slot;
      colours[at] = by === 'cpu' ? scale(this.cpu[slot]!) : by === 'memory' ? scale(this.memory[slot]!) : rank(slot);
    }
    const told = hosts.map((host, i) => ({ id: host.id, name: host.name, status: host.status, vms: counts[i]! }));
    told.push({ id: '', name: '', status: '', vms: counts[hosts.length]! });
    return { hosts: told, slots, colours };
  }
}

/** Tenths of a usage above 16, where the ranks of trouble end; 15 is unknown. */
function scale(percent: number): number {
  return percent < 0 || Number.isNaN(percent) ? 15 : 16 + Math.min(10, Math.floor(percent / 10));
}
