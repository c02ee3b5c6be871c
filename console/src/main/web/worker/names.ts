// Natural order of names: vm-9 before vm-10; the order ignores case.

const DIGITS = /\d+/g;

/** A text with a plain order equal to the natural order of the name. */
export function naturalKey(name: string): string {
  return name.toLowerCase().replace(DIGITS, digits => digits.padStart(12, '0'));
}

const DIGIT_BITS = 16;

/**
 * Sorts slots by a number of 32 bits of each, those with the same number as they are. Takes two passes at most.
 *
 * @param most the largest number
 * @return the sorted slots; the given array may be used for them
 */
export function sortBy(slots: Uint32Array, numbers: Uint32Array, most: number): Uint32Array {
  let from = slots;
  for (let shift = 0, rest = most; rest > 0; shift += DIGIT_BITS, rest = Math.floor(rest / 2 ** DIGIT_BITS)) {
    const places = new Uint32Array(Math.min(rest, 2 ** DIGIT_BITS - 1) + 2);
    const mask = 2 ** DIGIT_BITS - 1;
    for (let i = 0; i < from.length; i++) places[((numbers[from[i]!]! >>> shift) & mask) + 1]!++;
    for (let i = 1; i < places.length; i++) places[i]! += places[i - 1]!;
    const to = shift === 0 ? new Uint32Array(from.length) : slots;
    for (let i = 0; i < from.length; i++) {
      const slot = from[i]!;
      to[places[(numbers[slot]! >>> shift) & mask]!++] = slot;
    }
    from = to;
  }
  return from;
}

const MOST_DIGITS = 9;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Before or after, by natural order of names and then by id. */
export function compareNames(names: readonly string[], ids: readonly string[], a: number, b: number): number {
  const one = naturalKey(names[a]!);
  const other = naturalKey(names[b]!);
  return one < other ? -1 : one > other ? 1 : ids[a]! < ids[b]! ? -1 : 1;
}

/**
 * Slots by natural order of their names, then by id. Names of a fleet have few different words: only these are sorted
 * as texts, the first number of each name as a number. Sorting all names as texts takes ten times as long.
 */
export function naturalOrder(slots: Uint32Array, names: readonly string[], ids: readonly string[]): Uint32Array {
  const size = names.length;
  const heads = new Uint32Array(size);
  const values = new Uint32Array(size);
  const tails = new Uint32Array(size);
  const headNumbers = new Map<string, number>();
  const tailNumbers = new Map<string, number>([['', 0]]);
  let mostValue = 0;
  let last = ''; // the head of the name before, as it is written, where a number follows; mostly it is this one's, too
  let lastHead = -1;
  const numberOf = (numbers: Map<string, number>, text: string) => {
    let number = numbers.get(text);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(text, number);
    }
    return number;
  };
  for (const slot of slots) {
    const name = names[slot]!;
    let at = 0;
    while (at < name.length && !isDigit(name.charCodeAt(at))) at++;
    let end = at;
    let value = 0;
    while (end < name.length && isDigit(name.charCodeAt(end))) value = value * 10 + name.charCodeAt(end++) - 48;
    if (end === at || end - at > MOST_DIGITS) {
      // Without a number, or with one that is longer than all others: the text decides.
      heads[slot] = numberOf(headNumbers, naturalKey(name));
      values[slot] = 0;
      tails[slot] = 0;
      continue;
    }
    if (lastHead < 0 || at !== last.length || !name.startsWith(last)) {
      last = name.slice(0, at);
      lastHead = numberOf(headNumbers, `${last.toLowerCase()}0`); // a digit follows in all of them
    }
    heads[slot] = lastHead;
    values[slot] = value;
    if (value > mostValue) mostValue = value;
    tails[slot] = end === name.length ? 0 : numberOf(tailNumbers, naturalKey(name.slice(end)));
  }
  const rank = (numbers: Map<string, number>): Uint32Array => {
    const made = new Uint32Array(numbers.size);
    [...numbers.keys()].sort().forEach((text, i) => {
      made[numbers.get(text)!] = i;
    });
    return made;
  };
  const headRanks = rank(headNumbers);
  const tailRanks = rank(tailNumbers);
  for (const slot of slots) {
    heads[slot] = headRanks[heads[slot]!]!;
    tails[slot] = tailRanks[tails[slot]!]!;
  }
  let order = sortBy(Uint32Array.from(slots), tails, tailRanks.length - 1);
  order = sortBy(order, values, mostValue);
  order = sortBy(order, heads, headRanks.length - 1);
  const alike = (a: number, b: number) => heads[a] === heads[b] && values[a] === values[b] && tails[a] === tails[b];
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && alike(order[from]!, order[to]!)) to++;
    if (to - from > 1) order.set([...order.subarray(from, to)].sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1)), from);
    from = to;
  }
  return order;
}

/** The address as a number that sorts like the address; 0 if the text is no IPv4 address. */
export function ipv4Key(text: string): number {
  let part = 0;
  let parts = 0;
  let digits = 0;
  let key = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 32;
    if (code >= 48 && code <= 57) {
      part = part * 10 + code - 48;
      digits++;
      if (part > 255) return 0;
    } else {
      if (digits === 0) return 0;
      key = key * 256 + part;
      parts++;
      if (code !== 46) return parts === 4 ? key : 0;
      part = 0;
      digits = 0;
    }
  }
  return 0;
}

/** Ranks of texts in natural order: equal texts have equal ranks, the empty text has 0. */
export function ranks(texts: readonly string[]): Uint32Array {
  const keys = texts.map(naturalKey);
  const order = Uint32Array.from(keys.keys());
  const sorted = Array.from(order).sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b));
  const made = new Uint32Array(texts.length);
  let rank = 0;
  let last: string | null = null;
  for (const at of sorted) {
    const key = keys[at]!;
    if (key !== '' && key !== last) rank++;
    made[at] = key === '' ? 0 : rank;
    last = key;
  }
  return made;
}

/** A test for addresses of an IPv4 network such as 10.0.3.0/24; null if the text is none. */
export function networkTest(text: string): ((addresses: string) => boolean) | null {
  const [address = '', bits = ''] = text.split('/', 2);
  const network = ipv4Key(address);
  if ((network === 0 && address !== '0.0.0.0') || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return null;
  const size = 2 ** (32 - Number(bits));
  const first = Math.floor(network / size);
  return addresses => addresses.split(/[\s,]+/).some(each => {
    const key = ipv4Key(each);
    return key !== 0 && Math.floor(key / size) === first;
  });
}
