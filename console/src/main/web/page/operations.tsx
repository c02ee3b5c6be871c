import type { Operations as OperationList } from 'stillwater';
import { useState } from 'preact/hooks';
import { post, Problem } from './api';
import { usePolled } from './hooks';
import { useRoles } from './roles';
import { set, useRoute } from './route';
import { moment, text, words } from './text';
import { tone } from './tone';

const EVERY_MILLIS = 2000;
const SHOWN = 200;
const MOST = 1000; // of the interface
const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];
const OPEN = new Set(['queued', 'running']);

export function Operations() {
  const { search } = useRoute();
  const { operates } = useRoles();
  const wanted = STATES.includes(search.get('state') ?? '') ? search.get('state')! : '';
  const [limit, setLimit] = useState(SHOWN);
  const operations = usePolled<OperationList>(`api/v1/operations?limit=${limit}${wanted === '' ? '' : `&state=${wanted}`}`, EVERY_MILLIS);
  const [trouble, setTrouble] = useState('');
  const cancel = async (id: string) => {
    try {
      await post(`api/v1/operations/${id}/cancel`);
      setTrouble('');
    } catch (failure) {
      setTrouble(failure instanceof Problem ? failure.message : text.act.unreachable);
    }
    operations.again();
  };
  return (
    <section class="page" aria-label={text.pages.operations}>
      <form class="tools" onSubmit={event => event.preventDefault()}>
        <label>
          {text.operations.state}{' '}
          <select value={wanted} onChange={event => set({ state: event.currentTarget.value })}>
            <option value="">{text.operations.any}</option>
            {STATES.map(state => <option key={state} value={state}>{text.jobs.result[state]}</option>)}
          </select>
        </label>
      </form>
      {operations.problem && <p class="trouble" role="alert">{operations.problem.status === 404 ? text.operations.off : operations.problem.message}</p>}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.operations.grid}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{text.operations.created}</th>
              <th scope="col">{text.operations.kind}</th>
              <th scope="col">{text.operations.object}</th>
              <th scope="col">{text.operations.state}</th>
              <th scope="col">{text.operations.step}</th>
              <th scope="col">{text.operations.by}</th>
              {operates && <th scope="col">{text.operations.cancel}</th>}
            </tr>
          </thead>
          <tbody>
            {operations.value?.items.map(row => (
              <tr key={row.id}>
                <td><time dateTime={row.createdAt}>{moment(row.createdAt)}</time></td>
                <th scope="row">{words(row.kind)}</th>
                <td>{row.vmId ? <button type="button" class="link-like" onClick={() => set({ vm: row.vmId! }, false)}>{row.vmName ?? row.vmId}</button> : row.hostName}</td>
                <td><span class={`badge ${tone(row.state)}`}>{text.jobs.result[row.state] ?? row.state}</span></td>
                <td>{row.failure?.reason ?? `${row.step}${OPEN.has(row.state) && row.progress > 0 ? `, ${text.hosts.percent(row.progress)}` : ''}`}</td>
                <td>{row.requestedBy}</td>
                {operates && (
                  <td class="buttons">
                    {OPEN.has(row.state) && <button type="button" onClick={() => void cancel(row.id)}>{text.operations.cancel}</button>}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {operations.value?.items.length === 0 && <p class="nothing">{text.operations.none}</p>}
        {operations.value && operations.value.next !== null && limit < MOST && (
          <button type="button" onClick={() => setLimit(MOST)}>{text.operations.older}</button>
        )}
      </div>
    </section>
  );
}
