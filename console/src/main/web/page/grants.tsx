// Roles of a user and the objects that they are limited to.
import type { NewGrant, User } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { get, Problem, put, reason, type Grant } from './api';
import * as client from './client';
import { Dialog } from './dialog';
import { usePolled } from './hooks';
import { useMe } from './roles';
import { text } from './text';

const CLUSTERS_MILLIS = 60_000;
const MOST_FOUND = 50;

export const ROLES = ['administrator', 'operator', 'reader', 'scraper', 'benchmarker'] as const;
export type Role = (typeof ROLES)[number];
type Scope = 'all' | 'cluster' | 'vm';

/** A grant as it is typed: a VM has its name until it is saved. */
export interface Draft {
  role: Role;
  scope: Scope;
  cluster: string;
  vm: string;
}

export const NEW_DRAFT: Draft = { role: 'reader', scope: 'all', cluster: '', vm: '' };

const useClusters = (read: boolean) =>
  usePolled<{ items: { id: string; name: string }[] }>(read ? 'api/v1/clusters' : '', CLUSTERS_MILLIS).value?.items ?? [];

/** Grants as texts, with the names of their objects as far as the user sees them. */
export function useGrantTexts(grants: Grant[]): (grant: Grant) => string {
  const clusters = useClusters(grants.some(grant => grant.cluster !== null));
  const ids = [...new Set(grants.flatMap(grant => (grant.vm === null ? [] : [grant.vm])))].sort();
  const [names, setNames] = useState(new Map<string, string>());
  useEffect(() => {
    if (ids.length > 0) void client.vms(ids).then(vms => setNames(new Map(vms.map(vm => [vm.id, vm.name]))));
  }, [ids.join(' ')]);
  return ({ role, cluster, vm }) =>
    cluster !== null ? text.access.onCluster(role, clusters.find(each => each.id === cluster)?.name ?? cluster)
      : vm !== null ? text.access.onVm(role, names.get(vm) ?? vm)
        : text.access.onAll(role);
}

export async function draftsOf(grants: Grant[]): Promise<Draft[]> {
  const ids = grants.flatMap(grant => (grant.vm === null ? [] : [grant.vm]));
  const names = new Map((ids.length === 0 ? [] : await client.vms(ids)).map(vm => [vm.id, vm.name]));
  return grants.map(({ role, cluster, vm }) => ({
    role: role as Role, scope: cluster !== null ? 'cluster' : vm !== null ? 'vm' : 'all', cluster: cluster ?? '', vm: vm === null ? '' : names.get(vm) ?? vm,
  }));
}

/** The grants of a request; the engine finds the VMs by their names. */
export async function grantsOf(drafts: Draft[]): Promise<NewGrant[]> {
  const grants: NewGrant[] = [];
  for (const { role, scope, cluster, vm } of drafts) {
    if (scope === 'vm') {
      const name = vm.trim();
      const found = await get<{ id: string }>(`api/v1/vms/${encodeURIComponent(name)}`).catch((failure: unknown) => {
        throw failure instanceof Problem && failure.status === 404 ? new Problem(404, text.form.vm.none(name), 'vm') : failure;
      });
      grants.push({ role, vm: found.id });
    } else {
      grants.push(scope === 'cluster' ? { role, cluster } : { role });
    }
  }
  return grants;
}

function VmName({ value, label, change }: { value: string; label: string; change: (next: string) => void }) {
  const [suggested, setSuggested] = useState<string[]>([]);
  useEffect(() => {
    let current = true;
    void client.find(value, MOST_FOUND).then(found => current && setSuggested(found.filter(each => each.kind === 'vm').map(each => each.name)));
    return () => {
      current = false;
    };
  }, [value]);
  return (
    <>
      <input name="vm" list="grant-vms" required autocomplete="off" aria-label={label} placeholder={text.form.vm.hint} value={value} onInput={event => change(event.currentTarget.value)} />
      <datalist id="grant-vms">{suggested.map(name => <option key={name} value={name} />)}</datalist>
    </>
  );
}

