// Every English text of the console. Another language is another object of this shape.

const number = new Intl.NumberFormat();
const n = (value: number) => number.format(value);
const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`;

export const text = {
  title: 'Stillwater',
  number: n,
  skip: 'Skip to the list',
  pages: { vms: 'VMs', hosts: 'Hosts', clusters: 'Clusters', operations: 'Operations', events: 'Events', map: 'Map' },
  link: {
    wait: 'Connecting…',
    loading: (loaded: number) => `Loading ${n(loaded)} VMs…`,
    live: 'Live',
    lost: (seconds: number) => `Connection lost ${n(seconds)} s ago, data is not updated`,
    refused: 'No access',
  },
  noRole: (name: string) => `${name} has no role that shows anything here.`,
  trouble: (count: number) => `${n(count)} in trouble`,
  theme: { label: 'Colours', system: 'System', light: 'Light', dark: 'Dark' },
  logout: 'Log out',
  logoutFailed: 'Logging out failed. Load the page again and try once more.',
  close: 'Close',
  cancel: 'Cancel',
  vms: {
    count: (matched: number, total: number) => (matched === total ? many(total, 'VM', 'VMs') : `${n(matched)} of ${many(total, 'VM', 'VMs')}`),
    search: 'Search VMs',
    searchHint: 'name, IP, FQDN, host, status, host:…, is:trouble',
    help: 'Words that all have to match name, IP, FQDN, id, host or status. Keys: name: ip: fqdn: host: cluster: status: id: is:trouble is:stale is:running is:selected. A minus reverses: -status:up.',
    columns: 'Columns',
    grid: 'Virtual machines',
    none: 'No VM matches.',
    noneAtAll: 'There are no VMs.',
    selectAll: (count: number) => `Select all ${n(count)}`,
    selected: (count: number) => `${n(count)} selected`,
    unselect: 'Clear selection',
    never: 'never',
    noHost: '–',
    late: (age: string) => `The newest report is ${age} old`,
    staleRow: (why: string) => `Data is not current. ${why}`,
    newestReport: (age: string) => `newest report ${age} ago`,
    column: {
      name: 'Name', status: 'Status', host: 'Host', ip: 'IP', fqdn: 'FQDN', cluster: 'Cluster', cpu: 'CPU', memory: 'Memory',
      changed: 'Changed', age: 'Age', trouble: 'Trouble first',
    },
    sortBy: 'Sort by',
  },
  pauseReasons: {
    eother: 'paused by an error', eio: 'paused: input/output error of its storage', enospc: 'paused: its storage is full',
    eperm: 'paused: no permission for its storage', exit: 'ended with an error', unknown: 'its host does not answer',
    not_responding: 'its monitor does not answer', image_illegal: 'a disk image is illegal',
  } as Record<string, string>,
  actions: {
    start: 'Start', shutdown: 'Shut down', stop: 'Stop', reboot: 'Reboot', suspend: 'Suspend', resume: 'Resume', migrate: 'Migrate',
  },
  done: {
    start: 'Starting', shutdown: 'Shutting down', stop: 'Stopping', reboot: 'Rebooting', suspend: 'Suspending', resume: 'Resuming', migrate: 'Migrating',
  },
  act: {
    title: (action: string, count: number) => `${action} ${many(count, 'VM', 'VMs')}?`,
    checking: 'Checking what the engine will refuse…',
    will: (action: string, count: number) => `${action}: ${many(count, 'VM', 'VMs')}`,
    refused: (count: number) => `${many(count, 'VM', 'VMs')} refused:`,
    refusal: (count: number, reason: string, names: string) => `${n(count)} × ${reason} (${names})`,
    destroys: 'Stop ends the processes of the VMs at once: guests lose what they have not written to disk.',
    target: 'To host',
    anywhere: 'where it fits',
    confirm: (action: string, count: number) => `${action} ${n(count)}`,
    failed: (detail: string) => `The engine refused the request: ${detail}`,
    unreachable: 'The engine does not answer. Nothing is known to have begun.',
    noPlaces: 'A check looks at states and roles. Hosts are chosen when the action runs.',
    only: 'No action is possible: every VM is refused.',
  },
  jobs: {
    title: 'Batches',
    line: (action: string, count: number) => `${action} ${many(count, 'VM', 'VMs')}`,
    progress: (done: number, total: number, failed: number) =>
      `${n(done)} of ${n(total)} ended${failed > 0 ? `, ${n(failed)} failed` : ''}`,
    refused: (count: number) => `${n(count)} refused`,
    cancel: 'Cancel',
    retry: (count: number) => `Try ${n(count)} again`,
    dismiss: 'Dismiss',
    details: 'Every VM',
    lost: 'The engine no longer knows this batch.',
    notCancelled: (count: number) => `${n(count)} could not be cancelled`,
    more: (count: number) => `and ${n(count)} more`,
    result: {
      queued: 'queued', running: 'running', succeeded: 'done', failed: 'failed', cancelled: 'cancelled', refused: 'refused',
    } as Record<string, string>,
  },
  login: {
    title: 'Log in again',
    why: 'Your login has ended. Log in to continue where you are.',
    name: 'Name',
    password: 'Password',
    submit: 'Log in',
    wrong: 'The name or the password is wrong.',
    later: 'Too many logins failed. Try again later.',
    failed: 'The login failed.',
    oidc: "Log in with your organisation's account in a new tab",
    done: 'I have logged in',
  },
  detail: {
    title: 'Details',
    gone: 'This VM does not exist, or you may not see it.',
    unreachable: 'The engine does not answer. These are the details as last read.',
    since: 'Last change', host: 'Host', ips: 'Addresses', fqdn: 'FQDN', os: 'Guest system',
    cpus: 'CPUs', memory: 'Memory', started: 'Last start', stopped: 'Last stop', exit: 'Last end', id: 'Id',
    migratingTo: 'Migrates to', claims: 'Also reported by',
    late: 'Late data',
    cpu: 'CPU, %', memoryUsage: 'Memory, %', network: 'Network, B/s', disk: 'Disks, B/s',
    lastHour: 'Last hour', noSamples: 'No samples in the last hour.',
    devices: 'Devices', events: 'Events', operations: 'Operations', none: 'none',
    receive: 'receive', send: 'send', read: 'read', write: 'write', usage: 'usage', loadingChart: 'Loading the chart…',
  },
  hosts: {
    grid: 'Hosts', search: 'Search hosts', name: 'Name', status: 'Status', address: 'Address', vms: 'VMs', cpu: 'CPU', memory: 'Memory',
    reason: 'Health', actions: 'Actions', maintenance: 'Maintenance', activate: 'Activate', showVms: 'Show VMs',
    well: 'well', none: 'No host matches.',
    confirm: (name: string, vms: number) => `Put ${name} into maintenance? ${vms === 0 ? 'It has no VMs.' : `Its ${many(vms, 'VM', 'VMs')} will migrate to other hosts.`}`,
    why: 'Reason (optional)',
    ordered: (name: string, status: string) => `${name} is ${status}`,
    percent: (value: number) => `${n(value)} %`,
    unknown: 'unknown',
  },
  conditions: {
    starting: 'has not answered yet', flooding: 'sends more events than one host may', contested: 'reports VMs that another host is responsible for',
    intake_failed: 'runs VMs that the engine could not add', slow: 'answers slowly', overdue: 'has sent no complete answer for two intervals',
    silent: 'does not answer', untrusted: 'shows a certificate that is refused', recovering: 'its agent has just started',
    non_operational: 'must not run VMs', failed: 'has failed', draining: 'waits for its VMs to leave',
  } as Record<string, string>,
  events: {
    grid: 'Events', search: 'Search events', severity: 'At least', any: 'any severity', time: 'Time', event: 'Event', text: 'Text', object: 'Object',
    none: 'No event matches.', older: 'Older events', severities: { normal: 'normal', warning: 'warning', error: 'error', alert: 'alert' } as Record<string, string>,
    json: 'Save as JSON', newest: (count: number) => `${n(count)} newest`,
  },
  clusters: { grid: 'Clusters', name: 'Name', hosts: 'Hosts', version: 'Version', cpu: 'CPU type', silent: 'Silent hosts', description: 'Description', none: 'There are no clusters.' },
  operations: {
    grid: 'Operations', kind: 'Operation', state: 'State', step: 'Step', object: 'Object', by: 'Requested by', created: 'Begin', cancel: 'Cancel',
    none: 'There are no operations.', any: 'any state', off: 'This engine runs no operations.',
  },
  map: {
    label: (count: number) => `Map of ${many(count, 'VM', 'VMs')} by host. Click a cell for details.`,
    by: 'Colour', status: 'State', cpu: 'CPU', memory: 'Memory', noHost: 'on no host',
    legend: ['unknown', 'paused by error', 'stale', 'ended with an error', 'changing', 'up', 'suspended', 'down'],
  },
  palette: { title: 'Go to', hint: 'A page, an action, a VM or a host', vm: 'VM', host: 'Host', page: 'Page', action: 'Action', none: 'Nothing found.' },
  help: {
    title: 'Keys',
    keys: [
      ['/', 'Search'], ['Ctrl K', 'Go to a page, VM or host'], ['↑ ↓ PgUp PgDn Home End', 'Move in the list'], ['Enter', 'Details'],
      ['Space', 'Select'], ['Shift ↑ ↓, Shift Space', 'Select a range'], ['Ctrl A', 'Select all that match'], ['Esc', 'Close, clear the selection'],
      ['g v, g h, g c, g o, g e, g m', 'VMs, hosts, clusters, operations, events, map'], ['?', 'These keys'],
    ] as [string, string][],
  },
};

export const words = (status: string): string => status.replaceAll('_', ' ');

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in one unit, as a row has room for. */
export function ago(millis: number): string {
  if (millis < MINUTE) return `${Math.max(0, Math.floor(millis / SECOND))} s`;
  if (millis < HOUR) return `${Math.floor(millis / MINUTE)} min`;
  if (millis < DAY) return `${Math.floor(millis / HOUR)} h`;
  return `${n(Math.floor(millis / DAY))} d`;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** In the user's zone. */
export const moment = (time: string | number | null): string => (time === null || time === 0 ? '–' : day.format(new Date(time)));
export const timeOfDay = (time: string): string => clock.format(new Date(time));
