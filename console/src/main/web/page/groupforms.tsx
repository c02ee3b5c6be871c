// Forms that add and change pools and affinity groups.
import type { AffinityGroup, NewAffinityGroup, NewPool, Pool } from 'stillwater';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, post, put, reason } from './api';
import * as client from './client';
import { Dialog } from './dialog';
import { usePolled, useTold } from './hooks';
import { text } from './text';

const CLUSTERS_MILLIS = 60_000;
const MOST_FOUND = 50;

export interface Chosen {
  id: string;
  name: string;
}

/** VMs or hosts by their names; VMs that are selected in the list come in one go. */
export function Chooser({ kind, chosen, change }: { kind: 'vm' | 'host'; chosen: Chosen[]; change: (next: Chosen[]) => void }) {
  const names = text.form[kind];
  const suggestions = `${kind}-suggestions`;
  const { selected } = useTold('counts');
  const [words, setWords] = useState('');
  const [suggested, setSuggested] = useState<string[]>([]);
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    let current = true;
    void client.find(words, MOST_FOUND).then(found => current && setSuggested(found.filter(each => each.kind === kind).map(each => each.name)));
    return () => {
      current = false;
    };
  }, [words, kind]);
  const add = (more: Chosen[]) => change([...chosen, ...more.filter(one => !chosen.some(each => each.id === one.id))]);
  const addNamed = async () => {
    const wanted = words.trim();
    if (wanted === '') return;
    const found = (await client.find(wanted, MOST_FOUND)).find(each => each.kind === kind && each.name.toLowerCase() === wanted.toLowerCase());
    setTrouble(found ? '' : names.none(wanted));
    if (!found) return;
    add([found]);
    setWords('');
  };
  return (
    <fieldset>
      <legend>{names.title}</legend>
      <ul class="plain-list chosen-vms">
        {chosen.map(each => (
          <li key={each.id}>
            {each.name}{' '}
            <button type="button" class="plain" aria-label={names.remove(each.name)} onClick={() => change(chosen.filter(other => other !== each))}>×</button>
          </li>
        ))}
        {chosen.length === 0 && <li class="soft">{text.detail.none}</li>}
      </ul>
      <div class="tools">
        <input
          name={kind}
          list={suggestions}
          autocomplete="off"
          aria-label={names.add}
          placeholder={names.hint}
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter') return;
            event.preventDefault(); // the form is not sent
            void addNamed();
          }}
        />
        <datalist id={suggestions}>{suggested.map(name => <option key={name} value={name} />)}</datalist>
        <button type="button" onClick={() => void addNamed()}>{text.form.add}</button>
        {kind === 'vm' && selected > 0 && (
          <button type="button" onClick={() => void client.selected().then(client.vms).then(add)}>{text.form.addSelected(selected)}</button>
        )}
      </div>
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
    </fieldset>
  );
}

interface Common {
  name: string;
  description: string;
  cluster: string;
}

