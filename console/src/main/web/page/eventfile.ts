// Events for a file: pages of the engine's log, the newest first, up to a bound.
import type { AuditEntry } from '../protocol';

export const MOST_EXPORTED = 100_000;
const PAGE = 1000;

interface EventPage {
  items: AuditEntry[];
  next: string | null;
}

export interface Export {
  items: AuditEntry[];
  /** Events that were read; those that do not fit are not among the items. */
  read: number;
  /** Whether the log has older ones beyond the bound. */
  more: boolean;
}

/**
 * Reads the newest events, and keeps those that fit.
 *
 * @param read reads a path of the interface
 * @param query the filters, as parameters each with an ampersand before it
 * @param told receives the number of events read, after each page
 */
export async function newestEvents(
  read: (path: string) => Promise<EventPage>,
  query: string,
  fits: (entry: AuditEntry) => boolean,
  told: (read: number) => void,
  most = MOST_EXPORTED,
): Promise<Export> {
  const items: AuditEntry[] = [];
  let count = 0;
  let next: string | null = null;
  do {
    const limit = Math.min(PAGE, most - count);
    const page: EventPage = await read(`api/v1/events?limit=${limit}${query}${next === null ? '' : `&cursor=${encodeURIComponent(next)}`}`);
    count += page.items.length;
    for (const entry of page.items) if (fits(entry)) items.push(entry);
    next = page.items.length === 0 ? null : page.next;
    told(count);
  } while (next !== null && count < most);
  return { items, read: count, more: next !== null };
}
