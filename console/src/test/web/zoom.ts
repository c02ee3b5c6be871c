// Keys zoom and move the period of a chart within its bounds. Ends with a fault if they do not.
import { afterKey, type Span } from '../../main/web/page/zoom';

const NOW = 1_000_000;

function expect(what: string, is: Span | null | undefined, wanted: Span | null | undefined): void {
  if (JSON.stringify(is) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(is)} is not ${JSON.stringify(wanted)}`);
}

const hour: Span = { from: NOW - 7200, to: NOW - 3600 };
expect('in', afterKey('+', hour, NOW), { from: NOW - 6300, to: NOW - 4500 });
expect('in without Shift', afterKey('=', hour, NOW), { from: NOW - 6300, to: NOW - 4500 });
expect('out', afterKey('-', hour, NOW), { from: NOW - 9000, to: NOW - 1800 });
expect('out ends now', afterKey('-', { from: NOW - 3600, to: NOW }, NOW), { from: NOW - 7200, to: NOW });
expect('to the left', afterKey('ArrowLeft', hour, NOW), { from: NOW - 8100, to: NOW - 4500 });
expect('to the right', afterKey('ArrowRight', hour, NOW), { from: NOW - 6300, to: NOW - 2700 });
expect('to the right, as far as now', afterKey('ArrowRight', { from: NOW - 3700, to: NOW - 100 }, NOW), { from: NOW - 3600, to: NOW });
expect('nothing is right of now', afterKey('ArrowRight', { from: NOW - 3600, to: NOW }, NOW), undefined);
expect('the whole period', afterKey('0', hour, NOW), null);
expect('another key', afterKey('x', hour, NOW), undefined);
expect('a minute is the least', afterKey('+', { from: NOW - 190, to: NOW - 100 }, NOW), { from: NOW - 175, to: NOW - 115 });
expect('the newest data stays', afterKey('+', { from: NOW - 3615, to: NOW - 15 }, NOW), { from: NOW - 1815, to: NOW - 15 });
expect('less than a minute is not', afterKey('+', { from: NOW - 60, to: NOW }, NOW), undefined);
let span: Span | null | undefined = hour;
for (let i = 0; i < 40 && span; i++) span = afterKey('-', span, NOW);
expect('far enough out is the whole period', span, null);
