// The language of the search field: words that all have to match, `key:value`, `-` for the opposite.

export const KEYS = ['name', 'ip', 'fqdn', 'host', 'cluster', 'status', 'id', 'is'] as const;
export type Key = (typeof KEYS)[number];
export const STATES = ['trouble', 'stale', 'selected', 'running'] as const;

export interface Term {
  key: Key | 'any';
  /** Lower case. */
  value: string;
  negated: boolean;
}

export interface Parsed {
  terms: Term[];
  /** What is wrong with the search; empty if nothing is. */
  error: string;
}

const WORD = /(-)?(?:([A-Za-z]+)[:=])?(?:"([^"]*)"?|(\S+))/g;

export function parse(search: string): Parsed {
  const terms: Term[] = [];
  let error = '';
  for (const match of search.matchAll(WORD)) {
    const [whole, minus, key, quoted, plain] = match;
    const value = (quoted ?? plain ?? '').toLowerCase();
    const lower = key?.toLowerCase();
    if (lower === undefined) {
      if (value !== '' && value !== '-') terms.push({ key: 'any', value, negated: minus !== undefined });
    } else if ((KEYS as readonly string[]).includes(lower)) {
      if (lower === 'is' && !(STATES as readonly string[]).includes(value)) {
        error = `is:${value} is none of is:${STATES.join(', is:')}`;
      } else {
        terms.push({ key: lower as Key, value, negated: minus !== undefined });
      }
    } else if (whole.includes(':') && plain !== undefined) {
      // An IPv6 address has colons, too.
      terms.push({ key: 'any', value: whole.replace(/^-/, '').toLowerCase(), negated: minus !== undefined });
    } else {
      error = `There is no key ${key}; the keys are ${KEYS.join(', ')}`;
    }
  }
  return { terms, error };
}

/** Statuses are typed with spaces, underscores or hyphens. */
export function statusMatches(status: string, value: string): boolean {
  return status.replaceAll('_', ' ').includes(value.replace(/[_-]/g, ' ')) || status.includes(value);
}
