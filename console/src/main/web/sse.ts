// Server-sent events over fetch: unlike EventSource it shows the status of a refusal and the
// comments, by which a dead connection is noticed.
import { turn, TURN_MILLIS } from './turns';

export interface SseEvent {
  name: string;
  id: string;
  data: string;
}

export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** A stream that is silent for longer is dead: heart-beats come after 20 s of silence at the latest (stillwater.stream.heart-beat). */
export const SILENT_MILLIS = 25_000;

/**
 * Reads a stream until it ends.
 *
 * @param told called with each event
 * @param heard called with each arrival of bytes, comments included
 * @param read called after the events of an arrival have been delivered
 */
export async function readEvents(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  told: (event: SseEvent) => void,
  heard: () => void,
  read: () => void = () => undefined,
): Promise<void> {
  const answer = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal,
    cache: 'no-store',
    credentials: 'same-origin',
  });
  if (!answer.ok || !answer.body) {
    const body = await answer.text();
    let detail = answer.statusText;
    try {
      detail = (JSON.parse(body) as { detail?: string }).detail ?? detail;
    } catch {
      // not JSON: the status line is enough
    }
    throw new Refused(answer.status, detail);
  }
  heard();
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let begun: string[] = []; // of an incomplete line: the data of a snapshot comes in many pieces
  let name = '';
  let id = '';
  let data = '';
  let pausedAt = performance.now();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    let text = decoder.decode(value, { stream: true });
    let from = 0;
    let end = text.indexOf('\n');
    if (end >= 0 && begun.length > 0) {
      end += begun.reduce((sum, each) => sum + each.length, 0);
      text = [...begun, text].join('');
      begun = [];
    }
    while (end >= 0) {
      const last = end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
      if (last === from) {
        if (data !== '') told({ name: name === '' ? 'message' : name, id, data });
        name = '';
        data = '';
      } else if (text.startsWith('data:', from)) {
        const line = text.slice(text.charCodeAt(from + 5) === 32 ? from + 6 : from + 5, last);
        data = data === '' ? line : `${data}\n${line}`;
      } else if (text.startsWith('event:', from)) {
        name = text.slice(from + 6, last).trim();
      } else if (text.startsWith('id:', from)) {
        id = text.slice(from + 3, last).trim();
      }
      from = end + 1;
      end = text.indexOf('\n', from);
    }
    if (from < text.length) begun.push(text.slice(from));
    read();
    // While input is always available, reading never waits: messages of the page would not get their turn.
    if (performance.now() - pausedAt > TURN_MILLIS) {
      await turn();
      pausedAt = performance.now();
    }
  }
}
