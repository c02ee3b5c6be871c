// Events for a file are read page by page, up to a bound, with progress. Ends with a fault if they are not.
import { newestEvents } from '../../main/web/page/eventfile';
import type { AuditEntry } from '../../main/web/protocol';

const paths: string[] = [];

/** A log of so many events in pages. */
const log = (size: number) => (path: string) => {
  paths.push(path);
  const query = new URLSearchParams(path.split('?')[1]);
  const from = Number(query.get('cursor') ?? 0);
  const to = Math.min(size, from + Number(query.get('limit')));
  const items = Array.from({ length: to - from }, (_, i) => ({ id: size - from - i }) as AuditEntry);
  return Promise.resolve({ items, next: to < size ? String(to) : null });
};

function expect(what: string, is: unknown, wanted: unknown): void {
  if (JSON.stringify(is) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(is)} is not ${JSON.stringify(wanted)}`);
}

const told: number[] = [];
const all = await newestEvents(log(2500), '&severity=error', () => true, read => told.push(read));
expect('all of a small log', [all.items.length, all.read, all.more, all.items[0]?.id, all.items.at(-1)?.id], [2500, 2500, false, 2500, 1]);
expect('progress', told, [1000, 2000, 2500]);
expect('pages', paths, [
  'api/v1/events?limit=1000&severity=error', 'api/v1/events?limit=1000&severity=error&cursor=1000', 'api/v1/events?limit=1000&severity=error&cursor=2000',
]);
const some = await newestEvents(log(2500), '', entry => entry.id % 10 === 0, () => undefined, 1500);
expect('up to the bound', [some.items.length, some.read, some.more, some.items[0]?.id], [150, 1500, true, 2500]);
const whole = await newestEvents(log(1500), '', () => true, () => undefined, 1500);
expect('a log that ends at the bound', [whole.read, whole.more], [1500, false]);
expect('an empty log', await newestEvents(log(0), '', () => true, () => undefined), { items: [], read: 0, more: false });
