// The worker: it holds all VMs, follows the stream, searches and sorts, and sends the page the
// rows on its screen.
import { METRICS } from '../metrics';
import type { AuditEntry, FromWorker, Host, LinkState, Row, SelectedVms, ToWorker } from '../protocol';
import { ageOf, cpuOf, memoryOf, type FirstVm, type LookedAt } from '../first';
import { readEvents, Refused, SILENT_MILLIS } from '../sse';
import { inTurns, TURN_MILLIS } from '../turns';
import { rehearsal } from './rehearsal';
import { Store, type VmColumns, type VmMessage } from './store';

/** The used members of a worker's global scope; the types of the page do not apply here. */
declare const self: {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  setTimeout(run: () => void, millis: number): number;
  setInterval(run: () => void, millis: number): number;
};

const FIELDS = 'id,name,status,hostId,clusterId,guestIps,fqdn,tags,pauseStatus,exitStatus,observedAt,revision';
const SPACING_MILLIS = 50; // three frames at 60 Hz: changes in between come together
const RETRY_MILLIS = [250, 500, 1000, 2000, 5000];
// After a rest a change is shown at once; where changes do not end, a user reads no more of them in a second, and each costs a frame.
const ROWS_MILLIS = 250;
const COUNTS_MILLIS = 500; // a user reads no faster
const LOADING_MILLIS = 100;
const EVENTS_MILLIS = 250;
const EVENTS_AGAIN_MILLIS = 1000;
const PREPARED = 200; // VMs that are made ready for a search in one step
const HOSTS_MILLIS = 500;
const VISIBLE_MILLIS = 4000;
const ALL_USAGE_MILLIS = 15_000;
const LEAST_REBUILD_MILLIS = 500;
const REBUILD_SHARE = 10; // a rebuild takes at most a tenth of the worker's time
const MOST_EVENTS = 500;
const MOST_LOOKED_AT = 120;

const store = new Store();
let base = '';
let lastId = '';
let from = 0;
let to = 60;
let toldSlots = new Map<number, number>();
let toldMatched = -1;
let rebuiltAt = 0;
let rebuildCost = 0;
let rebuildTimer = 0;
let rowsTimer = 0;
let hostsTimer = 0;
let loggedOut = false;
let logins = 0; // the refusal of a request from before the last login does not concern it
let allUsage = false;
let lostAt = 0;
let snapshot: { vms: number; hosts: Set<string> } | null = null;
/** The page shows rows of its own, until all VMs are here or it requests others. */
let held = false;
let loaded = false; // whether all VMs were here once
let toldRowsAt = 0;
/** Most rows on the screen have changed by themselves. A user reads none of them, and they come with the next order of the list only. */
let crowded = false;
let toldCountsAt = 0;
let countsTimer = 0;
let loadingAt = 0;
let entries: AuditEntry[] = [];
let entriesTimer = 0;
/** The events of the stream since it began anew. */
let recent: AuditEntry[] = [];

const tell = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, transfer);
const answer = (ask: number, value: unknown, transfer: Transferable[] = []) => tell({ type: 'answer', ask, value }, transfer);

function link(state: LinkState, detail = ''): void {
  if (state === 'lost' && lostAt === 0) lostAt = Date.now();
  if (state === 'live') lostAt = 0;
  tell({ type: 'link', state, loaded: snapshot?.vms ?? store.total, sinceMillis: lostAt, detail });
}

/** Sends the changed rows on the screen, or all of them, to the user who asked, or because they have changed. */
function tellRows(all: boolean, asked: boolean): void {
  if (held) return;
  toldRowsAt = performance.now();
  const now = Date.now();
  const last = Math.min(to, store.matched);
  const slots = new Map<number, number>();
  const rows: (Row | null)[] = [];
  let count = 0;
  let told = all || store.matched !== toldMatched || last - from !== toldSlots.size;
  for (let i = from; i < last; i++) {
    const slot = store.slotAt(i);
    slots.set(i, slot);
    const same = !all && toldSlots.get(i) === slot && !store.changed.has(slot);
    rows.push(same ? null : store.row(i, now));
    told ||= !same;
    if (!same) count++;
  }
  if (!all) crowded = !asked && count > rows.length / 2;
  store.changed.clear();
  toldSlots = slots;
  toldMatched = store.matched;
  if (told) tell({ type: 'rows', from, matched: store.matched, rows, asked });
}

