import type { HostRow as Row, HostOrder, HostsHealth } from 'stillwater';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { wholeTest } from '../worker/query';
import { AddHost } from './addhost';
import { post, Problem } from './api';
import { Dialog } from './dialog';
import { usePolled } from './hooks';
import { useRoles } from './roles';
import { href, set, useRoute } from './route';
import { tagSearch } from './tags';
import { moment, text, words } from './text';
import { tone } from './tone';

const EVERY_MILLIS = 3000;
const MOST_SHOWN = 500;
const FIELDS = 'id,name,address,port,hypervisor,status,statusSince,reason,vms,tags,usage.cpuPercent,usage.memoryPercent';

type Usage = NonNullable<Row['usage']>;
type HostRow = Required<Pick<Row, 'id' | 'name' | 'address' | 'port' | 'hypervisor' | 'status' | 'statusSince' | 'reason' | 'vms' | 'tags'>> & {
  usage: Required<Pick<Usage, 'cpuPercent' | 'memoryPercent'>>;
};

const WORD = /(tag:)?(?:"([^"]*)"?|(\S+))/g;
const collator = new Intl.Collator(undefined, { numeric: true });
const IN_SERVICE = new Set(['up', 'non_responsive', 'non_operational', 'error', 'connecting']);
const OUT_OF_SERVICE = new Set(['maintenance', 'preparing_for_maintenance', 'error', 'install_failed']);

/** A test of hosts: the row contains all words, or `tag:` names one of the tags. */
function searched(search: string): (host: HostRow) => boolean {
  const tests = [...search.toLowerCase().matchAll(WORD)].map(([, tag, quoted, plain]) => {
    const value = quoted ?? plain ?? '';
    if (tag) {
      const fits = wholeTest(value);
      return (host: HostRow) => host.tags.some(each => fits(each.toLowerCase()));
    }
    return ({ name, address, hypervisor, status, tags }: HostRow) =>
      [name, address, hypervisor, status, words(status), ...tags].join('\n').toLowerCase().includes(value);
  });
  return host => tests.every(test => test(host));
}

function Bar({ value, label }: { value: number | null; label: string }) {
  return value === null ? (
    <span class="soft">{text.hosts.unknown}</span>
  ) : (
    <span class="bar">
      <meter min={0} max={100} high={85} optimum={0} value={value} aria-label={label} />
      <span class="number">{text.hosts.percent(value)}</span>
    </span>
  );
}

export function Maintenance({ host, close }: { host: HostRow; close: (done: string | null) => void }) {
  const [why, setWhy] = useState('');
  const [trouble, setTrouble] = useState('');
  const order = async () => {
    try {
      const answer = await post<HostOrder>(`api/v1/hosts/${host.id}/maintenance`, why === '' ? {} : { reason: why });
      close(text.hosts.ordered(host.name, words(answer.status)));
    } catch (failure) {
      setTrouble(failure instanceof Problem ? failure.message : text.act.unreachable);
    }
  };
  return (
    <Dialog title={text.hosts.maintenance} close={() => close(null)}>
      <p>{text.hosts.confirm(host.name, host.vms ?? 0)}</p>
      <label>
        {text.hosts.why} <input value={why} maxLength={1000} onInput={event => setWhy(event.currentTarget.value)} />
      </label>
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <footer>
        <button type="button" onClick={() => close(null)}>{text.cancel}</button>
        <button type="button" class="primary" onClick={() => void order()}>{text.hosts.maintenance}</button>
      </footer>
    </Dialog>
  );
}

