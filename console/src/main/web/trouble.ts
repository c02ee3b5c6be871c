// The trouble of a VM, from the fields of its row: the same rule for the page and its worker.

const BAD = new Set(['unknown', 'not_responding', 'image_illegal']);
const RUNNING = new Set([
  'up', 'powering_up', 'paused', 'migrating_from', 'migrating_to', 'unknown', 'not_responding', 'wait_for_launch',
  'reboot_in_progress', 'saving_state', 'restoring_state', 'powering_down',
]);
const ERRORS = new Set(['eother', 'eio', 'enospc', 'eperm']);

export const isBad = (status: string): boolean => BAD.has(status);
export const isRunning = (status: string): boolean => RUNNING.has(status);
export const isError = (pause: string): boolean => ERRORS.has(pause);

/** Why a user should look at a VM; empty if there is no reason. */
export function reasonOf(status: string, pause: string, exit: string): string {
  if (status === 'paused' && ERRORS.has(pause)) return pause;
  if (status === 'down' && exit === 'error') return 'exit';
  return BAD.has(status) ? status : '';
}

const SPARK = { width: 64, height: 18 };

/** The points of the line of a usage: SVG's, in a box of 64 by 18. */
export function sparkline(samples: number[]): string {
  const top = Math.max(100, ...samples);
  return samples
    .map((sample, i) => `${((i * SPARK.width) / Math.max(1, samples.length - 1)).toFixed(1)},${(SPARK.height - 1 - (sample * (SPARK.height - 2)) / top).toFixed(1)}`)
    .join(' ');
}