function tellCounts(): void {
  if (held) return;
  clearTimeout(countsTimer);
  countsTimer = 0;
  toldCountsAt = performance.now();
  const { statuses, trouble } = store.statusCounts();
  tell({
    type: 'counts',
    total: store.total,
    matched: store.matched,
    selected: store.selectedCount,
    statuses,
    trouble,
    error: store.error,
  });
}

/** While nothing but VMs change. */
function tellCountsSoon(): void {
  if (countsTimer === 0) countsTimer = self.setTimeout(tellCounts, Math.max(0, toldCountsAt + COUNTS_MILLIS - performance.now()));
}

function rebuild(asked: boolean): void {
  clearTimeout(rebuildTimer);
  rebuildTimer = 0;
  const begin = performance.now();
  const all = store.rebuild();
  rebuildCost = performance.now() - begin;
  rebuiltAt = performance.now();
  tellRows(all, asked);
  if (asked) tellCounts();
  else tellCountsSoon();
}

/** Sorts and finds anew, soon: at once on a request of the user. */
function rebuildSoon(): void {
  if (rebuildTimer !== 0) return;
  const pause = Math.max(LEAST_REBUILD_MILLIS, rebuildCost * REBUILD_SHARE);
  rebuildTimer = self.setTimeout(() => rebuild(false), Math.max(0, rebuiltAt + pause - performance.now()));
}

function changedSoon(): void {
  if (held) return;
  if (store.stale) rebuildSoon();
  if (rowsTimer === 0 && store.changed.size > 0 && !(crowded && rebuildTimer !== 0)) {
    rowsTimer = self.setTimeout(() => {
      rowsTimer = 0;
      tellRows(false, false);
    }, Math.max(0, toldRowsAt + ROWS_MILLIS - performance.now()));
  }
}

function eventSoon(entry: AuditEntry): void {
  entries.push(entry);
  recent.push(entry);
  if (recent.length > MOST_EVENTS) recent.shift();
  if (entriesTimer === 0) {
    entriesTimer = self.setTimeout(() => {
      entriesTimer = 0;
      tell({ type: 'events', entries, anew: false });
      entries = [];
    }, EVENTS_MILLIS);
  }
}

let prepares = false;
let rehearsed: Generator<void, void> | null = rehearsal(); // null after its end

/** Makes all VMs ready for a search, and then this code, a few steps at a time. */
function prepareSoon(): void {
  if (prepares) return;
  prepares = true;
  self.setTimeout(() => {
    prepares = false;
    const begin = performance.now();
    let more = true;
    while (more && performance.now() - begin < TURN_MILLIS) {
      more = store.prepare(PREPARED);
      if (more || rehearsed === null) continue;
      more = rehearsed.next().done !== true;
      if (!more) rehearsed = null;
    }
    if (more) prepareSoon();
  }, 20);
}

function hostsSoon(): void {
  if (hostsTimer === 0) {
    hostsTimer = self.setTimeout(() => {
      hostsTimer = 0;
      tell({ type: 'hosts', hosts: [...store.hosts.values()] });
    }, HOSTS_MILLIS);
  }
}

interface Delta {
  entity: 'vm' | 'host';
  change: 'added' | 'changed' | 'redefined' | 'removed';
  id: string;
  vm?: VmMessage;
  host?: Host;
}

function apply(delta: Delta): void {
  if (delta.entity === 'vm') {
    if (delta.change === 'removed') {
      store.remove(delta.id);
    } else if (delta.vm) {
      store.put(delta.vm);
    }
  } else {
    if (delta.change === 'removed') {
      store.removeHost(delta.id);
      snapshot?.hosts.delete(delta.id);
    } else if (delta.host) {
      store.putHost(delta.host);
      snapshot?.hosts.add(delta.id);
    }
    hostsSoon();
  }
}

function beginSnapshot() {
  store.beginSnapshot();
  return { vms: 0, hosts: new Set<string>() };
}

function told(name: string, data: string): void {
  switch (name) {
    case 'snapshot': {
      snapshot ??= beginSnapshot();
      const part = JSON.parse(data) as { hosts?: Host[]; vms?: VmColumns };
      for (const host of part.hosts ?? []) {
        store.putHost(host);
        snapshot.hosts.add(host.id);
      }
      if (part.vms) {
        store.putColumns(part.vms);
        snapshot.vms += part.vms.count;
      }
      if (part.hosts) hostsSoon();
      if (performance.now() - loadingAt > LOADING_MILLIS) {
        loadingAt = performance.now();
        link('loading');
      }
      break;
    }
    case 'snapshot-end':
      store.endSnapshot((snapshot ?? beginSnapshot()).hosts); // without any part there is nothing to see
      snapshot = null;
      held = false;
      loaded = true;
      rebuild(true);
      link('live');
      hostsSoon();
      prepareSoon();
      void loadClusters();
      void lookAtVisible();
      // Answers that came before their VMs were about unknown ones.
      void lookAtAll();
      void lookAtFilters(false);
      void lookAtMetric();
      break;
    case 'delta':
      apply(JSON.parse(data) as Delta);
      break;
  }
}