/** A row for each role: the role and its object. */
export function GrantsEditor({ drafts, change }: { drafts: Draft[]; change: (next: Draft[]) => void }) {
  const clusters = useClusters(true);
  // The clusters may come after the choice of the scope.
  useEffect(() => {
    const first = clusters[0]?.id;
    if (first === undefined || !drafts.some(draft => draft.scope === 'cluster' && draft.cluster === '')) return;
    change(drafts.map(draft => (draft.scope === 'cluster' && draft.cluster === '' ? { ...draft, cluster: first } : draft)));
  }, [clusters, drafts]);
  const set = (at: number, values: Partial<Draft>) => change(drafts.map((each, i) => (i === at ? { ...each, ...values } : each)));
  return (
    <fieldset class="grants">
      <legend>{text.access.grants}</legend>
      <ul class="plain-list">
        {drafts.map((draft, at) => (
          <li key={at} class="tools">
            <select name="role" aria-label={text.access.role} value={draft.role} onChange={event => set(at, { role: event.currentTarget.value as Role })}>
              {ROLES.map(each => <option key={each} value={each}>{text.access.roles[each]}</option>)}
            </select>
            <select
              name="scope"
              aria-label={text.access.scope}
              value={draft.scope}
              onChange={event => set(at, { scope: event.currentTarget.value as Scope })}
            >
              {(['all', 'cluster', 'vm'] as const).map(each => <option key={each} value={each}>{text.access.scopes[each]}</option>)}
            </select>
            {draft.scope === 'cluster' && (
              <select name="cluster" aria-label={text.form.cluster} required value={draft.cluster} onChange={event => set(at, { cluster: event.currentTarget.value })}>
                {clusters.map(each => <option key={each.id} value={each.id}>{each.name}</option>)}
                {!clusters.some(each => each.id === draft.cluster) && <option value={draft.cluster}>{draft.cluster}</option>}
              </select>
            )}
            {draft.scope === 'vm' && <VmName value={draft.vm} label={text.access.vmName} change={vm => set(at, { vm })} />}
            <button type="button" class="plain" aria-label={text.access.removeGrant(at + 1)} onClick={() => change(drafts.filter((_, i) => i !== at))}>×</button>
          </li>
        ))}
        {drafts.length === 0 && <li class="soft">{text.access.noGrants}</li>}
      </ul>
      <button type="button" onClick={() => change([...drafts, NEW_DRAFT])}>{text.access.addGrant}</button>
    </fieldset>
  );
}

const inOrder = (grants: Grant[]) => JSON.stringify(grants.map(({ role, cluster, vm }) => `${role} ${cluster} ${vm}`).sort());

/** Changes the roles of a user, if they have not changed since they were shown. */
export function RolesDialog({ user, close }: { user: User; close: (said: string | null) => void }) {
  const me = useMe();
  const [drafts, setDrafts] = useState<Draft[] | null>(null);
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => void draftsOf(user.grants).then(setDrafts), []);
  const save = async () => {
    setBusy(true);
    setTrouble('');
    try {
      const grants = await grantsOf(drafts ?? []);
      const present = await get<User>(`api/v1/users/${user.id}`);
      if (inOrder(present.grants) !== inOrder(user.grants)) throw new Problem(409, text.form.changed);
      await put(`api/v1/users/${user.id}`, { grants });
      close(text.access.rolesSaved(user.name));
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
      setBusy(false);
    }
  };
  return (
    <Dialog title={text.access.rolesOf(user.name)} close={() => close(null)} class="edit">
      <form
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        {user.name === me.name && <p class="trouble">{text.access.ownRoles}</p>}
        {drafts !== null && <GrantsEditor drafts={drafts} change={setDrafts} />}
        <p class="soft">{text.access.scopeHint}</p>
        {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
        <footer>
          <button type="button" onClick={() => close(null)}>{text.cancel}</button>
          <button class="primary" disabled={busy || drafts === null}>{text.form.save}</button>
        </footer>
      </form>
    </Dialog>
  );
}