export function Hosts() {
  const [adding, setAdding] = useState(false);
  const { search } = useRoute();
  const { administers, seesAll } = useRoles();
  const hosts = usePolled<{ items: HostRow[] }>(`api/v1/hosts?fields=${FIELDS}`, EVERY_MILLIS);
  const health = usePolled<HostsHealth>(seesAll ? 'api/v1/health/hosts' : '', EVERY_MILLIS);
  const [leaving, setLeaving] = useState<HostRow | null>(null);
  const [told, setTold] = useState('');
  const fits = searched(search.get('q') ?? '');
  const trouble = new Map(health.value?.items.map(item => [item.id, item]));
  const all = (hosts.value?.items ?? [])
    .filter(fits)
    .sort((a, b) =>
      Number(b.status !== 'up' || trouble.has(b.id)) - Number(a.status !== 'up' || trouble.has(a.id)) || collator.compare(a.name, b.name));
  const activate = async (host: HostRow) => {
    try {
      const answer = await post<HostOrder>(`api/v1/hosts/${host.id}/activate`);
      setTold(text.hosts.ordered(host.name, words(answer.status)));
    } catch (failure) {
      setTold(failure instanceof Problem ? failure.message : text.act.unreachable);
    }
    hosts.again();
  };
  const sentence = (host: HostRow): string => {
    const item = trouble.get(host.id);
    const condition = item ? text.conditions[item.condition] ?? words(item.condition) : host.status === 'up' ? text.hosts.well : words(host.status);
    const why = item?.why ?? host.reason;
    return why ? `${condition}: ${why}` : condition;
  };
  return (
    <section class="page" aria-label={text.pages.hosts}>
      <form class="tools" role="search" onSubmit={event => event.preventDefault()}>
        <input
          id="page-search"
          type="search"
          autocomplete="off"
          placeholder={text.hosts.search}
          aria-label={text.hosts.search}
          value={search.get('q') ?? ''}
          onInput={event => set({ q: event.currentTarget.value })}
        />
        <span class="count" role="status">
          {told !== '' ? told : hosts.value ? text.number(all.length) : ''}
        </span>
        {administers && <button type="button" onClick={() => setAdding(true)}>{text.addHost.button}</button>}
      </form>
      {hosts.problem && <p class="trouble" role="alert">{hosts.problem.message}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.hosts.grid}>
        <table class="cards hosts">
          <thead>
            <tr>
              <th scope="col">{text.hosts.name}</th>
              <th scope="col">{text.hosts.status}</th>
              <th scope="col">{text.hosts.reason}</th>
              <th scope="col">{text.hosts.vms}</th>
              <th scope="col">{text.hosts.cpu}</th>
              <th scope="col">{text.hosts.memory}</th>
              <th scope="col">{text.hosts.address}</th>
              <th scope="col">{text.tags.title}</th>
              {administers && <th scope="col">{text.hosts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {all.slice(0, MOST_SHOWN).map(host => (
              <tr key={host.id}>
                <th scope="row">
                  <button type="button" class="link-like" onClick={() => set({ host: host.id }, false)}>{host.name}</button>
                </th>
                <td><span class={`badge ${tone(host.status)}`} title={moment(host.statusSince)}>{words(host.status)}</span></td>
                <td class="health">{sentence(host)}</td>
                <td data-label={text.hosts.vms}><a href={href('vms', { q: `host:"${host.name}"` })} title={text.hosts.showVms}>{text.number(host.vms ?? 0)}</a></td>
                <td data-label={text.hosts.cpu}><Bar value={host.usage.cpuPercent} label={`${host.name} ${text.hosts.cpu}`} /></td>
                <td data-label={text.hosts.memory}><Bar value={host.usage.memoryPercent} label={`${host.name} ${text.hosts.memory}`} /></td>
                <td class="address">{host.address}:{host.port}{host.hypervisor === 'xapi' && <span class="soft"> {text.detail.hypervisors['xapi']}</span>}</td>
                <td>
                  {host.tags.map(tag => (
                    <Fragment key={tag}>
                      <a href={href('hosts', { q: tagSearch(tag) })} title={text.tags.find.hosts(tag)}>{tag}</a>{' '}
                    </Fragment>
                  ))}
                </td>
                {administers && (
                  <td class="buttons">
                    {IN_SERVICE.has(host.status) && <button type="button" onClick={() => setLeaving(host)}>{text.hosts.maintenance}</button>}
                    {OUT_OF_SERVICE.has(host.status) && <button type="button" onClick={() => void activate(host)}>{text.hosts.activate}</button>}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {hosts.value && all.length === 0 && <p class="nothing">{text.hosts.none}</p>}
        {all.length > MOST_SHOWN && <p class="nothing">{text.jobs.more(all.length - MOST_SHOWN)}</p>}
      </div>
      {adding && (
        <AddHost
          close={done => {
            setAdding(false);
            if (done !== null) setTold(done);
            hosts.again();
          }}
        />
      )}
      {leaving && (
        <Maintenance
          host={leaving}
          close={done => {
            setLeaving(null);
            if (done !== null) setTold(done);
            hosts.again();
          }}
        />
      )}
    </section>
  );
}
