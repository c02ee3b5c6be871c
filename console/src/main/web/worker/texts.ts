// The texts of VMs that words of a search are looked for in.

const FIRST_CAPACITY = 4096;
const HEX = 16;
const HEX_PAIR_WORDS = (HEX * HEX) / 32; // a bit for each two hexadecimal digits: addresses, ids and numbers in names consist of them
const OTHER_PAIR_WORDS = 4; // 128 bits for all other pairs, several of which share one
const LETTER_WORDS = 2; // a bit for each digit and letter
const OTHER_PAIRS = HEX_PAIR_WORDS;
const LETTERS = OTHER_PAIRS + OTHER_PAIR_WORDS;
const WORDS = LETTERS + LETTER_WORDS;

/** The number of a digit or a lower-case letter; -1 for another character. */
const letterOf = (code: number): number => (code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 122 ? code - 87 : -1);

/** Sets the bits of a text's characters, and of each two that follow each other. */
function mark(text: string, filters: Int32Array, at: number): void {
  let before = 0;
  let letterBefore = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letter = letterOf(code);
    if (letter >= 0) filters[at + LETTERS + (letter >>> 5)]! |= 1 << (letter & 31);
    if (letter >= 0 && letter < HEX && letterBefore >= 0 && letterBefore < HEX) {
      const pair = letterBefore * HEX + letter;
      filters[at + (pair >>> 5)]! |= 1 << (pair & 31);
    } else if (i > 0) {
      const pair = (before * 31 + code) & (OTHER_PAIR_WORDS * 32 - 1);
      filters[at + OTHER_PAIRS + (pair >>> 5)]! |= 1 << (pair & 31);
    }
    before = code;
    letterBefore = letter;
  }
}

/** Whether the bits of a part have no other meaning: a text with them contains it. */
function isExact(part: string): boolean {
  const letters = [...part].map(each => letterOf(each.charCodeAt(0)));
  return part.length === 1 ? letters[0]! >= 0 : part.length === 2 && letters.length === 2 && letters.every(letter => letter >= 0 && letter < HEX);
}

/**
 * A text for each slot, made when it is needed. The texts of 100 000 VMs lie all over the memory, and a look into each of them takes longer
 * than all else of a search. So each text has a filter of 56 bytes in one array, with bits for its characters and for pairs of them. It answers
 * by itself for the first two keys of a number; for other words it leaves fewer texts to look into.
 */
export class Texts {
  private texts: string[] = [];
  private made = new Uint8Array(FIRST_CAPACITY);
  private filters = new Int32Array(FIRST_CAPACITY * WORDS);

  /** @param textOf makes the text of a slot */
  constructor(private readonly textOf: (slot: number) => string) {}

  /** The text of a slot is another: it is made again when it is needed. */
  forget(slot: number): void {
    if (this.made[slot] === 1) {
      this.made[slot] = 0;
      this.texts[slot] = '';
    }
  }

  /** Makes the text of a slot, unless it is known. */
  make(slot: number): void {
    if (this.made[slot] === 1) return;
    if (slot >= this.made.length) this.grow(slot);
    const text = this.textOf(slot);
    this.texts[slot] = text;
    this.filters.fill(0, slot * WORDS, (slot + 1) * WORDS);
    mark(text, this.filters, slot * WORDS);
    this.made[slot] = 1;
  }

  private grow(slot: number): void {
    const capacity = Math.max(slot + 1, this.made.length * 2);
    const made = new Uint8Array(capacity);
    made.set(this.made);
    this.made = made;
    const filters = new Int32Array(capacity * WORDS);
    filters.set(this.filters);
    this.filters = filters;
  }

  /** A test whether the text of a slot contains a part; it is valid until a slot is added. */
  containing(part: string): (slot: number) => boolean {
    const wanted = new Int32Array(WORDS);
    mark(part, wanted, 0);
    const places: number[] = [];
    const bits: number[] = [];
    wanted.forEach((word, place) => {
      if (word === 0) return;
      places.push(place);
      bits.push(word);
    });
    const isKnown = isExact(part);
    return slot => {
      if (this.made[slot] !== 1) this.make(slot);
      const at = slot * WORDS;
      for (let i = 0; i < places.length; i++) {
        const bit = bits[i]!;
        if ((this.filters[at + places[i]!]! & bit) !== bit) return false;
      }
      return isKnown || this.texts[slot]!.includes(part);
    };
  }

  /** A test whether the first line of a slot's text contains a part. */
  beginning(part: string): (slot: number) => boolean {
    const contains = this.containing(part);
    return slot => {
      if (!contains(slot)) return false;
      const text = this.texts[slot]!;
      return text.indexOf(part) + part.length <= text.indexOf('\n');
    };
  }
}
