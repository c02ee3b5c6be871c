// Long work in turns: messages that arrive in between wait for milliseconds, however many VMs there are and however slow the machine is.

/** How long work may take before waiting tasks get their turn. */
export const TURN_MILLIS = 8;

const LOOK = 256; // values between two looks at the clock
const turns = new MessageChannel();
const waiting: (() => void)[] = [];
turns.port1.onmessage = () => waiting.shift()?.();

/** Lets all waiting tasks run. A timer of no time would take four milliseconds. */
export const turn = () => new Promise<void>(go => {
  waiting.push(go);
  turns.port2.postMessage(null);
});

/** Handles values one after the other. */
export async function inTurns<T>(values: Iterable<T>, handle: (value: T) => void): Promise<void> {
  let begin = performance.now();
  let count = 0;
  for (const value of values) {
    handle(value);
    if (++count % LOOK !== 0 || performance.now() - begin < TURN_MILLIS) continue;
    await turn();
    begin = performance.now();
  }
}
