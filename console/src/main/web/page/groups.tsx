// Pools of VMs, and affinity groups.
import type { AffinityGroup, AffinityGroups, Pool, Pools as PoolList } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { post, reason, remove } from './api';
import * as client from './client';
import { Dialog } from './dialog';
import { GroupForm, PoolForm } from './groupforms';
import { usePolled, type Polled } from './hooks';
import { useMe, useRoles } from './roles';
import { set } from './route';
import { text, words } from './text';
import { tone } from './tone';

const EVERY_MILLIS = 5000;
const CLUSTERS_MILLIS = 60_000;

/** Names of clusters by their ids; an unknown id stays unchanged. */
function useClusterNames(): (id: string) => string {
  const clusters = usePolled<{ items: { id: string; name: string }[] }>('api/v1/clusters', CLUSTERS_MILLIS);
  return id => clusters.value?.items.find(each => each.id === id)?.name ?? id;
}

/** Runs an order and shows why it failed. */
function useOrder(list: Polled<unknown>): { told: string; run: (work: () => Promise<string>) => void } {
  const [told, setTold] = useState('');
  const run = (work: () => Promise<string>) => {
    work().then(setTold, (failure: unknown) => setTold(reason(failure, text.act.unreachable))).finally(() => list.again());
  };
  return { told, run };
}

export function Confirm(props: { title: string; what: string; button: string; close: () => void; run: () => void }) {
  return (
    <Dialog title={props.title} close={props.close}>
      <p>{props.what}</p>
      <footer>
        <button type="button" onClick={props.close}>{text.cancel}</button>
        <button
          type="button"
          class="primary danger"
          onClick={() => {
            props.close();
            props.run();
          }}
        >
          {props.button}
        </button>
      </footer>
    </Dialog>
  );
}

