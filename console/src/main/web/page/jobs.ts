// Batches that a user began in this browser: followed until they end, in every tab, and kept over a reload.
import type { BatchBegun, BatchCancelled, BatchFilter, BatchItem, NewBatch, Operation } from 'stillwater';
import { base, post, Problem } from './api';
import * as client from './client';
import { followBatch } from './follow';

export type { Operation };

export type Action =
  | 'start' | 'shutdown' | 'stop' | 'reboot' | 'suspend' | 'resume' | 'migrate' | 'remove' | 'protect' | 'unprotect' | 'edit';

export interface Refusal {
  vmId: string;
  reason: string;
}

/** The state that the tabs share. */
interface Stored {
  key: string;
  action: Action;
  parameters: Record<string, unknown>;
  batches: string[];
  accepted: number;
  refused: Refusal[];
}

export interface Job extends Stored {
  operations: Map<string, Operation>;
  ended: boolean;
  lost: boolean;
  /** The number of operations that the last order to cancel could not cancel. */
  notCancelled: number;
}

const MOST_KEPT = 20;
const MOST_REFUSALS_KEPT = 1000;
const USUAL_MOST_IN_BATCH = 1000; // until the limit of the engine is known
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

export const jobs: Job[] = [];
let mostInBatch = USUAL_MOST_IN_BATCH;

/** The engine accepts so many VMs in one batch; a larger selection is several batches. */
export function limit(most: number | null | undefined): void {
  mostInBatch = Math.max(1, most ?? USUAL_MOST_IN_BATCH);
}
const lookers = new Set<() => void>();
let telling = 0;

export function onJobs(look: () => void): () => void {
  lookers.add(look);
  return () => lookers.delete(look);
}

function tell(): void {
  if (telling === 0) {
    telling = window.setTimeout(() => {
      telling = 0;
      lookers.forEach(look => look());
    }, 100);
  }
}

let user: string | null = null;
/** Jobs that were in the storage once: another tab has dismissed a job that is missing now. */
const saved = new Set<string>();
const place = () => `stillwater.jobs ${base} ${user ?? ''}`;

function stored(): Stored[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place()) ?? '[]');
    return Array.isArray(kept) ? (kept as Stored[]).filter(each => typeof each.key === 'string' && Array.isArray(each.batches)) : [];
  } catch {
    return []; // no storage, or an unknown format
  }
}

/** Changes the shared state as it is now, not as this tab has read it. */
function share(change: (kept: Stored[]) => Stored[]): void {
  try {
    localStorage.setItem(place(), JSON.stringify(change(stored()).slice(0, MOST_KEPT)));
  } catch {
    // without storage a reload forgets them; the engine does not
  }
}

function store({ key, action, parameters, batches, accepted, refused }: Job): void {
  const kept: Stored = { key, action, parameters, batches, accepted, refused: refused.slice(0, MOST_REFUSALS_KEPT) };
  share(all => (all.some(each => each.key === key) ? all.map(each => (each.key === key ? kept : each)) : [kept, ...all]));
  if (stored().some(each => each.key === key)) saved.add(key);
}

/** The VMs of operations that are open, or of those that have ended. */
const vmsOf = (operations: Iterable<Operation>, open: boolean): string[] =>
  [...operations].flatMap(each => (each.vmId !== null && ENDED.has(each.state) !== open ? [each.vmId] : []));

function update(job: Job, operations: Operation[]): void {
  for (const operation of operations) job.operations.set(operation.id, operation);
  client.ordered(job.action, vmsOf(operations, true));
  client.ordered('', vmsOf(operations, false));
  tell();
}

/** How much is open of each job: batches that are followed, and an order that is under way. */
const open = new Map<Job, number>();

function hold(job: Job): void {
  open.set(job, (open.get(job) ?? 0) + 1);
  job.ended = false;
}

function release(job: Job): void {
  const rest = open.get(job)! - 1;
  open.set(job, rest);
  if (rest > 0) return;
  open.delete(job);
  job.ended = true;
  client.ordered('', vmsOf(job.operations.values(), true)); // of a batch that is lost
  tell();
}

function follow(job: Job, batches: string[], begun: boolean): void {
  const watch = { wanted: () => jobs.includes(job), known: () => [...job.operations.values()], told: (operations: Operation[]) => update(job, operations) };
  hold(job); // a job without a batch has ended
  for (const batch of batches) {
    hold(job);
    void followBatch(batch, begun, watch).then(known => {
      if (!known) job.lost = true;
      release(job);
    });
  }
  release(job);
}

