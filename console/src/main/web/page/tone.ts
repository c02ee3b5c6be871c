const GOOD = new Set(['up', 'succeeded', 'normal']);
const BAD = new Set([
  'not_responding', 'unknown', 'non_responsive', 'error', 'non_operational', 'image_illegal', 'failed', 'alert', 'install_failed', 'refused', 'open', 'firing', 'critical',
]);
const WARN = new Set([
  'paused', 'connecting', 'unassigned', 'initializing', 'kdumping', 'reboot', 'warning', 'preparing_for_maintenance', 'cancelled',
]);
const BUSY = new Set([
  'powering_up', 'powering_down', 'migrating_from', 'migrating_to', 'wait_for_launch', 'reboot_in_progress', 'saving_state', 'restoring_state',
  'running', 'queued',
]);

/** How a status looks: good, bad, warn, busy, or neither. */
export function tone(status: string): string {
  return GOOD.has(status) ? 'good' : BAD.has(status) ? 'bad' : WARN.has(status) ? 'warn' : BUSY.has(status) ? 'busy' : 'idle';
}
