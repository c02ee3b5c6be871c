// Labels and annotations survive the form that shows them. Ends with a fault if one does not.
declare const process: { exit: (code: number) => never };

const { lines, pairs } = await import('../../main/web/page/pairs');

const texts = { summary: 'first line\nsecond=line\r\nthird', path: 'C:\\new\\\\', plain: 'a = b', empty: '' };
const shown = lines(texts);
if (shown.split('\n').length !== 4) throw new Error(`not a line for each: ${shown}`);
if (JSON.stringify(pairs(shown)) !== JSON.stringify(texts)) throw new Error(`others than before: ${JSON.stringify(pairs(shown))}`);
if (JSON.stringify(pairs(' a = b \n\n c=\\d\\n')) !== JSON.stringify({ a: 'b', c: '\\d\n' })) throw new Error('typed pairs are not read');
process.exit(0);

export {};
