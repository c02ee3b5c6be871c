// The status page: a copy of the fleet kept current by /api/v1/stream, drawn at most once per frame.
const ROWS = 200; // more rows than anyone reads; the filter finds the others
const HOST_ROWS = 100;
const EVENTS = 8;
const hosts = new Map();
const vms = new Map();
const byStatus = new Map();
const vmsOnHost = new Map();
const SPARK = { minutes: 15, step: 30, stale: 30_000, atOnce: 4, perLook: 24, kept: 1000, width: 120, height: 20 };
const sparks = new Map(); // by "vms/id" or "hosts/id": when it was asked for, and its numbers
let asking = 0;
let events = []; // newest first
const at = id => document.getElementById(id);
const numbers = new Intl.NumberFormat();
let fresh = null; // what the snapshot that is arriving says; swapped in at its end
let changes = 0;
let drawn = true;
let loading = 0;

const GOOD = new Set(['up']);
const BAD = new Set(['not_responding', 'unknown', 'non_responsive', 'error', 'non_operational', 'image_illegal']);
const WARN = new Set(['paused', 'connecting', 'unassigned', 'initializing', 'kdumping', 'reboot']);
const tone = status => GOOD.has(status) ? 'good' : BAD.has(status) ? 'bad' : WARN.has(status) ? 'warn' : '';
const words = status => status.replaceAll('_', ' ');

// Whoever is nobody any more, because the session has ended, logs in again.
async function ask(path, options) {
  const answer = await fetch(path, options);
  if (answer.status === 401) location.assign('login');
  return answer;
}

async function who() {
  try {
    const answer = await ask('api/v1/me');
    if (!answer.ok) return;
    const me = await answer.json();
    at('name').textContent = me.name;
    at('who').hidden = me.means === 'none';
    at('logout').hidden = me.means !== 'cookie';
    if (!me.grants.some(grant => grant.role !== 'scraper')) {
      link('lost', `${me.name} has no role that shows anything here`);
    }
  } catch {
    // the stream already says that the connection is lost
  }
}

// The cookie that this page was given goes back in a header, which no other site's page can send.
function xsrf() {
  const cookie = document.cookie.split('; ').find(each => each.startsWith('XSRF-TOKEN='));
  return cookie ? decodeURIComponent(cookie.slice('XSRF-TOKEN='.length)) : '';
}

async function logout() {
  const answer = await fetch('logout', { method: 'POST', headers: { 'X-XSRF-TOKEN': xsrf() }, redirect: 'manual' });
  if (answer.type === 'opaqueredirect' || answer.ok) {
    location.assign('login');
  } else {
    link('lost', 'Logging out failed; load the page again and try once more');
  }
}

function count(map, key, by) {
  if (key) {
    const now = (map.get(key) ?? 0) + by;
    now ? map.set(key, now) : map.delete(key);
  }
}

function putVm(vm) {
  const before = vms.get(vm.id);
  const after = before ? { ...before, ...vm } : vm;
  if (before) {
    count(byStatus, before.status, -1);
    count(vmsOnHost, before.hostId, -1);
  }
  vms.set(after.id, after);
  count(byStatus, after.status, 1);
  count(vmsOnHost, after.hostId, 1);
}

function dropVm(id) {
  const before = vms.get(id);
  if (before) {
    count(byStatus, before.status, -1);
    count(vmsOnHost, before.hostId, -1);
    vms.delete(id);
  }
}

function apply(change) {
  if (change.entity === 'vm') {
    change.change === 'removed' ? dropVm(change.id) : putVm(change.vm);
  } else if (change.change === 'removed') {
    hosts.delete(change.id);
  } else {
    hosts.set(change.id, { ...hosts.get(change.id), ...change.host });
  }
}

function putEvents(entries) {
  const byId = new Map([...events, ...entries].map(entry => [entry.id, entry]));
  events = [...byId.values()].sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id).slice(0, EVENTS);
}

async function loadEvents() {
  try {
    const answer = await ask(`api/v1/events?limit=${EVENTS}`);
    if (answer.ok) {
      putEvents((await answer.json()).items);
      draw();
    }
  } catch {
    // the stream already says that the connection is lost, and brings what comes next
  }
}

function connect() {
  const stream = new EventSource('api/v1/stream?view=light');
  stream.addEventListener('open', () => link('live', 'Live'));
  stream.addEventListener('error', () => {
    link('lost', 'Connection lost, trying again…');
    if (stream.readyState === EventSource.CLOSED) {
      who(); // refused: perhaps the session has ended
      setTimeout(connect, 5000);
    }
  });
  stream.addEventListener('snapshot', event => {
    fresh ??= { hosts: [], vms: [] };
    const part = JSON.parse(event.data);
    fresh.hosts.push(...(part.hosts ?? []));
    fresh.vms.push(...(part.vms ?? []));
    loading = fresh.vms.length;
    draw();
  });
  stream.addEventListener('snapshot-end', event => {
    for (const map of [hosts, vms, byStatus, vmsOnHost]) map.clear();
    fresh?.hosts.forEach(host => hosts.set(host.id, host));
    fresh?.vms.forEach(putVm);
    fresh = null;
    loading = 0;
    revision(JSON.parse(event.data).revision);
    draw();
    loadEvents();
  });
  stream.addEventListener('audit', event => {
    const audit = JSON.parse(event.data);
    putEvents([audit.entry]);
    revision(audit.revision);
    draw();
  });
  stream.addEventListener('delta', event => {
    const delta = JSON.parse(event.data);
    apply(delta);
    changes++;
    revision(delta.revision);
    draw();
  });
}

