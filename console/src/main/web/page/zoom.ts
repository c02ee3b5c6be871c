// Zooms and moves of the period of a chart by keys.

/** A period, seconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

const LEAST_SECONDS = 60;
const MOST_SECONDS = 5 * 365 * 86_400; // as long as histories are kept
const PART = 4; // a move goes on by this part of the period
const NEAR = 20; // a period that ends so little of its length before now ends with the newest data

/** The same period, ended by now. */
const until = (now: number, { from, to }: Span): Span => (to > now ? { from: from - (to - now), to: now } : { from, to });

/** The period after a key; null for the whole period, undefined if the key changes nothing. */
export function afterKey(key: string, { from, to }: Span, now: number): Span | null | undefined {
  const width = to - from;
  const middle = (from + to) / 2;
  const around = (seconds: number) => until(now, { from: middle - seconds / 2, to: middle + seconds / 2 });
  switch (key) {
    case '+':
    case '=': // the key of the plus without Shift
      if (width <= LEAST_SECONDS) return undefined;
      if (now - to <= width / NEAR) return { from: to - Math.max(LEAST_SECONDS, width / 2), to }; // the newest data stays
      return around(Math.max(LEAST_SECONDS, width / 2));
    case '-':
      return width * 2 > MOST_SECONDS ? null : around(width * 2);
    case 'ArrowLeft':
      return { from: from - width / PART, to: to - width / PART };
    case 'ArrowRight':
      return to >= now ? undefined : until(now, { from: from + width / PART, to: to + width / PART });
    case '0':
      return null;
    default:
      return undefined;
  }
}