/** The jobs that another tab has begun, continued or dismissed. */
function synchronize(): void {
  const all = stored();
  for (const job of [...jobs]) {
    const other = all.find(each => each.key === job.key);
    if (!other && saved.has(job.key)) {
      jobs.splice(jobs.indexOf(job), 1);
    } else if (other && other.batches.length > job.batches.length) {
      const more = other.batches.filter(batch => !job.batches.includes(batch));
      Object.assign(job, { accepted: other.accepted, refused: other.refused, batches: [...job.batches, ...more] });
      follow(job, more, false);
    }
  }
  const mine = new Map(jobs.map(job => [job.key, job]));
  const unsaved = jobs.filter(job => !all.some(each => each.key === job.key));
  const shown = all.map(each => {
    saved.add(each.key);
    const job = mine.get(each.key);
    if (job) return job;
    const other: Job = { ...each, operations: new Map(), ended: false, lost: false, notCancelled: 0 };
    return other;
  });
  jobs.splice(0, jobs.length, ...unsaved, ...shown);
  for (const job of shown) if (!mine.has(job.key)) follow(job, job.batches, false);
  tell();
}

function chunks(vms: string[]): string[][] {
  const all: string[][] = [];
  for (let from = 0; from < vms.length; from += mostInBatch) all.push(vms.slice(from, from + mostInBatch));
  return all;
}

const reason = (item: BatchItem) => item.problem?.detail ?? item.problem?.title ?? '';

const order = (batch: NewBatch) => post<BatchBegun>('api/v1/vms:batch', batch);

/** What a batch would do now. */
export interface Checked {
  vms: string[];
  accepted: number;
  refused: Refusal[];
}

/**
 * The VMs and refusals of a batch as of now; nothing begins.
 *
 * @param filter finds the VMs in place of those that are given, if the engine takes it
 */
export async function check(action: Action, vms: string[], parameters: Record<string, unknown>, filter: BatchFilter | null): Promise<Checked> {
  const answers: BatchBegun[] = [];
  if (filter !== null && vms.length <= mostInBatch) {
    try {
      answers.push(await order({ action, filter, parameters, dryRun: true }));
    } catch (failure) {
      // More VMs match by now than a batch may have, or a host or tag of the filter is gone: the selected VMs are checked by their ids.
      if (!(failure instanceof Problem) || (failure.status !== 400 && failure.status !== 404)) throw failure;
    }
  }
  if (answers.length === 0) for (const part of chunks(vms)) answers.push(await order({ action, vms: part, parameters, dryRun: true }));
  const items = answers.flatMap(each => each.items);
  return {
    vms: items.map(each => each.vmId),
    accepted: answers.reduce((sum, each) => sum + each.accepted, 0),
    refused: items.flatMap(each => (each.problem ? [{ vmId: each.vmId, reason: reason(each) }] : [])),
  };
}

export async function begin(action: Action, vms: string[], parameters: Record<string, unknown>): Promise<void> {
  const job: Job = {
    key: `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`,
    action, parameters, batches: [], accepted: 0, refused: [], operations: new Map(), ended: false, lost: false, notCancelled: 0,
  };
  client.ordered(action, vms); // the rows show it at once
  hold(job);
  try {
    for (const part of chunks(vms)) {
      const answer = await order({ action, vms: part, parameters });
      job.accepted += answer.accepted;
      for (const item of answer.items) {
        if (item.operation) job.operations.set(item.operation.id, item.operation);
        else job.refused.push({ vmId: item.vmId, reason: reason(item) });
      }
      const batches = answer.id === null ? [] : [answer.id];
      job.batches.push(...batches);
      if (!jobs.includes(job)) jobs.unshift(job);
      store(job); // now: a reload before the next part loses no batch
      follow(job, batches, true);
      tell();
    }
  } finally {
    const begun = new Set(vmsOf(job.operations.values(), true));
    client.ordered('', vms.filter(vm => !begun.has(vm)));
    release(job);
  }
}

export async function cancel(job: Job): Promise<void> {
  job.notCancelled = 0;
  for (const batch of job.batches) {
    const answer = await post<BatchCancelled>(`api/v1/batches/${batch}/cancel`);
    job.notCancelled += answer.items.length;
  }
  tell();
}

export function dismiss(job: Job): void {
  jobs.splice(jobs.indexOf(job), 1);
  share(all => all.filter(each => each.key !== job.key));
  tell();
}

/** The VMs whose operations failed, or were refused. */
export const failedVms = (job: Job): string[] => [
  ...[...job.operations.values()]
    .filter(each => each.state === 'failed' || each.state === 'cancelled')
    .flatMap(each => (each.vmId === null ? [] : [each.vmId])),
  ...job.refused.map(each => each.vmId),
];

export interface Progress {
  done: number;
  failed: number;
  /** 0 to 1. */
  share: number;
}

export function progress(job: Job): Progress {
  let done = 0;
  let failed = 0;
  let sum = 0;
  for (const operation of job.operations.values()) {
    const over = ENDED.has(operation.state);
    if (over) done++;
    if (operation.state === 'failed') failed++;
    sum += over ? 100 : operation.progress;
  }
  return { done, failed, share: job.accepted === 0 ? 1 : sum / (100 * job.accepted) };
}

/** Follows the jobs that this user began before a reload, or in another tab. */
export function restore(name: string): void {
  if (name === user) return;
  user = name;
  jobs.splice(0, jobs.length);
  saved.clear();
  synchronize();
}

addEventListener('storage', event => {
  if (user !== null && event.key === place()) synchronize();
});