function link(state, text) {
  at('link').dataset.state = state;
  at('link').textContent = text;
}

function revision(number) {
  at('revision').textContent = `revision ${number}`;
}

function draw() {
  if (drawn) {
    drawn = false;
    requestAnimationFrame(() => {
      drawn = true;
      drawCounts();
      drawHosts();
      drawEvents();
      drawVms();
    });
  }
}

function cell(name, text, className) {
  const made = document.createElement(name);
  if (name === 'th') made.scope = 'row';
  if (className) made.className = className;
  made.textContent = text ?? '';
  return made;
}

function badge(status) {
  const made = document.createElement('td');
  const inner = document.createElement('span');
  inner.className = `badge ${tone(status)}`;
  inner.textContent = words(status);
  made.append(inner);
  return made;
}

function row(...cells) {
  const made = document.createElement('tr');
  made.append(...cells);
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Of what is known of a row's CPU; a gap ends a line, and a number between two gaps is a dot.
function spark(key, lives) {
  const made = document.createElement('td');
  made.className = 'spark';
  const values = sparks.get(key)?.values ?? [];
  const known = values.filter(value => value !== null);
  if (known.length === 0) return made;
  const { width, height } = SPARK;
  const now = lives ? values.at(-1) ?? values.at(-2) ?? null : null; // the newest step may have no sample yet
  const most = Math.max(...known);
  const top = Math.max(100, most); // percent
  const lines = [[]];
  values.forEach((value, i) => {
    if (value === null) {
      lines.push([]);
    } else {
      const x = values.length < 2 ? width : i * width / (values.length - 1);
      lines.at(-1).push(`${x.toFixed(1)},${(height - value * height / top).toFixed(1)}`);
    }
  });
  const text = value => `${numbers.format(Math.round(value))} %`;
  const drawing = shape('svg', {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': `CPU in the last ${SPARK.minutes} minutes: ${text(Math.min(...known))} to ${text(most)}${now === null ? ', nothing now' : ''}`,
  });
  drawing.append(shape('line', { x1: 0, x2: width, y1: height, y2: height }));
  for (const points of lines) {
    if (points.length > 0) drawing.append(shape('polyline', { points: (points.length > 1 ? points : [points[0], points[0]]).join(' ') }));
  }
  made.append(drawing, now === null ? '–' : text(now));
  return made;
}

function keyed(made, key) {
  made.dataset.key = key;
  return made;
}

// Only rows that somebody sees are asked about, a few at a time; the answers come from the engine's memory.
function lookForSparks() {
  if (document.hidden || loading) return;
  const now = Date.now();
  const due = [];
  for (const made of document.querySelectorAll('tr[data-key]')) {
    const box = made.getBoundingClientRect();
    const frame = made.closest('.scroll').getBoundingClientRect();
    const seen = box.bottom > Math.max(0, frame.top) && box.top < Math.min(innerHeight, frame.bottom);
    const asked = sparks.get(made.dataset.key)?.asked ?? 0;
    if (seen && now - asked > SPARK.stale) due.push([asked, made.dataset.key]);
  }
  due.sort((a, b) => a[0] - b[0]).slice(0, SPARK.perLook).forEach(([, key]) => loadSpark(key));
}

const waiting = [];

async function loadSpark(key) {
  const before = sparks.get(key);
  sparks.delete(key);
  sparks.set(key, { asked: Date.now(), values: before?.values ?? [] }); // the newest comes last
  while (sparks.size > SPARK.kept) sparks.delete(sparks.keys().next().value);
  if (asking >= SPARK.atOnce) await new Promise(go => waiting.push(go));
  asking++;
  try {
    const answer = await ask(`api/v1/${key}/history?source=memory&metric=usageCpuPercent&from=-${SPARK.minutes}m&step=${SPARK.step}s`);
    const values = answer.ok ? (await answer.json()).series[0].mean : [];
    const entry = sparks.get(key);
    if (entry && entry.values.join() !== values.join()) {
      entry.values = values;
      draw();
    }
  } catch {
    // what was there stays until the next look; the stream already says that the connection is lost
  } finally {
    asking--;
    waiting.shift()?.();
  }
}

function drawCounts() {
  const up = [...hosts.values()].filter(host => host.status === 'up').length;
  at('hosts-up').textContent = numbers.format(up);
  at('hosts-all').textContent = `of ${numbers.format(hosts.size)}`;
  at('vms-all').textContent = numbers.format(vms.size);
  at('vms-hint').textContent = loading ? `loading ${numbers.format(loading)}…` : `${numbers.format(byStatus.get('up') ?? 0)} up`;
  at('changes').textContent = numbers.format(changes);
  const statuses = [...byStatus].sort((a, b) => b[1] - a[1]);
  at('statuses').replaceChildren(...statuses.map(([status, n]) => {
    const item = document.createElement('li');
    const inner = document.createElement('span');
    inner.className = `badge ${tone(status)}`;
    inner.textContent = words(status);
    item.append(inner, ` ${numbers.format(n)}`);
    return item;
  }));
  const select = at('status');
  const known = new Set([...select.options].map(option => option.value));
  for (const [status] of statuses) {
    if (!known.has(status)) select.add(new Option(words(status), status));
  }
}

const collator = new Intl.Collator(undefined, { numeric: true });
const byName = (a, b) => collator.compare(a.name ?? '', b.name ?? '') || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

// The first rows of all in order, without sorting a fleet at each drawing.
function firstByName(all, most) {
  let first = [];
  for (const each of all) {
    if (first.length < 2 * most) {
      first.push(each);
    } else {
      first = first.sort(byName).slice(0, most);
      first.push(each);
    }
  }
  return first.sort(byName).slice(0, most);
}

function drawHosts() {
  const troubledFirst = (a, b) => (a.status === 'up') - (b.status === 'up') || byName(a, b);
  const all = [...hosts.values()].sort(troubledFirst);
  at('hosts').replaceChildren(...all.slice(0, HOST_ROWS).map(host => keyed(row(
    cell('th', host.name),
    badge(host.status),
    cell('td', `${host.address}:${host.port}`),
    cell('td', numbers.format(vmsOnHost.get(host.id) ?? 0), 'number'),
    spark(`hosts/${host.id}`, true),
    cell('td', host.reason)), `hosts/${host.id}`)));
  at('hosts-more').textContent = all.length > HOST_ROWS
    ? `and ${numbers.format(all.length - HOST_ROWS)} more; those in trouble come first` : '';
}

const SEVERITY = { normal: '', warning: 'warn', error: 'bad', alert: 'bad' };

function drawEvents() {
  at('events').replaceChildren(...events.map(entry => {
    const item = document.createElement('li');
    const time = document.createElement('time');
    time.dateTime = entry.at;
    time.textContent = new Date(entry.at).toLocaleTimeString();
    time.title = new Date(entry.at).toLocaleString();
    const severity = document.createElement('span');
    severity.className = `badge ${SEVERITY[entry.severity] ?? ''}`;
    severity.textContent = entry.severity;
    const text = document.createElement('span');
    text.textContent = entry.text;
    text.title = entry.event;
    item.append(time, severity, text);
    return item;
  }));
  at('events-more').hidden = events.length > 0;
}

function drawVms() {
  const text = at('text').value.trim().toLowerCase();
  const status = at('status').value;
  const hostName = vm => hosts.get(vm.hostId)?.name ?? '';
  const fits = vm => (!status || vm.status === status)
    && (!text || `${vm.name} ${vm.guestIps ?? ''} ${hostName(vm)} ${vm.id}`.toLowerCase().includes(text));
  const fitting = [...vms.values()].filter(fits);
  const found = fitting.length;
  const shown = firstByName(fitting, ROWS);
  at('rows').replaceChildren(...shown.map(vm => keyed(row(
    cell('th', vm.name),
    badge(vm.status),
    cell('td', hostName(vm)),
    cell('td', vm.guestIps),
    spark(`vms/${vm.id}`, vm.hostId),
    cell('td', vm.observedAt ? new Date(vm.observedAt).toLocaleString() : 'never')), `vms/${vm.id}`)));
  at('vms-more').textContent = found > ROWS
    ? `${numbers.format(ROWS)} of ${numbers.format(found)} shown; filter to see others` : found || loading ? '' : 'none';
}

async function summary() {
  try {
    const answer = await ask('api/v1/summary');
    if (!answer.ok) throw new Error(answer.statusText);
    const now = await answer.json();
    at('sql').textContent = now.lastCycleSql == null ? '–' : numbers.format(now.lastCycleSql);
    at('sql-hint').textContent = now.stableCycles == null ? '' : `${numbers.format(now.stableCycles)} cycles without any`;
    const trouble = now.trouble ?? [];
    at('trouble').hidden = trouble.length === 0;
    at('trouble').textContent = trouble.join(' · ');
  } catch {
    at('sql').textContent = '–'; // the stream already says that the connection is lost
  }
}

at('filter').addEventListener('input', draw);
at('filter').addEventListener('submit', event => event.preventDefault());
at('logout').addEventListener('click', logout);
connect();
who();
summary();
setInterval(summary, 3000);
setInterval(lookForSparks, 1000);