/** The common fields of both forms: names, cluster, VMs, and a save that overwrites no change of another user. */
function Form<T extends Common>(props: {
  title: string;
  path: string;
  before: (T & { id: string }) | null;
  body: Omit<NewPool & NewAffinityGroup, 'name' | 'description' | 'cluster' | 'vms'>;
  /** The members of the engine's object that the form changes. */
  told: (present: T) => unknown;
  vms: Chosen[];
  close: (saved: string | null) => void;
  children: ComponentChildren;
}) {
  const { before, close } = props;
  const clusters = usePolled<{ items: { id: string; name: string }[] }>('api/v1/clusters', CLUSTERS_MILLIS);
  const [name, setName] = useState(before?.name ?? '');
  const [description, setDescription] = useState(before?.description ?? '');
  const [cluster, setCluster] = useState(before?.cluster ?? '');
  const [vms, setVms] = useState(props.vms);
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const save = async () => {
    const body = {
      name: name.trim(), description, ...(cluster === '' ? {} : { cluster }), ...props.body, vms: vms.map(vm => vm.id),
    };
    setBusy(true);
    try {
      if (before === null) {
        await post(props.path, body);
      } else {
        const path = `${props.path}/${before.id}`;
        const present = await get<T>(path);
        if (JSON.stringify(props.told(present)) !== JSON.stringify(props.told(before))) {
          setTrouble(text.form.changed);
          return;
        }
        await put(path, body);
      }
      close(body.name);
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} close={() => close(null)} class="edit">
      <form
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          {text.form.name}
          <input name="name" value={name} maxLength={255} required onInput={event => setName(event.currentTarget.value)} />
        </label>
        <label>
          {text.form.description}
          <input name="description" value={description} maxLength={4000} onInput={event => setDescription(event.currentTarget.value)} />
        </label>
        <label>
          {text.form.cluster}
          <select name="cluster" value={cluster} onChange={event => setCluster(event.currentTarget.value)}>
            {before === null && <option value="">{text.form.usualCluster}</option>}
            {clusters.value?.items.map(each => <option key={each.id} value={each.id}>{each.name}</option>)}
          </select>
        </label>
        {props.children}
        <Chooser kind="vm" chosen={vms} change={setVms} />
        {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
        <footer>
          <button type="button" onClick={() => close(null)}>{text.cancel}</button>
          <button class="primary" disabled={busy}>{text.form.save}</button>
        </footer>
      </form>
    </Dialog>
  );
}

function Count(props: { name: string; title: string; least: number; value: number; change: (next: number) => void }) {
  return (
    <label>
      {props.title}
      <input
        name={props.name}
        type="number"
        min={props.least}
        max={100_000}
        required
        value={Number.isNaN(props.value) ? '' : props.value}
        onInput={event => props.change(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

export function PoolForm({ before, close }: { before: Pool | null; close: (saved: string | null) => void }) {
  const [size, setSize] = useState(before?.size ?? 1);
  const [prestarted, setPrestarted] = useState(before?.prestarted ?? 0);
  const [mostPerUser, setMostPerUser] = useState(before?.mostPerUser ?? 1);
  const [stateful, setStateful] = useState(before?.stateful ?? false);
  return (
    <Form<Pool>
      title={before === null ? text.pools.addTitle : text.pools.editTitle(before.name)}
      path="api/v1/pools"
      before={before}
      body={{ size, prestarted, mostPerUser, stateful }}
      told={pool => [pool.name, pool.description, pool.cluster, pool.size, pool.prestarted, pool.mostPerUser, pool.stateful, pool.vms.map(vm => vm.id)]}
      vms={(before?.vms ?? []).map(vm => ({ id: vm.id, name: vm.name ?? vm.id }))}
      close={close}
    >
      <div class="fields">
        <Count name="size" title={text.pools.size} least={0} value={size} change={setSize} />
        <Count name="prestarted" title={text.pools.prestartedField} least={0} value={prestarted} change={setPrestarted} />
        <Count name="mostPerUser" title={text.pools.mostPerUser} least={1} value={mostPerUser} change={setMostPerUser} />
      </div>
      <label class="flag">
        <input name="stateful" type="checkbox" checked={stateful} onChange={event => setStateful(event.currentTarget.checked)} />
        {text.pools.statefulField}
      </label>
    </Form>
  );
}

export function GroupForm({ before, close }: { before: AffinityGroup | null; close: (saved: string | null) => void }) {
  const [positive, setPositive] = useState(before?.positive ?? true);
  const [enforcing, setEnforcing] = useState(before?.enforcing ?? false);
  const [vms, setVms] = useState<Chosen[] | null>(before === null ? [] : null);
  useEffect(() => {
    if (before !== null) void client.vms(before.vms).then(setVms);
  }, []);
  if (vms === null) return null;
  return (
    <Form<AffinityGroup>
      title={before === null ? text.groups.addTitle : text.groups.editTitle(before.name)}
      path="api/v1/affinity-groups"
      before={before}
      body={{ positive, enforcing }}
      told={group => [group.name, group.description, group.cluster, group.positive, group.enforcing, group.vms]}
      vms={vms}
      close={close}
    >
      <label>
        {text.groups.place}
        <select name="positive" value={String(positive)} onChange={event => setPositive(event.currentTarget.value === 'true')}>
          <option value="true">{text.groups.together}</option>
          <option value="false">{text.groups.apart}</option>
        </select>
      </label>
      <label class="flag">
        <input name="enforcing" type="checkbox" checked={enforcing} onChange={event => setEnforcing(event.currentTarget.checked)} />
        {text.groups.enforcingField}
      </label>
    </Form>
  );
}