/** The user has lost all roles: nothing that was readable before is shown any more. */
function forget(): void {
  snapshot = null;
  lastId = '';
  held = false;
  store.beginSnapshot();
  store.endSnapshot(new Set());
  rebuild(true);
  hostsSoon();
}

/** A pause before the next attempt, which ends when the network is back. */
const pause = (millis: number) => new Promise<void>(go => {
  self.setTimeout(go, millis);
  wake = go;
});
let wake: () => void = () => undefined;
let reading: AbortController | null = null;
let goOn: (() => void) | null = null;

/** The login has ended: no request is sent until the page reports a new one. */
async function awaitLogin(): Promise<void> {
  if (!loggedOut) {
    loggedOut = true;
    tell({ type: 'login' });
  }
  await new Promise<void>(resume => {
    const before = goOn;
    goOn = () => {
      before?.();
      resume();
    };
  });
}

async function follow(): Promise<void> {
  let attempt = 0;
  for (;;) {
    const abort = new AbortController();
    reading = abort;
    const before = logins;
    let heardAt = Date.now();
    const watch = self.setInterval(() => {
      if (Date.now() - heardAt > SILENT_MILLIS) abort.abort();
    }, 1000);
    try {
      const headers: Record<string, string> = lastId === '' ? {} : { 'Last-Event-ID': lastId };
      await readEvents(
        `${base}api/v1/stream?entity=vm,host&snapshot=packed&fields=${FIELDS}&spacing=${SPACING_MILLIS}`,
        headers,
        abort.signal,
        event => {
          if (event.id !== '') lastId = event.id;
          told(event.name, event.data);
        },
        () => {
          heardAt = Date.now();
          if (attempt > 0 || lostAt > 0) {
            attempt = 0;
            if (!snapshot) link('live');
          }
        },
        changedSoon,
      );
      link('lost', '');
    } catch (failure) {
      if (failure instanceof Refused && failure.status === 401) {
        link('lost', '');
        if (before === logins) await awaitLogin();
        attempt = 0;
        continue;
      }
      if (failure instanceof Refused && failure.status === 403) {
        forget();
        link('refused', failure.message);
      } else {
        link('lost', failure instanceof Refused ? failure.message : '');
      }
    } finally {
      clearInterval(watch);
    }
    // Half a snapshot is read again from its beginning.
    if (snapshot) {
      snapshot = null;
      lastId = '';
    }
    await pause(RETRY_MILLIS[Math.min(attempt, RETRY_MILLIS.length - 1)]!);
    attempt++;
  }
}

/** Reads a path; `answered` gets the time of the engine's clock at its answer, if the answer has it. */
async function ask<T>(path: string, answered: (at: number) => void = () => undefined): Promise<T | null> {
  const before = logins;
  try {
    const reply = await fetch(base + path, { headers: { Accept: 'application/json' }, credentials: 'same-origin' });
    if (reply.status === 401) {
      if (before !== logins) return await ask(path, answered);
      if (!loggedOut) {
        loggedOut = true;
        tell({ type: 'login' });
      }
      return null;
    }
    const date = reply.headers.get('Date');
    if (date !== null) answered(Date.parse(date));
    return reply.ok ? ((await reply.json()) as T) : null;
  } catch {
    return null; // the stream shows that the connection is lost
  }
}

/** The stream has begun anew: the login may be another user's, or its roles others, so nothing of before is kept. */
async function loadEvents(): Promise<void> {
  recent = [];
  entries = [];
  const page = await ask<{ items: AuditEntry[] }>(`api/v1/events?limit=${MOST_EVENTS}`);
  if (page) tell({ type: 'events', entries: [...page.items, ...recent], anew: true });
}

let events: AbortController | null = null;

/**
 * Follows events on a stream of their own while the page shows them: in a large fleet they are as many as changes of VMs.
 * The stream of VMs detects a lost connection.
 */
