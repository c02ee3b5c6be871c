// Every English text of the console. Another language is another object of this shape.
import type { Mistake } from '../protocol';
import { CHOICES, KEYS } from '../worker/query';

/** A format that is made when it is needed: each takes milliseconds, and the first rows need only some. */
function lazily<F>(make: () => F): () => F {
  let made: F | null = null;
  return () => (made ??= make());
}

const number = lazily(() => new Intl.NumberFormat());
const n = (value: number) => number().format(value);
const threeDigits = lazily(() => new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 }));
/** A measured value in three digits; whole from 1 000 on. */
const few = (value: number) => (Math.abs(value) >= 1000 ? n(Math.round(value)) : threeDigits().format(value));
const sign = lazily(() => new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero', maximumFractionDigits: 1 }));
const signed = (value: number) => sign().format(value);
const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`;

export const text = {
  title: 'Stillwater',
  number: n,
  skip: 'Skip to the list',
  pages: {
    vms: 'VMs', hosts: 'Hosts', clusters: 'Clusters', operations: 'Operations', events: 'Events', map: 'Map', pools: 'Pools',
    groups: 'Affinity', access: 'Access', engine: 'Engine', settings: 'Settings', compare: 'Compare', findings: 'Regressions', alerts: 'Alerts',
    benchmarks: 'Benchmarks',
  },
  loadingPage: 'Loading the page…',
  link: {
    wait: 'Connecting…',
    loading: (loaded: number) => `Loading ${n(loaded)} VMs…`,
    live: 'Live',
    lost: (seconds: number) => `Connection lost ${n(seconds)} s ago, data is not updated`,
    refused: 'No access',
  },
  noRole: (name: string) => `${name || 'Your user'} has no role that shows anything here.`,
  account: 'Account',
  trouble: (count: number) => `${n(count)} in trouble`,
  theme: { label: 'Colours', system: 'System', light: 'Light', dark: 'Dark' },
  logout: 'Log out',
  logoutFailed: 'Logging out failed. Load the page again and try once more.',
  close: 'Close',
  remove: 'Delete',
  removed: (name: string) => `${name} is deleted.`,
  cancel: 'Cancel',
  vms: {
    count: (matched: number, total: number) => (matched === total ? many(total, 'VM', 'VMs') : `${n(matched)} of ${many(total, 'VM', 'VMs')}`),
    search: 'Search VMs',
    searchHint: 'name, IP, FQDN, host, tag, status, host:…, is:trouble',
    help: 'Words that all have to match name, IP, FQDN, id, host, tag or status. Keys: name: ip: fqdn: host: cluster: tag: withoutTag: status: id: highlyAvailable: hypervisor: cpuAbove: cpuBelow: memoryAbove: memoryBelow: networkAbove: networkBelow: stale: is:trouble is:stale is:running is:selected. Commas: one of these. * and ? stand for any characters. A minus reverses: -status:up.',
    mistakes: {
      key: ({ key }: Mistake) => `There is no key ${key}; the keys are ${KEYS.join(', ')}`,
      choice: ({ key, value }: Mistake) => `${key}:${value} is not one of ${CHOICES[key]!.map(each => `${key}:${each}`).join(', ')}`,
      network: ({ key, value }: Mistake) => `${key} has networks such as 10.0.3.0/24, not ${value}`,
      percent: ({ key }: Mistake) => `${key} has a number from 0 to 100`,
    },
    completions: 'Completions',
    chosen: 'Selected',
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
    noReports: 'No host runs it, so none reports it',
    newestReport: (age: string) => `newest report ${age} ago`,
    column: {
      name: 'Name', status: 'Status', host: 'Host', ip: 'IP', fqdn: 'FQDN', cluster: 'Cluster', tags: 'Tags', cpu: 'CPU', memory: 'Memory',
      changed: 'Changed', age: 'Age', trouble: 'Trouble first',
    },
    sortBy: 'Sort by', reverse: 'Reverse the order',
  },
  columns: {
    earlier: (title: string) => `Move ${title} to the left`,
    later: (title: string) => `Move ${title} to the right`,
    narrower: (title: string) => `Make ${title} narrower`,
    wider: (title: string) => `Make ${title} wider`,
    pin: (title: string) => `Keep ${title} at the left edge`,
    pinned: 'pin',
    usual: 'Reset columns',
  },
  views: {
    title: 'Views',
    none: 'No view is saved.',
    name: 'Name',
    save: 'Save this view',
    remove: (name: string) => `Remove the view ${name}`,
    where: 'Views are saved in this browser. Send the address of the page to share one.',
    notKept: 'This browser saves nothing for this page.',
    tooMany: (most: number) => `There are ${n(most)} views; remove one first.`,
  },
  pauseReasons: {
    eother: 'paused by an error', eio: 'paused: input/output error of its storage', enospc: 'paused: its storage is full',
    eperm: 'paused: no permission for its storage', exit: 'ended with an error', unknown: 'its host does not answer',
    not_responding: 'its monitor does not answer', image_illegal: 'a disk image is illegal',
  } as Record<string, string>,
  actions: {
    start: 'Start', shutdown: 'Shut down', stop: 'Stop', reboot: 'Reboot', suspend: 'Suspend', resume: 'Resume', migrate: 'Migrate', remove: 'Delete',
    protect: 'Protect', unprotect: 'Unprotect', edit: 'Edit',
  },
  done: {
    start: 'Starting', shutdown: 'Shutting down', stop: 'Stopping', reboot: 'Rebooting', suspend: 'Suspending', resume: 'Resuming', migrate: 'Migrating', remove: 'Deleting',
    protect: 'Protecting', unprotect: 'Unprotecting', edit: 'Editing',
  },
  act: {
    title: (action: string, count: number) => `${action} ${many(count, 'VM', 'VMs')}?`,
    checking: 'Checking what the engine will refuse…',
    will: (action: string, count: number) => `${action}: ${many(count, 'VM', 'VMs')}`,
    refused: (count: number) => `${many(count, 'VM', 'VMs')} refused:`,
    matches: (count: number, selected: number, others: number) =>
      `The search now matches ${many(count, 'VM', 'VMs')} on which you may act: ${n(selected)} selected, ${n(others)} new.`,
    refusal: (count: number, reason: string, names: string) => `${n(count)} × ${reason} (${names})`,
    allRefused: 'All of them',
    destroys: 'Stop ends the processes of the VMs at once: guests lose what they have not written to disk.',
    removes: 'Delete removes the definitions of the VMs from the engine. Their disks stay on the storage.',
    target: 'To host',
    anywhere: 'where it fits',
    confirm: (action: string, count: number) => `${action} ${n(count)}`,
    failed: (detail: string) => `The engine refused the request: ${detail}`,
    unreachable: 'The engine does not answer. Whether the operations have begun is unknown.',
    notChecked: 'The engine does not answer the check. No operation has begun.',
    noPlaces: 'A check looks at states and roles. Hosts are chosen when the action runs.',
    only: 'No action is possible: every VM is refused.',
  },
  found: {
    lacks: (name: string) => `${name} was found on a host. The engine does not start it while its definition lacks:`,
    accept: (name: string) => `Let ${name} run without them`,
    acceptHint: 'The guest starts without these parts, also later. To keep one, add it to the definition instead.',
    others: 'The definition lacks other parts by now.',
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
    title: 'Details', whole: 'Whole page', beside: 'Beside the list',
    gone: 'This VM does not exist, or you may not see it.',
    unreachable: 'The engine does not answer. These are the details as last read.',
    statusSince: 'Status since', sinceTime: (time: string, age: string) => `${time} (${age})`, reason: 'Reason',
    sinceBefore: (time: string, age: string) => `before ${time} (more than ${age})`,
    since: 'Last change', host: 'Host', ips: 'Addresses', fqdn: 'FQDN', os: 'Guest system',
    cpus: 'CPUs', memory: 'Memory', started: 'Last start', stopped: 'Last stop', exit: 'Last end', id: 'Id',
    numa: 'NUMA nodes',
    numaNode: (node: number, hosts: number[]) => (hosts.length === 0 ? n(node) : `${n(node)} on ${hosts.length === 1 ? 'node' : 'nodes'} ${hosts.map(n).join(', ')} of the host`),
    migratingTo: 'Migrates to', hypervisor: 'Managed by', hypervisors: { vdsm: 'VDSM', xapi: 'XAPI' } as Record<string, string>, claims: 'Also reported by',
    late: 'Late data',
    cpu: 'CPU, %', memoryUsage: 'Memory, %', network: 'Network, B/s', disk: 'Disks, B/s',
    noSamples: 'No samples in this period.', versions: 'Versions of the definition', firstVersion: 'first version',
    versionOf: (version: number) => `Version ${n(version)}`,
    changed: (member: string, before: string, after: string) => `${member}: ${before} → ${after}`,
    sameVersion: 'changed in members that versions do not keep', olderVersions: 'Older versions',
    devices: 'Devices', events: 'Events', allEvents: 'All events', operations: 'Operations', none: 'none',
    receive: 'receive', send: 'send', read: 'read', write: 'write', usage: 'usage', loadingChart: 'Loading the chart…',
  },
  devices: {
    unplugged: 'unplugged', unlinked: 'cable not connected', readOnly: 'read-only', shareable: 'shareable', boots: (order: number) => `boots as number ${n(order)}`,
    network: (name: string) => `network ${name}`, domain: (id: string) => `storage domain ${id}`, cdrom: 'CD drive', empty: 'empty',
    console: (protocol: string) => `${protocol} console`, video: (model: string) => `${model} video`, serial: 'serial console', tpm: 'TPM',
    watchdog: (action: string) => `watchdog, then ${action}`, randomness: (source: string) => `random numbers from ${source}`, balloon: 'memory balloon',
    others: 'Others',
  },
  guest: {
    title: 'Guest', name: 'Host name', system: 'System', kernel: 'Kernel', architecture: 'Architecture', zone: 'Time zone', user: 'Logged-in user',
    client: 'Console used from', fileSystems: 'File systems', used: (used: string, total: string, unit: string) => `${used} of ${total} ${unit}`,
    applications: (count: number) => many(count, 'application', 'applications'),
  },
  why: {
    title: 'Where the values come from', remedy: (what: string) => `Fresh when: ${what}`, age: (age: string) => `${age} old`,
    values: (count: number) => `(${many(count, 'value', 'values')})`,
    groups: { defined: 'defined', decided: 'decided', reported: 'reported', counted: 'counted', vms: 'VMs' } as Record<string, string>,
    beliefs: 'Transitions', on: (host: string) => `on ${host}`, because: (clause: string) => `because ${clause}`,
    rule: (rule: string, scenario: string | null) => (scenario === null ? `rule ${rule}` : `rule ${rule} (${scenario})`),
    report: (cause: string, reporter: string | null, time: string) => `by ${cause}${reporter === null ? '' : ` of ${reporter}`}, received ${time}`,
    then: (decided: string) => `then ${decided}`, button: 'Why?', of: (event: string) => `Why: ${event}`,
    cause: (time: string) => `The marked transition explains the event of ${time}.`,
    noCause: (time: string) => `The engine has no transition before the event of ${time}.`, allBeliefs: 'All transitions',
  },
  charts: {
    title: 'History', period: 'Period', all: 'Whole period',
    periods: {
      '-1h': 'last hour', '-6h': 'last 6 hours', '-1d': 'last day', '-7d': 'last week', '-30d': 'last month', '-365d': 'last year', '-1825d': 'last 5 years',
    } as Record<string, string>,
    zoom: 'Mark a period in a chart to zoom in, or press + there.',
    keys: 'Plus and minus zoom, the left and right arrow keys move the period, 0 shows the whole period.',
    of: (title: string, period: string) => `${title}, ${period}`,
    zoomed: (from: string, to: string) => `${from} to ${to}`,
  },
  compare: {
    button: 'Compare', hint: (most: number) => `Shows up to ${n(most)} selected VMs on one chart`,
    none: 'Select VMs in the list and choose Compare.', metric: 'Metric', chart: 'Statistics of the chosen VMs',
    metrics: {
      usageCpuPercent: 'CPU, %', cpuUserPercent: 'CPU of user code, % of one core', cpuSystemPercent: 'CPU of the system, % of one core',
      usageMemoryPercent: 'Memory, %', memoryUnusedKibibytes: 'Memory unused, KiB', memoryBufferedKibibytes: 'Memory in buffers, KiB',
      memoryCachedKibibytes: 'Memory in caches, KiB', usageNetworkPercent: 'Network, %', networkReceiveRate: 'Network received, B/s', networkSendRate: 'Network sent, B/s',
      diskReadRate: 'Disks read, B/s', diskWriteRate: 'Disks written, B/s',
    } as Record<string, string>,
    missing: (names: string) => `Without data: ${names}`,
  },
  console: {
    button: 'Console', buttonOfMany: 'Console…', choose: (count: number) => `Console of one of ${many(count, 'VM', 'VMs')}`,
    oneByOne: 'A ticket is shown once and is valid for a short time, so consoles are opened one at a time. Choose a VM.',
    title: (name: string) => `Console of ${name}`,
    why: 'A ticket is a password for the console. It is shown once and is valid for a short time.',
    ticket: 'Get a ticket', ticketFor: (protocol: string) => `Get a ticket for ${protocol}`,
    password: 'Password', passwordOf: (protocol: string) => `Password of ${protocol}`, valid: (seconds: number) => `valid for ${n(seconds)} s from now`,
    file: (protocol: string) => `${protocol} file for virt-viewer`, none: 'The VM runs without a console.',
    address: (protocol: string, port: number) => `${protocol}, port ${port} of its host`,
    failed: (reason: string) => `The ticket was not set: ${reason}`, wait: 'Setting the ticket…',
  },
  tags: {
    title: 'Tags', none: 'none', name: 'Tag', add: 'Add', takeOff: 'Remove', button: 'Tags…',
    find: { vms: (tag: string) => `Show VMs with the tag ${tag}`, hosts: (tag: string) => `Show hosts with the tag ${tag}` },
    take: (tag: string) => `Remove the tag ${tag}`,
    kept: (pool: string) => `The pool ${pool} keeps this tag: change it there.`,
    of: (count: number) => `Tags of ${many(count, 'VM', 'VMs')}`,
    progress: (done: number, all: number) => `${n(done)} of ${many(all, 'VM', 'VMs')}`,
    ended: (changed: number) => `Changed: ${many(changed, 'VM', 'VMs')}`,
    refused: (count: number, reason: string) => `${n(count)} × ${reason}`,
    tooMany: (most: number) => `At most ${many(most, 'VM', 'VMs')} at once.`,
  },
  edit: {
    button: 'Edit', title: (name: string) => `Edit ${name}`, save: 'Save', name: 'Name', description: 'Description', comment: 'Comment',
    memory: 'Memory, MiB', guaranteed: 'Guaranteed memory, MiB', sockets: 'Sockets', cores: 'Cores per socket', priority: 'Priority, 0 to 100',
    highlyAvailable: 'Restart after a failure', deleteProtected: 'Protect from deletion',
    later: 'The memory and CPUs of a running VM change at its next start.', nothing: 'Nothing has changed.',
    mark: 'Mark the members to change.', members: 'Members to change; the others stay as each VM has them', yes: 'yes', no: 'no',
    clash: (members: string) => `Changed by another user meanwhile: ${members}. Close and edit again.`,
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
  addHost: {
    button: 'Add a host', title: 'Add a host', name: 'Name', address: 'Address', port: 'Port', cluster: 'Cluster', usualCluster: 'predefined cluster',
    test: 'Test connection', add: 'Add host', testing: 'Testing the connection…', adding: 'Adding the host…',
    ready: 'The agent of the host answers.', notReady: (why: string) => `The host cannot be used as it is: ${why}`,
    plain: 'This engine uses no TLS for hosts: the connection is neither encrypted nor proved.',
    untrusted: 'No confirmation changes that. Make the authority of the host one of those in the file of the setting stillwater.wire.tls.trust, then test again.',
    otherName: (address: string) => `The certificate is not for ${address}. It is accepted only for this host, and only if you confirm it.`,
    chain: 'Certificates of the host', issuer: 'Issuer', names: 'Names', valid: 'Valid', fingerprint: 'SHA-256 fingerprint:',
    compared: 'I have compared the fingerprint with the one that the host itself shows.',
    added: (name: string) => `${name} is added.`,
    otherCertificate: (name: string) => `${name} is added, but it now shows another certificate, which is not accepted.`,
  },
  hostDetail: {
    gone: 'This host does not exist, or you may not see it.', refresh: 'Refresh', ordered: { refresh: 'The engine reads all VMs of the host.', activate: 'The host is being activated.' },
    lastPoll: 'Last poll', interval: 'Polled every', every: (seconds: number) => `${n(Math.round(seconds))} s`, network: 'Network', committed: 'Memory of its VMs', plan: 'Plan of the drain',
    allVms: (count: number) => `All ${n(count)} in the list`, certificate: 'Certificate', subject: 'Subject', until: 'Valid until', since: 'Accepted',
    accept: 'Accept this certificate', refused: (why: string) => `The host shows a certificate that is refused: ${why}`, binding: 'Accepted by',
    fence: 'Fence', fenceTitle: (name: string) => `Fence ${name}?`,
    fenceWhat: (vms: number) => `The engine switches the host off and on by its fence agents. ${vms === 0 ? 'No VM runs on it.' : `Its ${many(vms, 'VM', 'VMs')} lose what they have not written to disk.`}`,
    rebooted: 'Confirm reboot', rebootedTitle: (name: string) => `Was ${name} rebooted?`,
    rebootedWhat: (vms: number) => `Confirm only after you have switched the host off or rebooted it by hand: its ${many(vms, 'VM', 'VMs')} count as down then and may start elsewhere. A wrong confirmation lets a VM run twice and destroys its disks.`,
    working: (name: string) => `${name} begins…`, result: (name: string, result: string) => `${name}: ${result}`,
    ofPool: 'The pool itself fences this host, by its own high availability.',
    bindings: { none: 'nothing yet', open: 'its authority', name: 'its name', pinned: 'its fingerprint' } as Record<string, string>,
  },
  fence: {
    title: 'Fence agents', none: 'The host has no fence agent: the engine cannot switch it off.', add: 'Add a fence agent', addTitle: 'Add a fence agent',
    editTitle: (name: string) => `Edit ${name}`, removeTitle: (name: string) => `Delete ${name}?`, removes: 'The engine no longer fences the host by it. Its password is deleted.',
    at: 'at', type: 'Type', typeHint: 'ipmilan for the program fence_ipmilan', port: 'Port (optional)', user: 'User', keepsPassword: 'A password is stored; an empty field keeps it.',
    options: 'Options', optionsHint: 'name=value, one in a line', noOption: (line: string) => `“${line}” is not name=value.`,
    secretOption: (name: string) => `${name}, stored; an empty field keeps it`, removeOption: (name: string) => `Remove ${name}`,
    test: 'Test', testOf: (name: string) => `Test ${name}`, testing: 'Asking the fence agent for the power of the host…',
    power: { on: 'The host is on.', off: 'The host is off.' } as Record<string, string>, untold: (why: string) => `The power is unknown: ${why}`,
    saved: (name: string) => `${name} is saved.`, earlier: 'Try earlier', earlierOf: (name: string) => `Try ${name} earlier`, ordered: 'The order is changed.',
    notRun: (why: string) => `It is not run: ${why}`,
    has: (user: string | null, password: boolean) => `${user === null ? 'no user' : `user ${user}`}, ${password ? 'password stored' : 'no password'}`,
  },
  pools: {
    name: 'Name', cluster: 'Cluster', kind: 'Kind', stateful: 'keeps running after its return', stateless: 'stops after its return',
    prestarted: 'Kept up', vms: 'VMs', members: (vms: number, size: number, taken: number) => `${n(vms)} of ${n(size)}, ${n(taken)} taken`,
    allocate: 'Take one', release: 'Return', allocated: (name: string) => `One VM of ${name} is yours.`, released: 'The VM is returned.',
    add: 'Add a pool', addTitle: 'Add a pool', editTitle: (name: string) => `Edit the pool ${name}`, size: 'VMs at most',
    mostPerUser: 'VMs of one user at most', prestartedField: 'Free VMs that are kept up', statefulField: 'A VM keeps running after its return',
    saved: (name: string) => `The pool ${name} is saved.`,
    none: 'There are no pools.', removeTitle: (name: string) => `Delete the pool ${name}?`, removes: 'Its VMs stay as ordinary VMs.',
  },
  groups: {
    add: 'Add a group', addTitle: 'Add an affinity group', editTitle: (name: string) => `Edit the affinity group ${name}`,
    place: 'Its VMs run', together: 'on one host', apart: 'on different hosts', enforcingField: 'A VM that would break the rule does not start',
    saved: (name: string) => `The affinity group ${name} is saved.`,
    rule: 'Rule', none: 'There are no affinity groups.',
    rules: (positive: boolean, enforcing: boolean) =>
      `${positive ? 'on one host' : 'on different hosts'}, ${enforcing ? 'enforced' : 'preferred'}`,
    removeTitle: (name: string) => `Delete the affinity group ${name}?`, removes: 'Its VMs may then run on any host.',
  },
  form: {
    name: 'Name', description: 'Description', cluster: 'Cluster', usualCluster: 'predefined cluster', save: 'Save', edit: 'Edit',
    vm: {
      title: 'VMs', add: 'Add a VM', hint: 'name of a VM', remove: (name: string) => `Take out ${name}`, none: (name: string) => `There is no VM ${name}.`,
    },
    host: {
      title: 'Hosts', add: 'Add a host', hint: 'name of a host', remove: (name: string) => `Take out ${name}`, none: (name: string) => `There is no host ${name}.`,
    },
    add: 'Add', addSelected: (count: number) => `Add the ${n(count)} selected`,
    changed: 'Another user has changed it meanwhile. Close and edit again.',
  },
  access: {
    you: (name: string) => `You are ${name}`, nobody: 'not logged in', users: 'Users', tokens: 'Tokens of programs', name: 'Name', grants: 'Roles',
    state: 'State', since: 'Since', user: 'User', label: 'Purpose', expires: 'Expires', role: 'Role', password: 'First password',
    must: 'The user has to change the password at the first login', newUser: 'Add a user', add: 'Add user', newToken: 'Make a token', make: 'Make token',
    once: 'This is the token. It is shown only now.', noGrants: 'no role', noTokens: 'There are no tokens.',
    roles: { administrator: 'administrator', operator: 'operator', reader: 'reader', scraper: 'scraper', benchmarker: 'benchmarker' } as Record<string, string>,
    onAll: (role: string) => role, onCluster: (role: string, cluster: string) => `${role} of cluster ${cluster}`, onVm: (role: string, vm: string) => `${role} of VM ${vm}`,
    states: (enabled: boolean, password: boolean, must: boolean) =>
      `${enabled ? 'enabled' : 'disabled'}${password ? '' : ', without a password'}${must ? ', must change the password' : ''}`,
    enable: 'Enable', disable: 'Disable', switched: (name: string, on: boolean) => `${name} is ${on ? 'enabled' : 'disabled'}.`,
    scope: 'Limited to', scopes: { all: 'on everything', cluster: 'on a cluster', vm: 'on a VM' }, vmName: 'Name of the VM', addGrant: 'Add a role',
    removeGrant: (row: number) => `Take away role ${n(row)}`, changeRoles: 'Roles', rolesOf: (name: string) => `Roles of ${name}`,
    ownRoles: 'These are your own roles. What you take away, only another administrator gives back.',
    rolesSaved: (name: string) => `The roles of ${name} are changed. Open pages follow within seconds.`,
    scopeHint: 'On a cluster or a VM, a user sees only its VMs. Users, hosts, settings and fencing need the administrator on everything.',
    changedRoles: (roles: string) => `Your roles have changed. You are now: ${roles}.`,
    userAdded: (name: string) => `${name} is added.`, days: (count: number) => `in ${n(count)} days`, revoke: 'Revoke',
    removeTitle: (name: string) => `Delete the user ${name}?`, removes: 'The logins and tokens of the user end at once.',
    expired: (time: string) => `expired ${time}`,
    revokeTitle: (label: string) => `Revoke the token “${label}”?`, revokes: 'Programs that use it are refused at once.',
    revoked: (label: string) => `The token “${label}” is revoked.`,
  },
  settings: {
    search: 'Search settings', changed: 'only changed ones', name: 'Setting', value: 'Value', source: 'Set by', meaning: 'Meaning', usual: 'default',
    none: 'No setting matches.',
  },
  engine: {
    window: 'Period', windows: { 60: 'last minute', 300: 'last 5 minutes', 3600: 'last hour' } as Record<number, string>,
    at: (time: string) => `Newest figures: ${time}`, lost: 'The engine sends no figures at present. These are the newest ones.',
    percent: (value: number) => `${n(Math.round(value * 10) / 10)} %`, millis: (value: number) => `${n(Math.round(value * 100) / 100)} ms`,
    loading: 'Loading…',
    cpu: 'CPU', stage: 'Stage', share: 'Share', cpuTime: 'CPU time', allocated: 'Allocated',
    processors: (count: number) => `${n(Math.round(count * 100) / 100)} processors in use`,
    threads: 'Samples by kind of thread:', waits: 'Waits for locks',
    waited: (waits: number, total: number, longest: number) => `${many(waits, 'wait', 'waits')}, ${n(total)} ms in all, ${n(longest)} ms the longest`,
    calls: 'Calls as a flame graph', graph: (count: number) => `Flame graph of ${many(count, 'call', 'calls')}. Arrow keys move, Enter zooms, Escape leaves the zoom.`,
    call: (name: string, samples: number, share: number) => `${name}: ${many(samples, 'sample', 'samples')}, ${n(Math.round(share * 1000) / 10)} %`,
    samples: (samples: number, share: number) => `${many(samples, 'sample', 'samples')}, ${n(Math.round(share * 1000) / 10)} %`,
    whole: 'Whole graph', hottest: 'Methods with the most samples of their own', until: (time: string) => `Samples until ${time}`, again: 'Take new samples',
    cut: (paths: number) => `${many(paths, 'path is', 'paths are')} cut short: the graph is full.`,
    statements: 'Database statements', statement: 'Statement', executed: 'Executed', rows: 'Rows', mean: 'Mean', p99: '99th percentile',
    failed: (count: number) => `${n(count)} failed`,
    quiet: (seconds: number) => `Monitoring executed no statement in the last ${n(Math.round(seconds))} s.`,
    busy: (count: number, seconds: number) => `Monitoring executed ${many(count, 'statement', 'statements')} in the last ${n(Math.round(seconds))} s.`,
    allStatements: (count: number, total: number) => `${many(count, 'statement', 'statements')}, ${n(Math.round(total))} ms in all.`,
    memory: 'Memory', heap: 'Heap', heapOf: (used: string, most: string) => `${used} of ${most} heap in use`, live: 'Live after the last collection',
    resident: 'Resident memory', direct: 'Direct buffers', collections: 'Collections',
    pauses: (count: number, total: number, longest: number) => `${n(count)}, pauses of ${n(total)} ms in all, ${n(longest)} ms the longest`,
    types: 'Allocated types',
    queues: 'Queues and registries', structure: 'Structure', entries: 'Entries', fill: 'Fill', of: (bound: number) => ` of ${n(bound)}`,
    reports: 'Reports of hosts', noReport: 'no report yet',
    flow: (recent: number, hosts: number, oldest: string) =>
      `${n(recent)} of ${many(hosts, 'host', 'hosts')} reported in the last 15 s; the oldest report: ${oldest}`,
    stalls: 'Hosts that stall', waiting: (millis: number) => `a call has waited for its answer for ${n(millis)} ms`,
    stalled: (task: string, seconds: number) => `${task} stood still for ${n(seconds)} s`,
    recording: 'Recording for JDK Mission Control', states: { none: 'No recording', running: 'Recording', stopped: 'Recorded' } as Record<string, string>,
    since: (begin: string, seconds: number) => `from ${begin}, ${n(seconds)} s`, kept: (until: string) => `kept until ${until}`,
    length: 'Length, seconds', start: 'Start', stop: 'Stop', download: 'Download',
  },
  conditions: {
    starting: 'has not answered yet', flooding: 'sends more events than one host may', contested: 'reports VMs that another host is responsible for',
    intake_failed: 'runs VMs that the engine could not add', analysis_failed: 'has VMs with reports that the engine could not process',
    slow: 'answers slowly', overdue: 'has sent no complete answer for two intervals',
    silent: 'does not answer', untrusted: 'shows a certificate that is refused', recovering: 'its agent has just started',
    non_operational: 'is not fit to run VMs', failed: 'has failed', draining: 'waits for its VMs to leave',
  } as Record<string, string>,
  events: {
    grid: 'Events', search: 'Search events', severity: 'At least', any: 'any severity', time: 'Time', event: 'Event', text: 'Text', object: 'Object',
    hint: 'words, vm:…, host:…, event:…', none: 'No event matches.', older: 'Older events', severities: { normal: 'normal', warning: 'warning', error: 'error', alert: 'alert' } as Record<string, string>,
    bound: (most: number) => `At most the newest ${n(most)} events of the severity; those with the words are saved`,
    saving: (read: number) => `${n(read)} events read…`, saved: (count: number) => `${many(count, 'event', 'events')} saved`,
    savedNewest: (count: number, read: number) => `${many(count, 'event', 'events')} saved, of the newest ${n(read)}; the log has older ones`,
    json: 'Save as JSON', csv: 'Save as CSV', newest: (count: number) => `${n(count)} newest`,
  },
  clusters: { grid: 'Clusters', name: 'Name', hosts: 'Hosts', version: 'Version', cpu: 'CPU type', silent: 'Silent hosts', description: 'Description', none: 'There are no clusters.' },
  operations: {
    grid: 'Operations', kind: 'Operation', state: 'State', step: 'Step', object: 'Object', by: 'Requested by', created: 'Begin', cancel: 'Cancel',
    none: 'There are no operations.', any: 'any state', older: 'Older operations', off: 'This engine runs no operations.',
  },
  findings: {
    grid: 'Regressions', state: 'State', states: { open: 'open', ended: 'ended', all: 'open and ended' } as Record<string, string>,
    level: 'Kind of object', anyLevel: 'any kind', cluster: 'Cluster', anyCluster: 'any cluster', order: 'Order',
    orders: { newest: 'newest first', impact: 'largest impact first' } as Record<string, string>,
    orderHint: 'The largest impact is that on most VMs; among as many, the larger loss of the same unit.',
    object: 'Object', change: 'Degradation', begin: 'Begin', impact: 'Impact', coincides: 'Coincides with', known: 'Known by',
    none: 'No regression matches.', some: (count: number) => many(count, 'regression', 'regressions'),
    shown: (count: number, total: number) => `${n(count)} newest of ${many(total, 'regression', 'regressions')}`,
    levels: {
      disk: 'disk', interface: 'interface', vm: 'VM', 'storage-path': 'path to storage', host: 'host', 'storage-domain': 'storage domain',
      cluster: 'cluster', benchmark: 'benchmark', 'benchmark-cell': 'benchmark cell',
    } as Record<string, string>,
    metrics: {
      'disk-read-latency': 'disk read latency', 'disk-write-latency': 'disk write latency', 'disk-read-throughput': 'disk read throughput',
      'disk-write-throughput': 'disk write throughput', 'cpu-wait': 'waiting for processors',
      'vm-balloon': 'memory that the balloon takes',
      'interface-loss': 'lost packets of interfaces', 'storage-delay': 'storage delay',
      'host-answer': 'answers of the host', 'event-lag': 'delay of events', 'host-swap': 'swap space in use', 'migration-duration': 'duration of migrations', 'boot-time': 'time of starts',
      'benchmark-throughput': 'benchmark throughput',
    } as Record<string, string>,
    changed: (metric: string, change: number, low: number, high: number) => `${metric} ${signed(change)} % (${signed(low)} to ${signed(high)} %)`,
    interval: '95 % interval', levelsOf: 'Level before and after', confidence: 'Confidence',
    fromTo: (before: number, after: number, unit: string) => `${few(before)} → ${few(after)} ${unit}`,
    beginAt: (time: string, around: string) => (around === '' ? time : `${time} ± ${around}`),
    vms: (count: number) => many(count, 'VM', 'VMs'), loss: (amount: number, unit: string) => `${few(amount)} ${unit}`,
    percent: (value: number) => `${n(Math.floor(value * 10_000) / 100)} %`,
    proof: 'A coincidence is no proof of a cause.', noCoincidence: 'The engine recorded no change near the begin.',
    share: (share: number) => `of ${n(Math.round(share * 100))} % of the members`,
    gone: 'This regression does not exist any more, or you may not see it.', evidence: 'Before and after',
    chart: (metric: string, unit: string) => `${metric}, ${unit}`,
    chartLabel: (metric: string, before: number, after: number, unit: string, begin: string) =>
      `${metric} before and after ${begin}: ${few(before)} ${unit} before, ${few(after)} ${unit} after`,
    legend: 'The line is the most likely begin, the band around it the 95 % interval of the begin. Gaps are times without load.',
    readBack: (points: number) => `The engine measured the first ${many(points, 'point', 'points')} before its last start.`,
    marks: 'Restarts and migrations within this time',
    mark: (time: string, name: string, kind: string) =>
      `${time}: ${name}, ${({ gap: 'the engine did not run before', restart: 'restarted', migration: 'migrated' } as Record<string, string>)[kind] ?? kind}`,
    noEvidence: 'The engine keeps no points of this regression.', members: 'Members', memberCount: (count: number) => many(count, 'object', 'objects'),
    more: (count: number) => `and ${n(count)} more`, detected: 'Found', ended: 'Ended', silencedUntil: 'Silenced until',
    endings: {
      recovered: 'the old level is back', adopted: 'the new level lasted and is the usual one now', merged: 'part of a larger regression',
    } as Record<string, string>,
    matrix: 'Open the benchmarks',
  },
  know: {
    acknowledge: 'Acknowledge', title: (name: string) => `Acknowledge: ${name}`, comment: 'Comment', forget: 'Withdraw acknowledgement',
    by: (name: string, time: string, comment: string) => `${name}, ${time}${comment === '' ? '' : `: ${comment}`}`,
    acknowledged: (name: string) => `${name} is acknowledged.`, forgotten: (name: string) => `The acknowledgement of ${name} is withdrawn.`,
    silence: 'Silence', unsilence: 'End the silence', silenceTitle: (name: string) => `Silence: ${name}`, silenceFor: 'For',
    units: { 1: 'minutes', 60: 'hours', 1440: 'days' } as Record<number, string>, reason: 'Reason',
    silenced: (name: string) => `${name} is silenced.`, unsilenced: (name: string) => `The silence of ${name} has ended.`,
    noEvents: 'A silenced regression raises no events and sends no alert.', unit: 'Unit of time',
  },
  alerts: {
    grid: 'Alerts', tabs: { alerts: 'Alerts', rules: 'Rules', silences: 'Silences' } as Record<string, string>, parts: 'Parts of the page',
    state: 'State', states: { firing: 'firing', resolved: 'ended', all: 'firing and ended' } as Record<string, string>,
    severity: 'Severity', severities: { info: 'info', warning: 'warning', critical: 'critical' } as Record<string, string>,
    alert: 'Alert', object: 'Object', fired: 'Since', value: 'Value', known: 'Known by', none: 'No alert matches.',
    some: (count: number) => many(count, 'alert', 'alerts'), shown: (count: number, total: number) => `${n(count)} of ${many(total, 'alert', 'alerts')}`,
    silenced: 'silenced', group: (count: number) => `${many(count, 'object', 'objects')} together`,
    resolutions: {
      condition: 'the condition holds no more', 'no-data': 'no data', gone: 'the object is gone', rule: 'the rule changed',
    } as Record<string, string>,
    resolved: (time: string, why: string) => `ended ${time}: ${why}`,
    condition: 'Condition', older: 'Older alerts', newest: 'Newest alerts',
  },
  silences: {
    grid: 'Silences', matchers: 'Alerts with', from: 'From', until: 'Until', by: 'By', reason: 'Reason', none: 'There are no silences.', end: 'End',
    endTitle: 'End this silence?', ends: 'Alerts that it keeps back and that still fire are delivered.', ended: 'The silence has ended.',
    matcher: (label: string, value: string, equal: boolean) => `${label} ${equal ? '=' : '≠'} ${value}`,
    what: 'Silence', only: (rule: string, object: string) => `${rule} of ${object}`, ofRule: (rule: string) => `every alert of ${rule}`,
    ofObject: (object: string) => `every alert of ${object}`,
  },
  rules: {
    grid: 'Alert rules', add: 'Add a rule', addTitle: 'Add an alert rule', editTitle: (name: string) => `Edit the alert rule ${name}`,
    name: 'Name', expr: 'Condition', exprHint: 'vm.usageCpuPercent > 90, disk.readLatencyMilliseconds > 20, absent(host.usageCpuPercent), regression(host) >= 20',
    lasting: 'For', lastingHint: 'how long the condition must last, such as 10m or 1h30m',
    keeping: 'Fires on for', keepingHint: 'after the condition ended, such as 5m', severity: 'Severity', scope: 'Scope', everything: 'everything',
    unknown: (names: string) => `does not exist now: ${names}`,
    scopeOf: (clusters: number, tags: string[], vms: number, hosts: number, domains: number) =>
      [
        clusters > 0 ? many(clusters, 'cluster', 'clusters') : '', tags.length > 0 ? `tags ${tags.join(', ')}` : '',
        vms > 0 ? many(vms, 'VM', 'VMs') : '', hosts > 0 ? many(hosts, 'host', 'hosts') : '',
        domains > 0 ? many(domains, 'storage domain', 'storage domains') : '',
      ].filter(each => each !== '').join('; '),
    clusters: 'Clusters', tags: 'Tags', tagsHint: 'names, separated by commas',
    domains: 'Storage domains', domainsHint: 'ids, separated by commas; for conditions on disks and storage domains', flood: 'Alerts one by one, at most', labels: 'Labels', annotations: 'Annotations',
    pairsHint: 'name=text, one in a line; \\n for a line break in a text', state: 'State', enabled: 'enabled', disabled: 'disabled', none: 'There are no alert rules.',
    enable: 'Enable', disable: 'Disable', saveDisabled: 'Save, disabled', saveEnabled: 'Save and enable',
    first: 'Back-test the rule as it is here, then enable it.', saved: (name: string) => `The alert rule ${name} is saved.`,
    enabledNow: (name: string) => `The alert rule ${name} is enabled.`, disabledNow: (name: string) => `The alert rule ${name} is disabled.`,
    removeTitle: (name: string) => `Delete the alert rule ${name}?`, removes: 'Its alerts end at once.',
    changedMeanwhile: 'Another user has changed it meanwhile. Close and try again.',
    readOnly: 'Administrators change rules and silences and acknowledge alerts.',
  },
  backTest: {
    button: 'Back-test', title: (name: string) => `Back-test of ${name}`, over: 'Over the last', enableTitle: (name: string) => `Enable ${name}?`,
    periods: { '1d': 'day', '7d': '7 days', '30d': '30 days', '90d': '90 days' } as Record<string, string>, runs: 'The engine evaluates the past…',
    fired: (count: number, days: number) => `Would have fired ${many(count, 'time', 'times')} in ${many(days, 'day', 'days')}${count === 0 ? '.' : ', here:'}`,
    timeline: (count: number, from: string, to: string) => `${many(count, 'alert', 'alerts')} between ${from} and ${to}`,
    times: 'Times', until: (from: string, until: string | null) => (until === null ? `${from}, still firing at the end` : `${from} to ${until}`),
    detail: (objects: number, leftOut: number) => `${many(objects, 'object', 'objects')} evaluated${leftOut > 0 ? `, ${n(leftOut)} left out` : ''}.`,
    more: (count: number) => `and ${n(count)} more`,
  },
  benchmarks: {
    grid: 'Benchmark runs', off: 'This engine has no benchmarks.', object: 'Object', all: 'all runs', unknown: 'This object does not exist, or you may not see it.',
    none: 'There are no runs. Measure a VM with bench-guest.', run: 'Run', by: 'By', engine: 'Engine', file: 'File', cells: 'Cells', length: 'Duration', system: 'System',
    runs: (count: number) => many(count, 'run', 'runs'), older: 'Older runs', remove: 'Delete', removeTitle: (time: string) => `Delete the run of ${time}?`,
    removes: 'Levels and bands are computed without it.', removed: 'The run is deleted.',
    operations: {
      'sequential-read': 'Sequential read', 'sequential-write': 'Sequential write', 'random-read': 'Random read', 'random-write': 'Random write',
    } as Record<string, string>,
    record: 'Record size', mib: (count: number) => `${n(count)} MiB`, kib: (count: number) => `${n(count)} KiB`, gib: (count: number) => `${n(count)} GiB`,
    matrix: (name: string) => `MB/s of ${name} by record size and operation`, speed: (value: number) => few(value), unit: 'MB/s',
    band: (baseline: number, low: number, high: number) => `level ${few(baseline)}, band ${few(low)} to ${few(high)}`, noBaseline: 'no level yet',
    dip: (percent: number) => `dip ${signed(percent)} %`, since: (time: string) => `since ${time}`, last: 'newest run', level: 'level',
    setup: (engine: string, direct: boolean, file: string, seconds: number) => `${engine}, ${direct ? 'direct I/O' : 'through the cache'}, file of ${file}, ${n(seconds)} s a cell`,
    curve: (operation: string) => `${operation}, MB/s by record size`, cellTitle: (operation: string, size: string) => `${operation} of ${size}`,
    cell: (operation: string, size: string) => `${operation} of ${size}, MB/s`, curveHint: 'Solid: the newest run. Dashed: the level, in its band. A diamond marks a dip.',
    finding: 'Open the regression', back: 'All runs', noRuns: 'There is no run of this object.', charts: 'Charts',
    cellLabel: (operation: string, size: string, last: number, dip: boolean) => `${operation} of ${size}: ${few(last)} MB/s${dip ? ', a dip' : ''}`,
    direct: (direct: boolean) => (direct ? 'direct I/O' : 'through the cache'),
    permits: 'Runs that are not posted', lost: 'failed',
    permit: (name: string, granted: string, expires: string, lost: boolean) =>
      lost ? `${name}: permitted ${granted}, not posted until ${expires}` : `${name}: permitted ${granted}, runs until ${expires} at most`,
  },
  map: {
    label: (count: number) => `Map of ${many(count, 'VM', 'VMs')} by host. Click a cell, or choose it with the arrow keys and press Enter, for details; Ctrl-click or Space selects it.`,
    keys: 'Map. Arrow keys move from VM to VM, Page Up and Page Down from host to host, Enter opens the details, Space selects.',
    inList: (count: number) => `Show the ${n(count)} selected in the list`,
    by: 'Colour', noHost: 'on no host', unknown: 'unknown',
    bys: {
      status: 'State', cpu: 'CPU', memory: 'Memory', network: 'Network', diskRead: 'Disks, read', diskWrite: 'Disks, written', uptime: 'Uptime of the guest',
      age: 'Age of data',
    } as Record<string, string>,
    value: (by: string, value: number) =>
      by === 'age' ? took(value * SECOND) : by === 'uptime' ? ago(value * SECOND) : by.startsWith('disk') ? `${few(value / 2 ** 20)} MiB/s` : `${n(Math.round(value))} %`,
    orMore: (value: string) => `${value} or more`,
    legend: ['unknown', 'paused by error', 'stale', 'ended with an error', 'changing', 'up', 'suspended', 'down'],
  },
  palette: { title: 'Go to', open: 'Go to a page, VM or host', hint: 'A page, an action, a VM or a host', vm: 'VM', host: 'Host', page: 'Page', action: 'Action', none: 'Nothing found.' },
  tour: {
    title: 'Guided tour', next: 'Next', back: 'Back', end: 'End the tour', done: 'Done',
    step: (step: number, steps: number, title: string) => `${n(step)} of ${n(steps)}: ${title}`,
    steps: [
      {
        title: 'Trouble first',
        what: 'These VMs need attention. The status names the problem, its tooltip the reason. Open one by its name: its page explains the state, shows the last hour and lists its events. Close it with Escape.',
      },
      {
        title: 'Find, select, act',
        what: 'These VMs are down. Select all of them and choose Start: the engine first lists those it would refuse, with the reason. Confirm, and follow every VM in the bar at the foot of the page.',
      },
      {
        title: 'Search and keep a view',
        what: 'Press / and type, for example host: or 10. – the field completes keys and values. The VMs here are up and sorted by CPU. Columns lays out the list, Views saves it, and the address of the page has it all.',
      },
      {
        title: 'Hosts',
        what: 'Each host has its health in one sentence. Open one by its name for its VMs and its certificate. Maintenance migrates its VMs to other hosts; the plan of the drain shows where each one goes.',
      },
      {
        title: 'The whole data centre',
        what: 'Every cell is a VM, grouped by host. Colour them by state, usage or age, and click a cell to open its VM. Press ? for all keys.',
      },
    ],
  },
  help: {
    title: 'Keys', open: 'Keys and guided tour',
    keys: [
      ['/', 'Search'], ['Ctrl K', 'Go to a page, VM or host'], ['↑ ↓ PgUp PgDn Home End', 'Move in the list'], ['Enter', 'Details'],
      ['Space', 'Select'], ['Shift ↑ ↓, Shift Space', 'Select a range'], ['Ctrl A', 'Select all that match'], ['Esc', 'Close, clear the selection'],
      ['Arrows, PgUp PgDn, Enter, Space', 'In the map: move, go to another host, details, select'],
      ['+ −, ← →, 0', 'In a chart: zoom, move the period, show the whole period'],
      ['g v, g h, g c, g o, g e, g m', 'VMs, hosts, clusters, operations, events, map'],
      ['g r, g l, g b', 'Regressions, alerts, benchmarks'], ['g p, g a, g u, g n, g s', 'Pools, affinity groups, access, engine, settings'], ['?', 'These keys'],
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

const tenths = lazily(() => new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));

/** A duration, with tenths below ten seconds. */
export const took = (millis: number): string => (millis < 10 * SECOND ? `${tenths().format(millis / SECOND)} s` : ago(millis));

const day = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }));
const clock = lazily(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }));

/** In the user's zone. */
export const moment = (time: string | number | null): string => (time === null || time === 0 ? '–' : day().format(new Date(time)));
const INSTANTS = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** A sentence of the engine, with its times in the user's zone. */
export const inZone = (sentence: string): string => sentence.replace(INSTANTS, time => moment(time));
export const timeOfDay = (time: string): string => clock().format(new Date(time));
/** The time of day, and before it the day if that is not today's. */
export const shortMoment = (time: string, nowMillis: number): string =>
  new Date(time).toDateString() === new Date(nowMillis).toDateString() ? timeOfDay(time) : moment(time);
