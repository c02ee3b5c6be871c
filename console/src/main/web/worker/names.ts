// Natural order of names: vm-9 before vm-10; the order ignores case.

const DIGITS = /\d+/g;

/** A text whose plain order is the natural order of the name. */
export function naturalKey(name: string): string {
  return name.toLowerCase().replace(DIGITS, digits => digits.padStart(12, '0'));
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
  if (network === 0 || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return null;
  const size = 2 ** (32 - Number(bits));
  const first = Math.floor(network / size);
  return addresses => addresses.split(/[\s,]+/).some(each => {
    const key = ipv4Key(each);
    return key !== 0 && Math.floor(key / size) === first;
  });
}
