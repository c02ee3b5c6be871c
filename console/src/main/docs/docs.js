// The search: its index is read at the first key, and every word must be in a section or its headings.
const root = document.documentElement.dataset.root;
const field = document.getElementById('search');
const list = document.getElementById('results');
const MOST = 25;
const AROUND = 80;
const MOST_TIMES = 3;
// Pages with instructions come first, reasons and history last.
const FIRST = /^how-to\//;
const LAST = /^(adr\/|changelog\.html|index\.html)/;
let index = null;

const read = () =>
  (index ??= fetch(root + 'search.json')
    .then((answer) => answer.json())
    .catch(() => ((index = null), [])));

const score = (words, title, heading, text) => {
  let sum = 0;
  for (const word of words) {
    const found = (heading.includes(word) ? 5 : 0) + (title.includes(word) ? 3 : 0) + Math.min(text.split(word).length - 1, MOST_TIMES);
    if (!found) return 0;
    sum += found;
  }
  return sum;
};

const find = (pages, words) => {
  const hits = [];
  for (const [page, title, sections] of pages) {
    for (const [anchor, heading, text] of sections) {
      const points = score(words, title.toLowerCase(), heading.toLowerCase(), text.toLowerCase());
      if (points) hits.push({ points: points * (LAST.test(page) ? 0.1 : FIRST.test(page) ? 1.5 : 1), url: root + page + (anchor ? '#' + anchor : ''), title, heading, text });
    }
  }
  return hits.sort((a, b) => b.points - a.points).slice(0, MOST);
};

const shown = (hit, word) => {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = hit.url;
  link.textContent = hit.title === hit.heading ? hit.title : hit.title + ' – ' + hit.heading;
  const at = Math.max(0, hit.text.toLowerCase().indexOf(word) - AROUND);
  const words = item.appendChild(document.createElement('p'));
  words.textContent = (at ? '…' : '') + hit.text.slice(at, at + 2 * AROUND) + '…';
  return item;
};

const search = async () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.hidden = !words.length;
  if (!words.length) return;
  const pages = await read();
  if (words.join() !== field.value.toLowerCase().split(/\s+/).filter(Boolean).join()) return; // typed on meanwhile
  const hits = find(pages, words);
  const none = document.createElement('li');
  none.textContent = 'Nothing found';
  list.replaceChildren(...(hits.length ? hits.map((hit) => shown(hit, words[0])) : [none]));
};

field.addEventListener('input', search);
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
