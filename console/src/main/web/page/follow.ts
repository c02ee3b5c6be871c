// Follows batches until they end. One tab of this browser reads the stream of a batch and informs the others: a browser has six connections
// to a server of HTTP/1.1 for all of its tabs, and each tab needs two of them for its list and its requests.
import type { BatchPage, Operation } from 'stillwater';
import { readEvents, Refused, SILENT_MILLIS } from '../sse';
import { base, get } from './api';

const MOST_STREAMS = 2;
const RETRY_MILLIS = 2000;
const BEAT_MILLIS = 1000;
const TAB_SILENT_MILLIS = 3000; // so long after its last sign, a tab no longer follows
const ANSWER_MILLIS = 200;

export interface Watch {
  wanted: () => boolean;
  /** All operations that are known here, for a tab that comes later. */
  known: () => Operation[];
  told: (operations: Operation[]) => void;
}

type Message =
  | { type: 'follows'; batch: string; tab: string; hidden: boolean }
  | { type: 'ask'; batch: string }
  | { type: 'told'; batch: string; operations: Operation[] }
  | { type: 'end'; batch: string; lost: boolean };

interface Following {
  watch: Watch;
  heardAt: number;
  stream: AbortController | null;
  end: 'ended' | 'lost' | null;
}

const tab = Math.random().toString(36).slice(2);
const following = new Map<string, Following>();
const channel = new BroadcastChannel(`stillwater.batches ${base}`);
const send = (message: Message) => channel.postMessage(message);
const pause = (millis: number) => new Promise(go => setTimeout(go, millis));

/** Another tab follows the same batch: that one continues. */
const yields = (other: { tab: string; hidden: boolean }) => (document.hidden === other.hidden ? other.tab < tab : document.hidden);

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  const state = following.get(data.batch);
  if (!state) return;
  switch (data.type) {
    case 'follows':
      state.heardAt = Date.now();
      if (state.stream && yields(data)) state.stream.abort();
      break;
    case 'ask':
      if (!state.stream) break;
      send({ type: 'follows', batch: data.batch, tab, hidden: document.hidden });
      send({ type: 'told', batch: data.batch, operations: state.watch.known() });
      break;
    case 'told':
      state.watch.told(data.operations);
      break;
    case 'end':
      state.end = data.lost ? 'lost' : 'ended';
      break;
  }
};

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

async function read(batch: string, state: Following): Promise<void> {
  const stream = new AbortController();
  state.stream = stream;
  let streamHeardAt = Date.now();
  const beat = () => {
    // A connection that is gone without a word, as after a sleep of the machine, ends no read by itself.
    if (Date.now() - streamHeardAt > SILENT_MILLIS) stream.abort();
    send({ type: 'follows', batch, tab, hidden: document.hidden });
  };
  beat();
  const timer = setInterval(beat, BEAT_MILLIS);
  try {
    await readEvents(`${base}api/v1/batches/${batch}/events`, {}, stream.signal, event => {
      if (event.name === 'end') {
        state.end = 'ended';
        return;
      }
      const { items } = JSON.parse(event.data) as Pick<BatchPage, 'items'>;
      state.watch.told(items);
      send({ type: 'told', batch, operations: items });
    }, () => {
      streamHeardAt = Date.now();
    });
  } finally {
    clearInterval(timer);
    state.stream = null;
  }
}

/**
 * Follows a batch until it ends or is no longer needed.
 *
 * @param begun whether this tab has just begun it, so that no other follows it
 * @returns whether the engine knew it until its end
 */
export async function followBatch(batch: string, begun: boolean, watch: Watch): Promise<boolean> {
  const state: Following = { watch, heardAt: 0, stream: null, end: null };
  following.set(batch, state);
  if (!begun) {
    send({ type: 'ask', batch });
    await pause(ANSWER_MILLIS);
  }
  const elsewhere = () => document.hidden || Date.now() - state.heardAt < TAB_SILENT_MILLIS;
  while (watch.wanted() && !state.end) {
    if (elsewhere()) {
      await pause(BEAT_MILLIS);
      continue;
    }
    await place();
    try {
      if (watch.wanted() && !state.end && !elsewhere()) await read(batch, state);
    } catch (failure) {
      if (failure instanceof Refused && failure.status === 404) state.end = 'lost';
      if (failure instanceof Refused && failure.status === 401) {
        await get('api/v1/me').catch(() => undefined); // requests a login
        continue;
      }
    } finally {
      leave();
    }
    if (state.end) send({ type: 'end', batch, lost: state.end === 'lost' });
    else await pause(RETRY_MILLIS);
  }
  following.delete(batch);
  return state.end !== 'lost';
}
