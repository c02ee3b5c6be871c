import type { VmRow } from 'stillwater';
import { METRICS } from '../metrics';
import { type BatchFilter, type Found, type Host, type MapData, type MapVm, MARKED, type Mistake, type Query, type Row, type Suggestion } from '../protocol';
import { Dictionary } from './dictionary';
import { isBad, isError, isRunning, reasonOf, sparkline } from '../trouble';
import { compareNames, ipv4Key, naturalKey, naturalOrder, networkTest, ranks, sortBy } from './names';
import { anyTest, CHOICES, narrows, NUMBERS, parse, remote, statusMatches, type Term, textTest, wholeTest } from './query';
import { Texts } from './texts';

/** A VM in a message of the stream; a change has only the changed members. */
export type VmMessage = { id: string } & Pick<
  VmRow,
  'name' | 'status' | 'hostId' | 'clusterId' | 'guestIps' | 'fqdn' | 'tags' | 'pauseStatus' | 'exitStatus' | 'observedAt' | 'revision'
>;

type Values<T> = T[] | { values: T[]; at: number[] };

/** Numbers as differences to the least one. */
interface Packed {
  least: number;
  more: (number | null)[];
}

/**
 * VMs of a snapshot by columns: the values of all of them, or the different ones and for each VM the place of its. Times are
 * milliseconds since the epoch.
 */
export interface VmColumns {
  count: number;
  columns: { id: Values<string>; name: Values<string>; observedAt?: Packed; revision?: Packed } & {
    [K in Exclude<keyof VmMessage, 'id' | 'name' | 'observedAt' | 'revision'>]?: Values<VmMessage[K]>;
  };
}

/** The usage of a visible VM, as last requested. */
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

const HOST_CURRENT = new Set(['up', 'preparing_for_maintenance']);

/** Ranks of trouble, the worst first. */
export const RANK = { bad: 0, paused: 1, stale: 2, failed: 3, changing: 4, up: 5, suspended: 6, down: 7 } as const;
const FIRST_WELL = RANK.changing;

// The largest sort key. One more is the key of an unknown value: it has 32 bits, too.
const MOST_KEY = 2 ** 32 - 2;
const GROWTH = 4096;
const KEPT_USAGE = 256;
const NO_RANK = 255;
const FEW = 64; // so few changes need no count
const KNOWN_EARLY = 1000; // VMs that may be known before the first snapshot
const BETWEEN_TAGS = '\n';
const PART = 16; // where more than this part of all VMs changed, all of them are checked
/** The state of a slot in the present list. */
const OUT = 0;
const IN = 1;
const MOVES = 2;

