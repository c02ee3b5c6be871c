// The language of the search field: words that all have to match, `key:value`, `-` for the opposite.
// Keys, commas and wildcards are those of the filters of GET /api/v1/vms; `is` is the console's own.
import type { Mistake } from '../protocol';
import { networkTest } from './names';

export const KEYS = [
  'name', 'ip', 'fqdn', 'host', 'cluster', 'tag', 'withoutTag', 'status', 'id', 'is', 'stale', 'highlyAvailable', 'hypervisor', 'cpuAbove', 'cpuBelow',
  'memoryAbove', 'memoryBelow', 'networkAbove', 'networkBelow',
] as const;
/** Keys with a number of percent of which the list knows the values. */
export const NUMBERS: readonly string[] = ['cpuAbove', 'cpuBelow', 'memoryAbove', 'memoryBelow'];
const PERCENTS: readonly string[] = [...NUMBERS, 'networkAbove', 'networkBelow'];
/** Keys that the list leaves to the engine, because it does not know the values of all VMs. */
const REMOTE: readonly string[] = ['highlyAvailable', 'hypervisor', 'networkAbove', 'networkBelow'];
const FLAG = ['true', 'false'] as const;
export type Key = (typeof KEYS)[number];
export const STATES = ['trouble', 'stale', 'selected', 'running'] as const;
/** All values of the keys that have few. */
export const CHOICES: Partial<Record<string, readonly string[]>> = { is: STATES, stale: FLAG, highlyAvailable: FLAG, hypervisor: ['vdsm', 'xapi'] };

export interface Term {
  key: Key | 'any';
  /** Lower case. */
  value: string;
  negated: boolean;
}

export interface Parsed {
  terms: Term[];
  /** The mistake of the search; null for none. */
  error: Mistake | null;
}

const keyOf = (word: string): Key | undefined => KEYS.find(key => key.toLowerCase() === word);

/** The mistake in the value of a key; null for none. */
function wrong(key: Key, value: string): Mistake | null {
  const choices = CHOICES[key];
  if (choices && !choices.includes(value)) return { kind: 'choice', key, value };
  const network = key === 'ip' ? value.split(',').find(each => each.includes('/') && !networkTest(each)) : undefined;
  if (network !== undefined) return { kind: 'network', key, value: network };
  if (PERCENTS.includes(key) && !(value !== '' && Number(value) >= 0 && Number(value) <= 100)) return { kind: 'percent', key, value };
  return null;
}

/** The filter of the interface that answers a term; null if the list answers it. */
export const remote = ({ key, value }: Term): string | null => (REMOTE.includes(key) ? `${key}=${encodeURIComponent(value)}` : null);

/** Letters that may be a part of an address. */
const HEXADECIMAL = /^[a-f]{1,4}$/;
const WORD = /(-)?(?:([A-Za-z]+)[:=])?(?:"([^"]*)"?|(\S+))/g;

export function parse(search: string): Parsed {
  const terms: Term[] = [];
  let error: Mistake | null = null;
  for (const match of search.matchAll(WORD)) {
    const [whole, minus, key, quoted, plain] = match;
    const value = (quoted ?? plain ?? '').toLowerCase();
    const lower = key?.toLowerCase();
    if (lower === undefined) {
      if (value !== '' && value !== '-') terms.push({ key: 'any', value, negated: minus !== undefined });
    } else if (keyOf(lower)) {
      const known = keyOf(lower)!;
      const trouble = wrong(known, value);
      if (trouble !== null) error = trouble;
      else terms.push({ key: known, value, negated: minus !== undefined });
    } else if (whole.includes(':') && plain !== undefined && HEXADECIMAL.test(lower)) {
      // An IPv6 address has colons, too.
      terms.push({ key: 'any', value: whole.replace(/^-/, '').toLowerCase(), negated: minus !== undefined });
    } else {
      error = { kind: 'key', key: key!, value };
    }
  }
  return { terms, error };
}

/** Statuses are typed with spaces, underscores or hyphens. */
export function statusMatches(status: string, value: string): boolean {
  return status.replaceAll('_', ' ').includes(value.replace(/[_-]/g, ' ')) || status.includes(value);
}

/** A test of texts, which are lower case: part of it, or all of it where the pattern has * or ?. */
export function textTest(pattern: string): (text: string) => boolean {
  if (!/[*?]/.test(pattern)) return text => text.includes(pattern);
  const whole = new RegExp(
    `^${pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
  return text => whole.test(text);
}

/** One test for values that are separated by commas: any of them. */
export function anyTest(value: string): (text: string) => boolean {
  const tests = value.split(',').filter(each => each !== '').map(textTest);
  return text => tests.some(test => test(text));
}

/** One test for whole texts, lower case, that are separated by commas: any of them; * and ? stand for others. */
export function wholeTest(value: string): (text: string) => boolean {
  const tests = value.split(',').map(each => each.trim()).filter(each => each !== '')
    .map(each => (/[*?]/.test(each) ? textTest(each) : (text: string) => text === each));
  return text => tests.some(test => test(text));
}

/** Whether all that fits some terms fits others, too: each of them is the same, or the same word with more letters. */
export function narrows(before: readonly Term[], after: readonly Term[]): boolean {
  return after.length >= before.length && before.every((term, i) => {
    const next = after[i]!;
    if (term.key !== next.key || term.negated !== next.negated) return false;
    if (term.value === next.value) return true;
    const words = term.key === 'any' || term.key === 'name' || term.key === 'fqdn';
    return words && !term.negated && !/[,*?]/.test(term.value + next.value) && next.value.includes(term.value);
  });
}
