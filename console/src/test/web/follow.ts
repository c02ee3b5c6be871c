// A batch whose stream falls silent is followed on a new one. Ends with a fault if it is not.
declare const process: { exit: (code: number) => never };

export {};

let now = 1e12;
const ticks = new Set<() => void>();
const wait = (millis: number) => new Promise<void>(go => realTimeout(go, millis));
const realTimeout = setTimeout;
Date.now = () => now;
Object.assign(globalThis, {
  document: { hidden: false, baseURI: 'http://engine.example/' },
  BroadcastChannel: class {
    onmessage = null;
    postMessage(): void {}
  },
  setInterval: (run: () => void) => {
    ticks.add(run);
    return run;
  },
  clearInterval: (run: () => void) => ticks.delete(run),
  setTimeout: (run: () => void) => realTimeout(run, 0),
});

let streams = 0;
const opened = (): number => streams;
const encoder = new TextEncoder();
globalThis.fetch = ((_: string, { signal }: { signal: AbortSignal }) => {
  streams++;
  const last = streams > 1;
  return Promise.resolve(new Response(new ReadableStream<Uint8Array>({
    start(out) {
      out.enqueue(encoder.encode(last ? 'event: end\ndata: {}\n\n' : ': here\n\n'));
      if (last) out.close();
      else signal.addEventListener('abort', () => out.error(new Error('aborted')));
    },
  })));
}) as typeof fetch;

function pass(millis: number): void {
  now += millis;
  for (const tick of ticks) tick();
}

const { followBatch } = await import('../../main/web/page/follow');
let known: boolean | null = null;
const end = (): boolean | null => known;
void followBatch('b', true, { wanted: () => true, known: () => [], told: () => undefined }).then(found => {
  known = found;
});
await wait(50);
pass(20_000);
await wait(50);
if (opened() !== 1) throw new Error(`after 20 s there are ${opened()} streams`);
pass(6_000);
for (let i = 0; i < 40 && end() === null; i++) await wait(50);
if (opened() !== 2 || end() !== true) throw new Error(`${opened()} streams, the batch is known: ${end()}`);
process.exit(0);
