// The search of events: words that all have to match, and keys whose filters the interface has.
import type { AuditEntry } from '../protocol';

export interface EventQuery {
  /** Values of keys, as the interface takes them; in the order of the search. */
  keys: [key: 'vm' | 'host' | 'event', value: string][];
  /** Lower case. */
  words: string[];
}

const PART = /(?:(vm|host|event):)?(?:"([^"]*)"?|(\S+))/gi;

export function parseEvents(search: string): EventQuery {
  const found: EventQuery = { keys: [], words: [] };
  for (const [, key, quoted, plain] of search.matchAll(PART)) {
    const value = quoted ?? plain ?? '';
    const name = key?.toLowerCase() as 'vm' | 'host' | 'event' | undefined;
    if (value === '') continue;
    if (name === undefined) found.words.push(value.toLowerCase());
    else found.keys = [...found.keys.filter(([other]) => other !== name), [name, value]]; // the interface takes one of each
  }
  return found;
}

/** The filters as parameters, each with an ampersand before it. */
export const filtersOf = ({ keys }: EventQuery): string => keys.map(([key, value]) => `&${key}=${encodeURIComponent(value)}`).join('');

/** Whether an event has all words. */
export function hasWords({ words }: EventQuery, { text, event, vmName, hostName }: AuditEntry): boolean {
  const searched = `${text}\n${event}\n${vmName ?? ''}\n${hostName ?? ''}`.toLowerCase();
  return words.every(word => searched.includes(word));
}

/** Whether an event that the interface did not filter fits the keys. */
export function hasKeys({ keys }: EventQuery, entry: AuditEntry): boolean {
  const values = { vm: [entry.vmId, entry.vmName], host: [entry.hostId, entry.hostName], event: [entry.event, String(entry.code)] };
  return keys.every(([key, value]) => values[key].some(each => each?.toLowerCase() === value.toLowerCase()));
}
