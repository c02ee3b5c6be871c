import type { Cluster } from 'stillwater';
import { usePolled } from './hooks';
import { href } from './route';
import { text } from './text';

const EVERY_MILLIS = 10_000;

export function Clusters() {
  const clusters = usePolled<{ items: Cluster[] }>('api/v1/clusters', EVERY_MILLIS);
  return (
    <section class="page" aria-label={text.pages.clusters}>
      {clusters.problem && <p class="trouble" role="alert">{clusters.problem.message}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.clusters.grid}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{text.clusters.name}</th>
              <th scope="col">{text.clusters.hosts}</th>
              <th scope="col">{text.clusters.silent}</th>
              <th scope="col">{text.clusters.version}</th>
              <th scope="col">{text.clusters.cpu}</th>
              <th scope="col">{text.clusters.description}</th>
            </tr>
          </thead>
          <tbody>
            {clusters.value?.items.map(cluster => (
              <tr key={cluster.id}>
                <th scope="row"><a href={href('vms', { q: `cluster:"${cluster.name}"` })}>{cluster.name}</a></th>
                <td>{text.number(cluster.hosts)}</td>
                <td class={cluster.silentPercent > 0 ? 'bad' : ''}>{text.hosts.percent(cluster.silentPercent)}</td>
                <td>{cluster.compatibilityVersion ?? '–'}</td>
                <td>{cluster.cpuType?.name ?? '–'}</td>
                <td>{cluster.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {clusters.value?.items.length === 0 && <p class="nothing">{text.clusters.none}</p>}
      </div>
    </section>
  );
}
