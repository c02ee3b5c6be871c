// Batches that this browser began: followed until they end, kept over a reload.
import type { BatchBegun, BatchCancelled, BatchItem, BatchPage, NewBatch, Operation } from 'stillwater';
import { readEvents, Refused } from '../sse';
import { base, get, post, Problem } from './api';
import * as client from './client';

export type { Operation };

export type Action = 'start' | 'shutdown' | 'stop' | 'reboot' | 'suspend' | 'resume' | 'migrate' | 'remove';

export interface Refusal {
  vmId: string;
  reason: string;
}

export interface Job {
  key: string;
  action: Action;
  parameters: Record<string, unknown>;
  batches: string[];
  accepted: number;
  refused: Refusal[];
  operations: Map<string, Operation>;
  ended: boolean;
  lost: boolean;
  /** What the last order to cancel could not take back. */
  notCancelled: number;
}

const STORED = 'stillwater.jobs';
const MOST_KEPT = 20;
const MOST_IN_BATCH = 5000; // the default of stillwater.commands.most-in-batch
const RETRY_MILLIS = 2000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

export const jobs: Job[] = [];
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

function store(): void {
  const kept = jobs.slice(0, MOST_KEPT).map(({ key, action, parameters, batches, accepted, refused }) => ({
    key, action, parameters, batches, accepted, refused: refused.slice(0, 1000),
  }));
  try {
    localStorage.setItem(STORED, JSON.stringify(kept));
  } catch {
    // without storage a reload forgets them; the engine does not
  }
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

const pause = (millis: number) => new Promise(go => setTimeout(go, millis));

// A browser has six connections to a server of HTTP/1.1, and the list and requests need theirs.
const MOST_STREAMS = 2;
let streams = 0;
const queue: (() => void)[] = [];

async function place(): Promise<void> {
  if (streams >= MOST_STREAMS) await new Promise<void>(go => queue.push(go));
  streams++;
}

function leave(): void {
  streams--;
  queue.shift()?.();
}

async function followBatch(job: Job, batch: string): Promise<void> {
  while (jobs.includes(job)) {
    await place();
    try {
      let ended = false;
      await readEvents(`${base}api/v1/batches/${batch}/events`, {}, new AbortController().signal, event => {
        if (event.name === 'end') ended = true;
        else update(job, (JSON.parse(event.data) as Pick<BatchPage, 'items'>).items);
      }, () => undefined);
      if (ended) return;
    } catch (failure) {
      if (failure instanceof Refused && failure.status === 404) {
        job.lost = true;
        return;
      }
      if (failure instanceof Refused && failure.status === 401) {
        await get('api/v1/me').catch(() => undefined); // asks for a login
        continue;
      }
    } finally {
      leave();
    }
    await pause(RETRY_MILLIS);
  }
}

function follow(job: Job): void {
  void Promise.all(job.batches.map(batch => followBatch(job, batch))).then(() => {
    job.ended = true;
    client.ordered('', vmsOf(job.operations.values(), true)); // of a batch that is lost
    tell();
  });
}

function chunks(vms: string[]): string[][] {
  const all: string[][] = [];
  for (let from = 0; from < vms.length; from += MOST_IN_BATCH) all.push(vms.slice(from, from + MOST_IN_BATCH));
  return all;
}

const reason = (item: BatchItem) => item.problem?.detail ?? item.problem?.title ?? '';

const order = (batch: NewBatch) => post<BatchBegun>('api/v1/vms:batch', batch);

/** What the engine would refuse now; nothing begins. */
export async function check(action: Action, vms: string[], parameters: Record<string, unknown>): Promise<{ accepted: number; refused: Refusal[] }> {
  const refused: Refusal[] = [];
  let accepted = 0;
  for (const part of chunks(vms)) {
    const answer = await order({ action, vms: part, parameters, dryRun: true });
    accepted += answer.accepted;
    for (const item of answer.items) if (item.problem) refused.push({ vmId: item.vmId, reason: reason(item) });
  }
  return { accepted, refused };
}

export async function begin(action: Action, vms: string[], parameters: Record<string, unknown>): Promise<void> {
  const job: Job = {
    key: `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`,
    action, parameters, batches: [], accepted: 0, refused: [], operations: new Map(), ended: false, lost: false, notCancelled: 0,
  };
  client.ordered(action, vms); // the rows tell at once
  try {
    for (const part of chunks(vms)) {
      const answer = await order({ action, vms: part, parameters });
      if (answer.id !== null) job.batches.push(answer.id);
      job.accepted += answer.accepted;
      for (const item of answer.items) {
        if (item.operation) job.operations.set(item.operation.id, item.operation);
        else job.refused.push({ vmId: item.vmId, reason: reason(item) });
      }
    }
  } finally {
    const begun = new Set(vmsOf(job.operations.values(), true));
    client.ordered('', vms.filter(vm => !begun.has(vm)));
    if (job.accepted + job.refused.length > 0) {
      jobs.unshift(job);
      store();
      follow(job);
      tell();
    }
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
  store();
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

/** Follows what was begun before a reload. */
export function restore(): void {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED) ?? '[]') as Job[];
    for (const each of kept) {
      const job: Job = { ...each, operations: new Map(), ended: false, lost: false, notCancelled: 0 };
      jobs.push(job);
      follow(job);
    }
    tell();
  } catch (failure) {
    if (!(failure instanceof SyntaxError) && !(failure instanceof Problem)) throw failure;
  }
}