export function Pools() {
  const pools = usePolled<PoolList>('api/v1/pools', EVERY_MILLIS);
  const cluster = useClusterNames();
  const me = useMe();
  const { operates, administers } = useRoles();
  const { told, run } = useOrder(pools);
  const [removed, setRemoved] = useState<Pool | null>(null);
  const [edited, setEdited] = useState<Pool | 'new' | null>(null);
  const allocate = (pool: Pool) => run(async () => {
    await post(`api/v1/pools/${pool.id}/allocate`, { user: me.name });
    return text.pools.allocated(pool.name);
  });
  const release = (pool: Pool, vm: string) => run(async () => {
    await post(`api/v1/pools/${pool.id}/vms/${vm}/release`);
    return text.pools.released;
  });
  return (
    <section class="page" aria-label={text.pages.pools}>
      {pools.problem && <p class="trouble" role="alert">{pools.problem.status === 404 ? text.operations.off : pools.problem.message}</p>}
      <form class="tools" onSubmit={event => event.preventDefault()}>
        {administers && pools.value && <button type="button" onClick={() => setEdited('new')}>{text.pools.add}</button>}
        <span class="count" role="status">{told}</span>
      </form>
      <div class="list" tabIndex={0} role="group" aria-label={text.pages.pools}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{text.pools.name}</th>
              <th scope="col">{text.pools.cluster}</th>
              <th scope="col">{text.pools.kind}</th>
              <th scope="col">{text.pools.prestarted}</th>
              <th scope="col">{text.pools.vms}</th>
              {operates && <th scope="col">{text.hosts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {pools.value?.items.map(pool => (
              <tr key={pool.id}>
                <th scope="row" title={pool.description}>{pool.name}</th>
                <td>{cluster(pool.cluster)}</td>
                <td>{pool.stateful ? text.pools.stateful : text.pools.stateless}</td>
                <td>{text.number(pool.prestarted)}</td>
                <td>
                  {text.pools.members(pool.vms.length, pool.size, pool.vms.filter(vm => vm.user !== null).length)}
                  <ul class="plain-list">
                    {pool.vms.map(vm => (
                      <li key={vm.id}>
                        <button type="button" class="link-like" onClick={() => set({ vm: vm.id }, false)}>{vm.name ?? vm.id}</button>{' '}
                        {vm.status !== null && <span class={`badge ${tone(vm.status)}`}>{words(vm.status)}</span>} {vm.user}{' '}
                        {vm.user !== null && operates && (
                          <button type="button" onClick={() => release(pool, vm.id)}>{text.pools.release}</button>
                        )}
                      </li>
                    ))}
                  </ul>
                </td>
                {operates && (
                  <td class="buttons">
                    {me.means !== 'none' && <button type="button" onClick={() => allocate(pool)}>{text.pools.allocate}</button>}
                    {administers && (
                      <>
                        <button type="button" onClick={() => setEdited(pool)}>{text.form.edit}</button>
                        <button type="button" onClick={() => setRemoved(pool)}>{text.remove}</button>
                      </>
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {pools.value?.items.length === 0 && <p class="nothing">{text.pools.none}</p>}
      </div>
      {edited !== null && (
        <PoolForm
          before={edited === 'new' ? null : edited}
          close={name => {
            setEdited(null);
            if (name !== null) run(() => Promise.resolve(text.pools.saved(name)));
          }}
        />
      )}
      {removed && (
        <Confirm
          title={text.pools.removeTitle(removed.name)}
          what={text.pools.removes}
          button={text.remove}
          close={() => setRemoved(null)}
          run={() => run(async () => {
            await remove(`api/v1/pools/${removed.id}`);
            return text.removed(removed.name);
          })}
        />
      )}
    </section>
  );
}

function Members({ ids }: { ids: string[] }) {
  const [names, setNames] = useState<{ id: string; name: string; host: string }[]>([]);
  useEffect(() => void client.vms(ids).then(setNames), [ids.join(',')]);
  return (
    <ul class="plain-list">
      {names.map(vm => (
        <li key={vm.id}>
          <button type="button" class="link-like" onClick={() => set({ vm: vm.id }, false)}>{vm.name}</button> {vm.host}
        </li>
      ))}
    </ul>
  );
}

export function Groups() {
  const groups = usePolled<AffinityGroups>('api/v1/affinity-groups', EVERY_MILLIS);
  const cluster = useClusterNames();
  const { administers } = useRoles();
  const { told, run } = useOrder(groups);
  const [removed, setRemoved] = useState<AffinityGroup | null>(null);
  const [edited, setEdited] = useState<AffinityGroup | 'new' | null>(null);
  return (
    <section class="page" aria-label={text.pages.groups}>
      {groups.problem && <p class="trouble" role="alert">{groups.problem.status === 404 ? text.operations.off : groups.problem.message}</p>}
      <form class="tools" onSubmit={event => event.preventDefault()}>
        {administers && groups.value && <button type="button" onClick={() => setEdited('new')}>{text.groups.add}</button>}
        <span class="count" role="status">{told}</span>
      </form>
      <div class="list" tabIndex={0} role="group" aria-label={text.pages.groups}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{text.pools.name}</th>
              <th scope="col">{text.pools.cluster}</th>
              <th scope="col">{text.groups.rule}</th>
              <th scope="col">{text.pools.vms}</th>
              {administers && <th scope="col">{text.hosts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {groups.value?.items.map(group => (
              <tr key={group.id}>
                <th scope="row" title={group.description}>{group.name}</th>
                <td>{cluster(group.cluster)}</td>
                <td>{text.groups.rules(group.positive, group.enforcing)}</td>
                <td><Members ids={group.vms} /></td>
                {administers && (
                  <td class="buttons">
                    <button type="button" onClick={() => setEdited(group)}>{text.form.edit}</button>
                    <button type="button" onClick={() => setRemoved(group)}>{text.remove}</button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {groups.value?.items.length === 0 && <p class="nothing">{text.groups.none}</p>}
      </div>
      {edited !== null && (
        <GroupForm
          before={edited === 'new' ? null : edited}
          close={name => {
            setEdited(null);
            if (name !== null) run(() => Promise.resolve(text.groups.saved(name)));
          }}
        />
      )}
      {removed && (
        <Confirm
          title={text.groups.removeTitle(removed.name)}
          what={text.groups.removes}
          button={text.remove}
          close={() => setRemoved(null)}
          run={() => run(async () => {
            await remove(`api/v1/affinity-groups/${removed.id}`);
            return text.removed(removed.name);
          })}
        />
      )}
    </section>
  );
}