async function followEvents(ended: AbortController): Promise<void> {
  while (!ended.signal.aborted) {
    const silent = new AbortController();
    const before = logins;
    let heardAt = Date.now();
    const watch = self.setInterval(() => {
      if (Date.now() - heardAt > SILENT_MILLIS) silent.abort();
    }, 1000);
    try {
      await readEvents(
        `${base}api/v1/stream?entity=event&spacing=${EVENTS_MILLIS}`,
        {},
        AbortSignal.any([ended.signal, silent.signal]),
        event => {
          if (event.name === 'snapshot-end') void loadEvents();
          else if (event.name === 'audit') eventSoon((JSON.parse(event.data) as { entry: AuditEntry }).entry);
        },
        () => {
          heardAt = Date.now();
        },
      );
    } catch (failure) {
      if (failure instanceof Refused && failure.status === 401 && before === logins) await awaitLogin();
    } finally {
      clearInterval(watch);
    }
    if (!ended.signal.aborted) await new Promise<void>(go => self.setTimeout(go, EVENTS_AGAIN_MILLIS));
  }
}

async function loadClusters(): Promise<void> {
  const page = await ask<{ items: { id: string; name: string }[] }>('api/v1/clusters');
  let others = false;
  for (const cluster of page?.items ?? []) {
    others ||= store.clusterNames.get(cluster.id) !== cluster.name;
    store.clusterNames.set(cluster.id, cluster.name);
  }
  if (!others) return;
  store.touchAll();
  changedSoon();
}

function setUsage(vm: LookedAt, at: number): void {
  if (!vm.id.value) return;
  store.setUsage(vm.id.value, {
    cpu: cpuOf(vm),
    memory: memoryOf(vm),
    history: vm.statistics.cpuHistory.value ?? [],
    age: ageOf(vm),
    stale: vm.status.state === 'stale',
    at,
  });
}

/** VMs that the page knows before the stream delivers them: it may select them. */
function putFirst(vms: FirstVm[]): void {
  const at = Date.now();
  for (const vm of vms) {
    const known = Object.entries(vm).map(([name, member]) => [name, (member as { value?: unknown }).value]);
    store.putEarly(Object.fromEntries(known) as VmMessage);
    setUsage(vm, at);
  }
}

/** Looks at the VMs on the screen: their usage and how old their reports are. */
async function lookAtVisible(): Promise<void> {
  if (held) return;
  const ids = [];
  for (let i = from; i < Math.min(to, store.matched, from + MOST_LOOKED_AT); i++) ids.push(store.idOf(store.slotAt(i)));
  if (ids.length === 0 || loggedOut || lostAt > 0) return;
  const at = Date.now();
  const page = await ask<{ items: LookedAt[] }>(
    `api/v1/vms?age=true&limit=${ids.length}&fields=id,status,statistics.usageCpuPercent,statistics.usageMemoryPercent,statistics.cpuHistory&id=${ids.join(',')}`,
  );
  for (const vm of page?.items ?? []) setUsage(vm, at);
  changedSoon();
}

/** The usage of all, where they are sorted or coloured by it. */
async function lookAtAll(): Promise<void> {
  if (!allUsage || loggedOut || lostAt > 0) return;
  const page = await ask<{ items: { id: string; usageCpuPercent: number | null; usageMemoryPercent: number | null }[] }>(
    'api/v1/statistics/vms?fields=id,usageCpuPercent,usageMemoryPercent',
  );
  await inTurns(page?.items ?? [], vm => store.setNumbers(vm.id, vm.usageCpuPercent ?? -1, vm.usageMemoryPercent ?? -1));
  changedSoon();
}

/** The age of all data, where VMs are sorted by it. The engine's clock may differ from the one of this browser. */
async function lookAtAges(): Promise<void> {
  if (!listAsksForAges || loggedOut || lostAt > 0) return;
  let ahead = 0;
  const page = await ask<{ items: { id: string; reportedAt: string | null }[] }>('api/v1/statistics/vms?fields=id,reportedAt', at => {
    ahead = Date.now() - at;
  });
  await inTurns(page?.items ?? [], vm => store.setReported(vm.id, vm.reportedAt === null ? 0 : Date.parse(vm.reportedAt) + ahead));
  changedSoon();
}

/** The VMs that fit the filters of the search which only the engine can answer. */
async function lookAtFilters(unanswered: boolean): Promise<void> {
  if (store.filters.length === 0 || loggedOut || lostAt > 0) return;
  for (const filter of store.filters) {
    if (unanswered && store.isAnswered(filter)) continue;
    const page = await ask<{ items: { id: string }[] }>(`api/v1/statistics/vms?fields=id&${filter}`);
    if (page) store.setAnswer(filter, page.items.map(each => each.id));
  }
  if (store.stale) rebuild(true);
}