/** The present query, ready for use. */
interface Plan {
  fits: (slot: number) => boolean;
  /** The sort key of a slot before its name, from 0 to `most`. */
  key: (slot: number) => number;
  most: number;
}

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
  /** The filter of the interface that selects the selected VMs; null if there is none. */
  selectedBy: BatchFilter | null = null;
  error: Mistake | null = null;

  private capacity = GROWTH;
  private used = 0;
  private free: number[] = [];
  private readonly slots = new Map<string, number>();

  private ids: string[] = [];
  private names: string[] = [];
  private ips: string[] = [];
  private fqdns: string[] = [];
  /** What plain words are searched in, lower case; the name is its first line. */
  private readonly texts = new Texts(slot => `${this.names[slot]}\n${this.ips[slot]}\n${this.fqdns[slot]}\n${this.ids[slot]}`.toLowerCase());
  private status = new Uint16Array(GROWTH);
  private pause = new Uint16Array(GROWTH);
  private exit = new Uint16Array(GROWTH);
  private host = new Uint32Array(GROWTH);
  private cluster = new Uint32Array(GROWTH);
  private tags = new Uint32Array(GROWTH); // numbers of sets
  private observed = new Float64Array(GROWTH);
  private revision = new Float64Array(GROWTH);
  private cpu = new Float32Array(GROWTH).fill(-1);
  private memory = new Float32Array(GROWTH).fill(-1);
  private reported = new Float64Array(GROWTH); // arrival of the newest report, milliseconds since the epoch; 0 if not known
  private metric = new Float32Array(GROWTH).fill(-1); // of the map
  private alive = new Uint8Array(GROWTH);
  private selected = new Uint8Array(GROWTH);
  private readonly usage = new Map<number, Omit<Usage, 'history'> & { spark: string }>();
  /** By filter of the present search: whether the engine has answered that a slot fits. */
  private readonly answers = new Map<string, Uint8Array>();

  private readonly statuses = new Dictionary();
  private readonly pauses = new Dictionary();
  private readonly exits = new Dictionary();
  private readonly hostIds = new Dictionary();
  private readonly clusterIds = new Dictionary();
  private readonly tagSets = new Dictionary(); // names of tags, joined: VMs with the same tags have one number

  private nameRank = new Uint32Array(GROWTH);
  private slotOfRank: Uint32Array = new Uint32Array(0);
  private readonly unranked = new Set<number>(); // slots with a new name
  private nameless = false; // whether all names are new
  private fqdnRank: Uint32Array | null = null;

  // Counts and sort keys, which are renewed for the slots that changed since.
  private rank = new Uint8Array(GROWTH).fill(NO_RANK);
  private countedStatus = new Uint16Array(GROWTH);
  private readonly rankCounts = new Uint32Array(NO_RANK + 1);
  private counts: number[] = []; // by number of a status
  private keys = new Uint32Array(GROWTH);
  private listed = new Uint8Array(GROWTH);
  private readonly dirty = new Set<number>();
  private all = true; // whether the input of the counts and the list may have changed for many
  private another = true; // whether the query is another
  private narrower = false; // whether the query fits only VMs that the one before fitted
  private prepared = 0;

  private generation = 0;
  private seen = new Uint32Array(GROWTH); // the generation that last contained a slot

  private query: Query = { search: '', sort: 'trouble', descending: false };
  private terms: Term[] = [];
  private view: Uint32Array = new Uint32Array(0);
  private anchor = -1; // slot of the last row that was clicked

  /** Whether the order, the matches or the counts may have changed. */
  get stale(): boolean {
    return this.all || this.another || this.narrower || this.dirty.size > 0;
  }

  /** Shown values of many VMs may have changed. */
  touchAll(): void {
    this.all = true;
  }

  /** Slots that changed since the last message to the page. */
  readonly changed = new Set<number>();

  private grow(): void {
    const capacity = this.capacity * 2;
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
    this.tags = wider(this.tags);
    this.observed = wider(this.observed);
    this.revision = wider(this.revision);
    this.cpu = wider(this.cpu).fill(-1, this.capacity);
    this.memory = wider(this.memory).fill(-1, this.capacity);
    this.reported = wider(this.reported);
    this.metric = wider(this.metric).fill(-1, this.capacity);
    for (const [filter, fits] of this.answers) this.answers.set(filter, wider(fits));
    this.alive = wider(this.alive);
    this.selected = wider(this.selected);
    this.nameRank = wider(this.nameRank);
    this.rank = wider(this.rank).fill(NO_RANK, this.capacity);
    this.countedStatus = wider(this.countedStatus);
    this.keys = wider(this.keys);
    this.listed = wider(this.listed);
    this.seen = wider(this.seen);
    this.capacity = capacity;
  }

  /** From now on, the VMs that arrive are those of a snapshot. */
  beginSnapshot(): void {
    this.generation++;
    this.nameless ||= this.total < KNOWN_EARLY; // it brings all others
    this.all = true;
  }

  /** Takes some VMs of a snapshot. Values older than the known ones change nothing. */
  putColumns({ count, columns }: VmColumns): void {
    const statuses = numbersOf(columns.status, this.statuses);
    const pauses = numbersOf(columns.pauseStatus, this.pauses);
    const exits = numbersOf(columns.exitStatus, this.exits);
    const hosts = numbersOf(columns.hostId, this.hostIds);
    const clusters = numbersOf(columns.clusterId, this.clusterIds);
    const tags = numbersOf(joinedTags(columns.tags), this.tagSets);
    const names = valuesOf(columns.name);
    const ips = columns.guestIps && valuesOf(columns.guestIps);
    const fqdns = columns.fqdn && valuesOf(columns.fqdn);
    const ids = valuesOf(columns.id);
    for (let i = 0; i < count; i++) {
      const slot = this.slotFor(ids[i]!);
      const revision = numberAt(columns.revision, i);
      if (revision < this.revision[slot]!) continue;
      this.revision[slot] = revision;
      this.setTexts(slot, names[i], ips?.[i], fqdns?.[i]);
      if (statuses) this.status[slot] = statuses[i]!;
      if (pauses) this.pause[slot] = pauses[i]!;
      if (exits) this.exit[slot] = exits[i]!;
      if (hosts) this.host[slot] = hosts[i]!;
      if (clusters) this.cluster[slot] = clusters[i]!;
      if (tags) this.tags[slot] = tags[i]!;
      if (columns.observedAt) this.observed[slot] = numberAt(columns.observedAt, i);
      this.touch(slot);
    }
  }

  /** Takes a VM before its snapshot: if the snapshot does not contain it, it is removed at the end. */
  putEarly(vm: VmMessage): void {
    const known = this.slots.get(vm.id);
    const seen = known === undefined ? this.generation - 1 : this.seen[known]!;
    this.put(vm);
    this.seen[this.slotFor(vm.id)] = seen;
  }

  /** The slot of a VM; a new one if it has none. */
  private slotFor(id: string): number {
    let slot = this.slots.get(id);
    if (slot === undefined) {
      slot = this.free.pop() ?? this.used++;
      if (slot >= this.capacity) this.grow();
      this.slots.set(id, slot);
      this.ids[slot] = id;
      this.names[slot] = '';
      this.ips[slot] = '';
      this.fqdns[slot] = '';
      this.texts.forget(slot);
      this.revision[slot] = 0;
      this.alive[slot] = 1;
      this.total++;
      this.renamed(slot);
    }
    this.seen[slot] = this.generation;
    return slot;
  }

  private renamed(slot: number): void {
    if (!this.nameless) this.unranked.add(slot);
  }

  /** Takes texts; undefined ones are as they were. */
  private setTexts(slot: number, name: string | undefined, ips: string | null | undefined, fqdn: string | null | undefined): void {
    if (name !== undefined && name !== this.names[slot]) {
      this.names[slot] = name;
      this.texts.forget(slot);
      this.renamed(slot);
    }
    if (ips !== undefined && (ips ?? '') !== this.ips[slot]) {
      this.ips[slot] = ips ?? '';
      this.texts.forget(slot);
    }
    if (fqdn !== undefined && (fqdn ?? '') !== this.fqdns[slot]) {
      this.fqdns[slot] = fqdn ?? '';
      this.texts.forget(slot);
      this.touchFqdns();
    }
  }

  private touch(slot: number): void {
    if (this.all) return; // the next turn compares and sends everything
    this.changed.add(slot);
    this.dirty.add(slot);
  }

  /** Takes a whole VM or a change of one; values older than the known ones change nothing. */
  put(vm: VmMessage): void {
    if (vm.name === undefined && !this.slots.has(vm.id)) return; // a change of a VM that the snapshot has not delivered yet
    const slot = this.slotFor(vm.id);
    const revision = vm.revision ?? 0;
    if (revision < this.revision[slot]!) return;
    this.revision[slot] = revision;
    this.setTexts(slot, vm.name, vm.guestIps, vm.fqdn);
    if (vm.status !== undefined) this.status[slot] = this.statuses.number(vm.status);
    if (vm.pauseStatus !== undefined) this.pause[slot] = this.pauses.number(vm.pauseStatus);
    if (vm.exitStatus !== undefined) this.exit[slot] = this.exits.number(vm.exitStatus);
    if (vm.hostId !== undefined) this.host[slot] = this.hostIds.number(vm.hostId);
    if (vm.clusterId !== undefined) this.cluster[slot] = this.clusterIds.number(vm.clusterId);
    if (vm.tags !== undefined) this.setTags(slot, vm.tags);
    if (vm.observedAt !== undefined) this.observed[slot] = vm.observedAt ? Date.parse(vm.observedAt) : 0;
    this.touch(slot);
  }

  private setTags(slot: number, names: readonly string[]): void {
    const known = this.tagSets.size;
    this.tags[slot] = this.tagSets.number(names.join(BETWEEN_TAGS));
    if (this.tagSets.size > known && this.query.sort === 'tags') this.all = true; // a rank is one among those of all
  }

  private touchFqdns(): void {
    this.fqdnRank = null;
    if (this.query.sort === 'fqdn') this.all = true; // a rank is one among those of all
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
    if (this.fqdns[slot] !== '') this.touchFqdns();
    this.fqdns[slot] = '';
    this.texts.forget(slot);
    this.tags[slot] = 0;
    this.cpu[slot] = -1;
    this.memory[slot] = -1;
    this.reported[slot] = 0;
    this.metric[slot] = -1;
    for (const fits of this.answers.values()) fits[slot] = 0;
    this.usage.delete(slot);
    this.free.push(slot);
    this.total--;
    this.dirty.add(slot);
  }

  /** A snapshot has ended: VMs that it did not contain are removed. */
  endSnapshot(hosts: ReadonlySet<string>): void {
    for (let slot = 0; slot < this.used; slot++) {
      if (this.alive[slot] && this.seen[slot] !== this.generation) this.remove(this.ids[slot]!);
    }
    for (const id of [...this.hosts.keys()]) if (!hosts.has(id)) this.hosts.delete(id);
    this.all = true;
  }

  putHost(host: Host): void {
    const before = this.hosts.get(host.id);
    this.hosts.set(host.id, { ...before, ...host });
    if (before?.name !== host.name || before.status !== host.status) this.all = true;
  }

  removeHost(id: string): void {
    this.hosts.delete(id);
    this.all = true;
  }

  setQuery(query: Query): void {
    const before = this.query;
    const parsed = parse(query.search);
    const sameOrder = before.sort === query.sort && before.descending === query.descending;
    if (sameOrder && this.error === null && parsed.error === null && narrows(this.terms, parsed.terms)) this.narrower = true;
    else this.another = true;
    this.query = query;
    this.terms = parsed.terms;
    this.error = parsed.error;
    const filters = this.filters;
    for (const filter of this.answers.keys()) if (!filters.includes(filter)) this.answers.delete(filter);
  }

  /** Filters of the search that the engine answers. */
  get filters(): string[] {
    return this.terms.map(remote).filter(filter => filter !== null);
  }

  /** Whether the engine's answer to a filter is known. */
  isAnswered(filter: string): boolean {
    return this.answers.has(filter);
  }

  /** Takes the VMs that fit a filter; an answer that comes after another search changes nothing. */
  setAnswer(filter: string, ids: Iterable<string>): void {
    if (!this.filters.includes(filter)) return;
    const fits = new Uint8Array(this.capacity);
    for (const id of ids) {
      const slot = this.slots.get(id);
      if (slot !== undefined) fits[slot] = 1;
    }
    this.answers.set(filter, fits);
    this.all = true;
  }

  private hostOf(slot: number): Host | undefined {
    return this.hosts.get(this.hostIds.text(this.host[slot]!));
  }

  private isRunning(slot: number): boolean {
    return isRunning(this.statuses.text(this.status[slot]!));
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
      isBad(status) ? RANK.bad
        : status === 'up' ? RANK.up
          : status === 'down' ? RANK.down
            : status === 'suspended' ? RANK.suspended
              : RANK.changing);
    const paused = this.statuses.known('paused');
    const down = this.statuses.known('down');
    const running = this.statuses.texts.map(isRunning);
    const errors = this.pauses.texts.map(isError);
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

  private matcher(term: Term): (slot: number) => boolean {
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
        const tagged = this.tagsMatch(tag => tag.includes(value));
        const contains = this.texts.containing(value);
        return slot =>
          hosts[this.host[slot]!] === 1 || statuses[this.status[slot]!] === 1 || tagged[this.tags[slot]!] === 1 || contains(slot);
      }
      case 'name': {
        if (!/[*?]/.test(value)) return this.texts.beginning(value);
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
      case 'tag': {
        const tagged = this.tagsMatch(wholeTest(value));
        return slot => tagged[this.tags[slot]!] === 1;
      }
      case 'withoutTag': {
        const tagged = this.tagsMatch(wholeTest(value));
        return slot => tagged[this.tags[slot]!] !== 1;
      }
      case 'highlyAvailable':
      case 'hypervisor':
      case 'networkAbove':
      case 'networkBelow': {
        const answer = this.answers.get(remote(term)!);
        return slot => answer?.[slot] === 1;
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
        return slot => (this.rank[slot] === RANK.stale) === (value === 'true');
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
            return slot => this.rank[slot]! < FIRST_WELL;
          case 'stale':
            return slot => this.rank[slot] === RANK.stale;
          case 'selected':
            return slot => this.selected[slot] === 1;
          default:
            return slot => this.isRunning(slot);
        }
    }
  }

  /** By number of a set of tags: whether one of them, in lower case, fits. */
  private tagsMatch(fits: (tag: string) => boolean): Uint8Array {
    return Uint8Array.from(this.tagSets.texts, (tags, i) => (i > 0 && tags.toLowerCase().split(BETWEEN_TAGS).some(fits) ? 1 : 0));
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
    const choices = CHOICES[key];
    if (choices) return choices.filter(each => each.includes(part)).map(value => ({ value, count: -1 }));
    if (key === 'tag' || key === 'withoutTag') return this.tagValues(part, limit);
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
    return inOrder(found, limit);
  }

  /** Tags that contain a text, each with its VMs. */
  private tagValues(part: string, limit: number): Suggestion[] {
    const sizes = new Uint32Array(this.tagSets.size);
    for (let slot = 0; slot < this.used; slot++) if (this.alive[slot]) sizes[this.tags[slot]!]!++;
    const counts = new Map<string, number>();
    this.tagSets.texts.forEach((tags, i) => {
      if (i === 0 || sizes[i] === 0) return;
      for (const tag of tags.split(BETWEEN_TAGS)) counts.set(tag, (counts.get(tag) ?? 0) + sizes[i]!);
    });
    const found = [...counts].map(([value, count]) => ({ value, count })).filter(each => each.value.toLowerCase().includes(part));
    return inOrder(found, limit);
  }

  /** Gives ranks to new names; a name that did not change keeps its place among the others. */
  private rankNames(): void {
    const fresh: number[] = [];
    for (const slot of this.unranked) if (this.alive[slot]) fresh.push(slot);
    if (this.unranked.size === 0 && !this.nameless) return;
    const old = this.nameless ? this.slotOfRank : this.slotOfRank.filter(slot => this.alive[slot] === 1 && !this.unranked.has(slot));
    if (this.nameless || fresh.length > Math.max(FEW, this.total / PART)) {
      const slots = new Uint32Array(this.total);
      let count = 0;
      for (let slot = 0; slot < this.used; slot++) if (this.alive[slot]) slots[count++] = slot;
      this.slotOfRank = naturalOrder(slots, this.names, this.ids);
    } else {
      fresh.sort((a, b) => compareNames(this.names, this.ids, a, b));
      const merged = new Uint32Array(old.length + fresh.length);
      let from = 0;
      fresh.forEach((slot, i) => {
        let low = from;
        let high = old.length;
        while (low < high) {
          const middle = (low + high) >>> 1;
          if (compareNames(this.names, this.ids, old[middle]!, slot) < 0) low = middle + 1;
          else high = middle;
        }
        merged.set(old.subarray(from, low), from + i);
        merged[low + i] = slot;
        from = low;
      });
      merged.set(old.subarray(from), from + fresh.length);
      this.slotOfRank = merged;
    }
    this.slotOfRank.forEach((slot, rank) => {
      this.nameRank[slot] = rank;
    });
  }

  /** A number for each slot, by which it is sorted; -1 is unknown and comes last. */
  private sortKey(): { key: (slot: number) => number; most: number } {
    switch (this.query.sort) {
      case 'name':
        return { key: () => 0, most: 0 };
      case 'status': {
        const order = ranks(this.statuses.texts);
        return { key: slot => order[this.status[slot]!]!, most: order.length };
      }
      case 'host': {
        const order = ranks(this.hostIds.texts.map(id => (id === '' ? '' : this.hosts.get(id)?.name ?? id)));
        return { key: slot => (this.host[slot] === 0 ? -1 : order[this.host[slot]!]!), most: order.length };
      }
      case 'cluster': {
        const order = ranks(this.clusterIds.texts.map(id => (id === '' ? '' : this.clusterNames.get(id) ?? id)));
        return { key: slot => (this.cluster[slot] === 0 ? -1 : order[this.cluster[slot]!]!), most: order.length };
      }
      case 'tags': {
        const order = ranks(this.tagSets.texts);
        return { key: slot => (this.tags[slot] === 0 ? -1 : order[this.tags[slot]!]!), most: order.length };
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
        return { key: slot => (order[slot] ? order[slot]! : -1), most: order.length };
      }
      case 'changed':
        return { key: slot => (this.observed[slot] ? Math.floor(this.observed[slot]! / 1000) : -1), most: MOST_KEY };
      case 'age':
        // The youngest first: the order of ages is that of the reports, however late it is.
        return { key: slot => (this.reported[slot] ? MOST_KEY - Math.floor(this.reported[slot]! / 1000) : -1), most: MOST_KEY };
      case 'cpu':
        return { key: slot => Math.round(this.cpu[slot]! * 100), most: 2 ** 24 };
      case 'memory':
        return { key: slot => Math.round(this.memory[slot]! * 100), most: 2 ** 24 };
      default:
        return { key: slot => this.rank[slot]!, most: RANK.down };
    }
  }

  private plan(): Plan {
    const tests = this.terms.map(term => {
      const matches = this.matcher(term);
      return term.negated ? (slot: number) => !matches(slot) : matches;
    });
    const [first] = tests;
    // An invalid search finds nothing, and none does before the engine's answer: users act on its result.
    const fits = this.error !== null || !this.filters.every(filter => this.answers.has(filter)) ? () => false
      : first === undefined ? () => true
        : tests.length === 1 ? first : (slot: number) => tests.every(test => test(slot));
    const { key, most } = this.sortKey();
    const turned = this.query.descending && this.query.sort !== 'name'; // unknown values are last in both directions
    return {
      fits,
      key: slot => {
        const value = key(slot);
        return value < 0 ? most + 1 : turned ? most - value : value;
      },
      most: most + 1,
    };
  }

  /** Counts a slot by its present state; a removed slot no longer counts. */
  private count(slot: number, rank: number): void {
    const before = this.rank[slot]!;
    if (before !== NO_RANK) {
      this.rankCounts[before]!--;
      this.counts[this.countedStatus[slot]!]!--;
    }
    this.rank[slot] = rank;
    if (rank !== NO_RANK) {
      const status = this.status[slot]!;
      this.rankCounts[rank]!++;
      this.counts[status] = (this.counts[status] ?? 0) + 1;
      this.countedStatus[slot] = status;
    }
  }

  /** Searches and sorts again: all slots if all may have changed, else the changed ones. Returns whether it was all. */
  rebuild(): boolean {
    this.rankNames();
    const rank = this.ranker();
    const many = this.all || this.dirty.size > Math.max(FEW, this.total / PART);
    if (many) for (let slot = 0; slot < this.used; slot++) this.count(slot, this.alive[slot] ? rank(slot) : NO_RANK);
    else for (const slot of this.dirty) this.count(slot, this.alive[slot] ? rank(slot) : NO_RANK);
    const plan = this.plan();
    if (many || this.another) {
      this.sortAll(plan);
    } else {
      if (this.narrower) this.narrow(plan);
      this.move(plan);
    }
    this.unranked.clear();
    this.nameless = false;
    this.dirty.clear();
    this.all = false;
    this.another = false;
    this.narrower = false;
    this.matched = this.view.length;
    return many;
  }

  private sortAll({ fits, key, most }: Plan): void {
    const backwards = this.query.sort === 'name' && this.query.descending;
    const slots = new Uint32Array(this.slotOfRank.length);
    const { length } = slots;
    // In the order of memory; names lie there as they came.
    for (let slot = 0; slot < this.used; slot++) {
      const wanted = this.alive[slot] === 1 && fits(slot);
      this.listed[slot] = wanted ? IN : OUT;
      if (wanted) this.keys[slot] = key(slot);
    }
    let count = 0;
    for (let i = 0; i < length; i++) {
      const slot = this.slotOfRank[backwards ? length - 1 - i : i]!;
      if (this.listed[slot] === IN) slots[count++] = slot;
    }
    this.view = sortBy(slots.subarray(0, count), this.keys, most);
  }

  /** Listed slots keep their order; the query removes others. */
  private narrow({ fits }: Plan): void {
    // In the order of memory, in which texts lie, too: in that of the list, each look would wait for another part of it.
    for (let slot = 0; slot < this.used; slot++) if (this.listed[slot] === IN && !fits(slot)) this.listed[slot] = OUT;
    const view = new Uint32Array(this.view.length);
    let count = 0;
    for (const slot of this.view) if (this.listed[slot] === IN) view[count++] = slot;
    this.view = view.slice(0, count);
  }

  /** Puts the slots that changed where they belong. */
  private move({ fits, key }: Plan): void {
    const coming: number[] = [];
    let going = 0;
    for (const slot of this.dirty) {
      const wanted = this.alive[slot] === 1 && fits(slot);
      const next = wanted ? key(slot) : 0;
      const isIn = this.listed[slot] === IN;
      if (wanted === isIn && (!wanted || (next === this.keys[slot] && !this.unranked.has(slot)))) continue;
      if (isIn) {
        this.listed[slot] = MOVES;
        going++;
      }
      if (wanted) {
        this.keys[slot] = next;
        coming.push(slot);
      }
    }
    if (going === 0 && coming.length === 0) return;
    const direction = this.query.sort === 'name' && this.query.descending ? -1 : 1;
    const order = (a: number, b: number) => this.keys[a]! - this.keys[b]! || (this.nameRank[a]! - this.nameRank[b]!) * direction;
    coming.sort(order);
    const view = new Uint32Array(this.view.length - going + coming.length);
    let count = 0;
    let next = 0;
    for (const slot of this.view) {
      if (this.listed[slot] === MOVES) {
        this.listed[slot] = OUT;
        continue;
      }
      while (next < coming.length && order(coming[next]!, slot) < 0) view[count++] = coming[next++]!;
      view[count++] = slot;
    }
    while (next < coming.length) view[count++] = coming[next++]!;
    for (const slot of coming) this.listed[slot] = IN;
    this.view = view;
  }

  /** Makes the searched texts of some VMs; returns whether there are more. The first key of a search is quick then. */
  prepare(most: number): boolean {
    let made = 0;
    while (this.prepared < this.used && made < most) {
      if (this.alive[this.prepared]) this.texts.make(this.prepared);
      this.prepared++;
      made++;
    }
    return this.prepared < this.used;
  }

  slotAt(index: number): number {
    return index >= 0 && index < this.view.length ? this.view[index]! : -1;
  }

  idOf(slot: number): string {
    return this.ids[slot] ?? '';
  }

  private reason(slot: number): string {
    return reasonOf(this.statuses.text(this.status[slot]!), this.pauses.text(this.pause[slot]!), this.exits.text(this.exit[slot]!));
  }

  private staleness(slot: number): string {
    const host = this.host[slot]! === 0 ? undefined : this.hostOf(slot);
    if (host && this.isRunning(slot) && !HOST_CURRENT.has(host.status)) {
      return `${host.name}: ${host.status.replaceAll('_', ' ')}${host.reason ? ` – ${host.reason}` : ''}`;
    }
    const usage = this.usage.get(slot);
    return usage?.stale && this.isRunning(slot) ? 'late' : '';
  }

  /** When the newest known report arrived; 0 if that is not known. Reports of all VMs are new only while they are sorted by them. */
  private reportedAt(slot: number, usage: { age: number; at: number } | undefined): number {
    const seen = usage === undefined || usage.age < 0 ? 0 : usage.at - usage.age;
    return this.query.sort === 'age' ? Math.max(seen, this.reported[slot]!) : seen;
  }

  row(index: number, now: number): Row {
    const slot = this.view[index]!;
    const hostId = this.hostIds.text(this.host[slot]!);
    const clusterId = this.clusterIds.text(this.cluster[slot]!);
    const usage = this.usage.get(slot);
    const reported = this.reportedAt(slot, usage);
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
      tags: this.tagSets.text(this.tags[slot]!).replaceAll(BETWEEN_TAGS, ', '),
      changedAt: this.observed[slot]!,
      age: reported > 0 ? Math.max(0, now - reported) : -1,
      cpu: usage?.cpu ?? this.cpu[slot]!,
      memory: usage?.memory ?? this.memory[slot]!,
      spark: usage?.spark ?? '',
      selected: this.selected[slot] === 1,
    };
  }

  /** Takes the usage of a visible VM; the oldest ones are forgotten. */
  setUsage(id: string, { history, ...usage }: Usage): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    this.usage.delete(slot);
    this.usage.set(slot, { ...usage, spark: sparkline(history) });
    this.cpu[slot] = usage.cpu;
    this.memory[slot] = usage.memory;
    if (usage.age >= 0) this.reported[slot] = usage.at - usage.age;
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
    this.all = true;
  }

  /** When the newest report of one of all VMs arrived, milliseconds since the epoch by the clock of this browser; 0 if none did. */
  setReported(id: string, at: number): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    this.reported[slot] = at;
    this.all = true;
  }

  /** The values of the map's metric; -1 where there is none. */
  setMetric(values: Iterable<readonly [string, number]>): void {
    this.metric.fill(-1);
    for (const [id, value] of values) {
      const slot = this.slots.get(id);
      if (slot !== undefined) this.metric[slot] = value;
    }
  }

  private metricOf(by: string): Float32Array {
    return by === 'cpu' ? this.cpu : by === 'memory' ? this.memory : this.metric;
  }

  /** The VM of a cell of the map. */
  mapVm(slot: number, by: string): MapVm | undefined {
    const id = this.idOf(slot);
    if (id === '') return undefined;
    const value = by === 'status' ? -1 : this.metricOf(by)[slot]!;
    return { ...this.describe([id])[0]!, value: value >= 0 ? value : null };
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
    this.selectedBy = null;
    switch (how) {
      case 'none':
        clear();
        this.anchor = -1;
        break;
      case 'all':
        for (const at of this.view) set(at, 1);
        if (this.selectedCount === this.matched && this.error === null) this.selectedBy = this.batchFilter();
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
    if (this.terms.some(term => term.key === 'is' && term.value === 'selected')) this.all = true;
  }

  /** The filter of the interface that matches the VMs of the search; null if there is none. */
  private batchFilter(): BatchFilter | null {
    if (this.terms.length === 0) return { name: '*' };
    const filter: BatchFilter & Record<string, string> = {};
    for (const { key, value, negated } of this.terms) {
      const condition = negated || key in filter ? null : this.condition(key, value);
      if (condition === null) return null;
      filter[key] = condition;
    }
    return filter;
  }

  /**
   * The value with which the interface's filter of a key matches what a term does; null if there is none. Usage, age and trouble change
   * from second to second: a selection by them is that of the VMs that were shown.
   */
  private condition(key: Term['key'], value: string): string | null {
    const idsOf = (ids: readonly string[], name: (id: string) => string | undefined) => {
      const fits = anyTest(value);
      return ids.filter((id, i) => i > 0 && fits((name(id) ?? id).toLowerCase())).join() || null;
    };
    switch (key) {
      case 'name':
      case 'tag':
      case 'withoutTag':
      case 'highlyAvailable':
      case 'hypervisor':
        return value || null;
      case 'fqdn':
        return /[^*]/.test(value) ? value : null; // the list finds * in no name, too
      case 'host':
        return idsOf(this.hostIds.texts, id => this.hosts.get(id)?.name);
      case 'cluster':
        return idsOf(this.clusterIds.texts, id => this.clusterNames.get(id));
      case 'status': {
        const words = value.split(',').filter(each => each !== '').map(each => each.replace(/[ -]/g, '_'));
        return words.every(each => this.statuses.known(each) > 0) ? words.join() || null : null;
      }
      default:
        return null;
    }
  }

  selectedIds(): string[] {
    const ids: string[] = [];
    for (let slot = 0; slot < this.used; slot++) if (this.selected[slot]) ids.push(this.ids[slot]!);
    return ids;
  }

  /** As of the last rebuild. */
  statusCounts(): { statuses: [string, number][]; trouble: number } {
    let trouble = 0;
    for (let rank = 0; rank < FIRST_WELL; rank++) trouble += this.rankCounts[rank]!;
    const statuses: [string, number][] = [];
    this.counts.forEach((count, i) => {
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
    // Among many VMs, the one of exactly this name is not among the first with it in a text.
    const exact = new Set<number>();
    for (let slot = 0; slot < this.used && found.length < limit; slot++) {
      const name = this.names[slot]!;
      if (!this.alive[slot] || name.length !== value.length || name.toLowerCase() !== value) continue;
      exact.add(slot);
      found.push({ id: this.ids[slot]!, name, kind: 'vm' });
    }
    const contains = this.texts.containing(value);
    for (let slot = 0; slot < this.used && found.length < limit; slot++) {
      if (this.alive[slot] && !exact.has(slot) && contains(slot)) found.push({ id: this.ids[slot]!, name: this.names[slot]!, kind: 'vm' });
    }
    return found;
  }

  /** Every VM as a cell, grouped by host in order of names; VMs without a host come last. */
  map(by: string): MapData {
    if (this.stale) this.rebuild();
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
    const values = by === 'status' ? null : this.metricOf(by);
    let most = values === null ? 0 : 100;
    if (METRICS[by]) most = METRICS[by].most ?? values!.subarray(0, this.used).reduce((a, b) => Math.max(a, b), 0);
    for (const slot of this.slotOfRank) {
      if (!this.alive[slot]) continue;
      const at = next[place[this.host[slot]!]!]!++;
      slots[at] = slot;
      colours[at] = (values === null ? this.rank[slot]! : scale(values[slot]!, most)) + (this.selected[slot] ? MARKED : 0);
    }
    const told = hosts.map((host, i) => ({ id: host.id, name: host.name, status: host.status, vms: counts[i]! }));
    told.push({ id: '', name: '', status: '', vms: counts[hosts.length]! });
    return { hosts: told, slots, colours, most };
  }
}

/** Tenths of the largest value above 16, where the ranks of trouble end; 15 is unknown. */
function scale(value: number, most: number): number {
  return value < 0 || Number.isNaN(value) ? 15 : 16 + (most > 0 ? Math.min(10, Math.floor((value * 10) / most)) : 0);
}

/** The first of some values in natural order. */
function inOrder(found: Suggestion[], limit: number): Suggestion[] {
  return found
    .map(each => ({ each, order: naturalKey(each.value) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, limit)
    .map(({ each }) => each);
}

/** Sets of tags as texts. */
function joinedTags(column: Values<string[] | undefined> | undefined): Values<string> | undefined {
  if (column === undefined) return undefined;
  const joined = (tags: string[] | undefined) => (tags ?? []).join(BETWEEN_TAGS);
  return Array.isArray(column) ? column.map(joined) : { values: column.values.map(joined), at: column.at };
}

/** 0 if there is none. */
function numberAt(column: Packed | undefined, at: number): number {
  const more = column?.more[at];
  return column && typeof more === 'number' ? column.least + more : 0;
}

function valuesOf<T>(column: Values<T>): T[] {
  return Array.isArray(column) ? column : column.at.map(at => column.values[at]!);
}

/** The numbers of a column's texts in a dictionary. */
function numbersOf(column: Values<string | null | undefined> | undefined, dictionary: Dictionary): number[] | null {
  if (column === undefined) return null;
  if (Array.isArray(column)) return column.map(text => dictionary.number(text));
  const numbers = column.values.map(text => dictionary.number(text));
  return column.at.map(at => numbers[at]!);
}
