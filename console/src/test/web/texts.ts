// A search finds a word in each text that contains it, and in no other one. The filters in front of the texts do not change the result. The program throws if they do.
import { Texts } from '../../main/web/worker/texts';

const SLOTS = 9000; // more than there is room for at first
const LETTERS = '0123456789abcdefxyz-.: äß\u{1f600}';

let state = 7;
const below = (most: number) => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return Math.floor((state / 0x80000000) * most);
};
const letters = [...LETTERS];
const word = (length: number) => Array.from({ length }, () => letters[below(letters.length)]!).join('');

const known = Array.from({ length: SLOTS }, () => `${word(below(20))}\n${word(below(40))}`);
const texts = new Texts(slot => known[slot]!);
const parts = ['', ...letters, ...Array.from({ length: 40 }, () => word(2)), ...Array.from({ length: 20 }, () => word(3)), 'qu', '\u{1f601}'];

for (let round = 0; round < 3; round++) {
  let found = 0;
  for (const part of parts) {
    const contains = texts.containing(part);
    const begins = texts.beginning(part);
    for (let slot = SLOTS - 1; slot >= 0; slot--) {
      const text = known[slot]!;
      if (contains(slot)) found++;
      if (contains(slot) !== text.includes(part)) throw new Error(`round ${round}: ${JSON.stringify(part)} in ${JSON.stringify(text)}`);
      if (begins(slot) !== text.split('\n')[0]!.includes(part)) throw new Error(`round ${round}: ${JSON.stringify(part)} in the first line of ${JSON.stringify(text)}`);
    }
  }
  if (found < SLOTS) throw new Error('the words are in too few texts to show anything');
  // Others are in their place: what was known of the texts before is not used.
  for (let slot = 0; slot < SLOTS; slot += 2) {
    known[slot] = `${word(below(20))}\n${word(below(40))}`;
    texts.forget(slot);
  }
}