/** The values of the map's metric, where the list has none of it. */
async function lookAtMetric(): Promise<void> {
  const by = colouring;
  const metric = METRICS[by];
  if (!metric || loggedOut || lostAt > 0) return;
  let now = Date.now();
  const page = await ask<{ items: ({ id: string } & Record<string, string | number | null>)[] }>(
    `api/v1/statistics/vms?fields=id,${metric.field}`, at => {
      now = at;
    });
  if (!page || by !== colouring) return;
  store.setMetric(page.items.map(vm => {
    const value = vm[metric.field] ?? null;
    // Of a time, its age in seconds.
    return [vm.id, value === null ? -1 : typeof value === 'number' ? value : Math.max(0, (now - Date.parse(value)) / 1000)] as const;
  }));
}

function useAges(on: boolean): void {
  const first = on && !listAsksForAges;
  listAsksForAges = on;
  if (first) void lookAtAges();
}

function useAll(on: boolean): void {
  if (on && !allUsage) {
    allUsage = true;
    void lookAtAll();
  }
  allUsage = on;
}

let colouring = ''; // of the map; empty for no map
const mapAsksForUsage = () => colouring === 'cpu' || colouring === 'memory';
let listAsksForUsage = false;
let listAsksForAges = false;
let lookTimer = 0;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case 'open':
      base = data.base;
      held = data.waits;
      void follow();
      self.setInterval(() => void lookAtVisible(), VISIBLE_MILLIS);
      self.setInterval(() => void lookAtAll(), ALL_USAGE_MILLIS);
      self.setInterval(() => void lookAtAges(), ALL_USAGE_MILLIS);
      self.setInterval(() => void lookAtFilters(false), ALL_USAGE_MILLIS);
      self.setInterval(() => void lookAtMetric(), ALL_USAGE_MILLIS);
      self.setInterval(() => void loadClusters(), 60_000);
      break;
    case 'first':
      if (!loaded) putFirst(data.vms);
      if (data.vms.length === 0) {
        held = false;
        changedSoon();
      }
      break;
    case 'query':
      if (data.query.search !== '' || data.query.sort !== 'trouble') held = false;
      store.setQuery(data.query);
      listAsksForUsage = data.query.sort === 'cpu' || data.query.sort === 'memory' || store.usesNumbers;
      useAll(mapAsksForUsage() || listAsksForUsage);
      useAges(data.query.sort === 'age');
      rebuild(true);
      void lookAtFilters(true);
      break;
    case 'colour':
      colouring = data.by;
      useAll(mapAsksForUsage() || listAsksForUsage);
      store.setMetric([]);
      void lookAtMetric();
      break;
    case 'events':
      events?.abort();
      events = data.on ? new AbortController() : null;
      if (events) void followEvents(events);
      break;
    case 'window':
      from = Math.max(0, data.from);
      to = data.to;
      if (from > 0) held = false;
      tellRows(true, false); // what is new on the screen is drawn at once, whether the user waits for the rest or not
      clearTimeout(lookTimer);
      lookTimer = self.setTimeout(() => void lookAtVisible(), 200);
      break;
    case 'select':
      held = false;
      store.select(data.how, data.index, data.id);
      if (store.stale) rebuild(true);
      else {
        tellRows(true, true);
        tellCounts();
      }
      break;
    case 'selected':
      answer(data.ask, store.selectedIds());
      break;
    case 'selection':
      answer(data.ask, { vms: store.selectedIds(), filter: store.selectedBy } satisfies SelectedVms);
      break;
    case 'vms':
      answer(data.ask, store.describe(data.ids));
      break;
    case 'find':
      answer(data.ask, store.find(data.text, data.limit));
      break;
    case 'values':
      answer(data.ask, store.values(data.key, data.text, data.limit));
      break;
    case 'network':
      // A network that is gone closes no connection: without this the silence would be noticed late.
      if (data.online) wake();
      else reading?.abort();
      break;
    case 'slot':
      answer(data.ask, store.mapVm(data.slot, colouring));
      break;
    case 'map': {
      const map = store.map(data.by);
      answer(data.ask, map, [map.slots.buffer, map.colours.buffer]);
      break;
    }
    case 'resume': {
      logins++;
      loggedOut = false;
      const resume = goOn;
      goOn = null;
      resume?.();
      void loadClusters();
      break;
    }
  }
};
