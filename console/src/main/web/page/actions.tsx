import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { SelectedVms } from '../protocol';
import { Problem } from './api';
import * as client from './client';
import { Dialog } from './dialog';
import { useHosts } from './hooks';
import { MOST_COMPARED } from './compare';
import { ConsolesButton } from './consoles';
import { EditFields } from './editmany';
import { FoundParts } from './found';
import * as jobs from './jobs';
import type { Action, Checked, Job, Refusal } from './jobs';
import { useRoles } from './roles';
import { go, href } from './route';
import { TagButton } from './tags';
import { text } from './text';
import { tone } from './tone';

export const ACTIONS: Action[] = ['start', 'shutdown', 'stop', 'reboot', 'suspend', 'resume', 'migrate', 'remove'];
/** Actions on a selection: one VM has a form for its definition. */
export const BULK_ACTIONS: Action[] = [...ACTIONS, 'protect', 'unprotect', 'edit'];
const OF_DEFINITION = new Set<Action>(['protect', 'unprotect', 'edit']);
/** Actions that a guest or a definition does not survive. */
const DANGEROUS = new Set<Action>(['stop', 'remove']);
const EXAMPLES = 3;
const MOST_EXPLAINED = 5;
const MOST_SHOWN = 200;
const TYPING_MILLIS = 400; // a check waits for the end of typing

const problemText = (failure: unknown) => (failure instanceof Problem ? text.act.failed(failure.message) : text.act.unreachable);

type Parameters = Record<string, unknown>;

interface Wanted {
  action: Action;
  vms: string[];
  /** Finds the VMs anew, where all that match are selected. */
  filter: SelectedVms['filter'];
  /** The first values of the form. */
  parameters: Parameters;
}

let openDialog: (wanted: Wanted | null) => void = () => undefined;

/** Opens the dialog that checks and confirms an action. */
export function act(action: Action, vms: string[], parameters: Parameters = {}, filter: SelectedVms['filter'] = null): void {
  if (vms.length > 0) openDialog({ action, vms, filter, parameters });
}

export async function actOnSelected(action: Action): Promise<void> {
  const { vms, filter } = await client.selection();
  act(action, vms, {}, filter);
}

/** Buttons for the selected VMs. */
export function ActionBar({ selected, matched }: { selected: number; matched: number }) {
  const { operates } = useRoles();
  return (
    <div class="actions" role="toolbar" aria-label={text.vms.selected(selected)}>
      <span class="count">{text.vms.selected(selected)}</span>
      <button type="button" disabled={matched === 0} onClick={() => client.select('all')}>
        {text.vms.selectAll(matched)}
      </button>
      <button type="button" disabled={selected === 0} onClick={() => client.select('none')}>
        {text.vms.unselect}
      </button>
      {operates &&
        BULK_ACTIONS.map(action => (
          <button key={action} type="button" class="action" disabled={selected === 0} onClick={() => void actOnSelected(action)}>
            {text.actions[action]}
          </button>
        ))}
      {operates && <TagButton selected={selected} />}
      {operates && <ConsolesButton selected={selected} />}
      <button
        type="button"
        disabled={selected < 1 || selected > MOST_COMPARED}
        title={text.compare.hint(MOST_COMPARED)}
        onClick={() => void client.selected().then(vms => go(href('compare', { vms: vms.join(',') })))}
      >
        {text.compare.button}
      </button>
    </div>
  );
}

interface Group {
  reason: string;
  vms: string[];
}

/** Refusals by their reason, the most frequent first; ids and names of VMs in a reason do not matter. */
function groups(refused: Refusal[]): Group[] {
  const byReason = new Map<string, string[]>();
  for (const { vmId, reason } of refused) {
    const general = reason.replace(/\(?[0-9a-f]{8}-[0-9a-f-]{27}\)?/g, '…');
    byReason.set(general, [...(byReason.get(general) ?? []), vmId]);
  }
  return [...byReason].map(([reason, vms]) => ({ reason, vms })).sort((a, b) => b.vms.length - a.vms.length);
}

function Refusals({ refused }: { refused: Refusal[] }) {
  const [names, setNames] = useState(new Map<string, string>());
  const all = groups(refused);
  useEffect(() => {
    const shown = all.flatMap(group => group.vms.slice(0, MOST_SHOWN));
    void client.vms(shown).then(vms => setNames(new Map(vms.map(vm => [vm.id, vm.name]))));
  }, [refused]);
  return (
    <ul class="refusals">
      {all.map(({ reason, vms }) => (
        <li key={reason}>
          {text.act.refusal(
            vms.length,
            reason,
            vms.slice(0, EXAMPLES).map(id => names.get(id) ?? '…').join(', ') + (vms.length > EXAMPLES ? ', …' : ''),
          )}
          {vms.length > EXAMPLES && (
            <details>
              <summary>{text.act.allRefused}</summary>
              {vms.slice(0, MOST_SHOWN).map(id => names.get(id) ?? '…').join(', ')}
              {vms.length > MOST_SHOWN && ` ${text.jobs.more(vms.length - MOST_SHOWN)}`}
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Checks by a dry run, shows the result, and requests confirmation. */
export function ActionDialog() {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [answer, setAnswer] = useState<{ of: Wanted; parameters: Parameters } & Checked | null>(null);
  const [parameters, setParameters] = useState<Parameters>({});
  const [trouble, setTrouble] = useState('');
  // An order that failed after its dialog had closed; shown as soon as no other dialog is open.
  const [failed, setFailed] = useState<{ of: Wanted; trouble: string } | null>(null);
  const hosts = useHosts();
  useLayoutEffect(() => {
    openDialog = next => {
      setWanted(next);
      setParameters(next?.parameters ?? {});
      setTrouble('');
    };
  }, []);
  // A check is valid for its own action and parameters only.
  const checked = answer !== null && answer.of === wanted && answer.parameters === parameters ? answer : null;
  const complete = wanted?.action !== 'edit' || Object.keys(parameters).length > 0;
  useEffect(() => {
    if (!wanted || !complete) return undefined;
    let current = true;
    const check = () => jobs.check(wanted.action, wanted.vms, parameters, wanted.filter).then(
      found => current && setAnswer({ of: wanted, parameters, ...found }),
      (failure: unknown) => current && setTrouble(failure instanceof Problem ? problemText(failure) : text.act.notChecked),
    );
    const timer = setTimeout(() => void check(), wanted.action === 'edit' ? TYPING_MILLIS : 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted, parameters]);
  useEffect(() => {
    if (wanted || !failed) return;
    setWanted(failed.of);
    setParameters(failed.of.parameters);
    setTrouble(failed.trouble);
    setFailed(null);
  }, [wanted, failed]);
  if (!wanted) return null;

  const { action } = wanted;
  const vms = checked?.vms ?? wanted.vms;
  const selected = new Set(wanted.vms);
  const others = vms.filter(vm => !selected.has(vm)).length; // that the filter has found
  const refusedIds = new Set(checked?.refused.map(each => each.vmId));
  const change = (next: Parameters) => {
    setParameters(next);
    setTrouble('');
  };
  const begin = () => {
    // The rows show the order at once, and the user continues at once: a dialog that waited for the engine would take the next click.
    setWanted(null);
    jobs.begin(action, vms.filter(vm => !refusedIds.has(vm)), parameters)
      .catch((failure: unknown) => setFailed({ of: { ...wanted, vms, filter: null, parameters }, trouble: problemText(failure) }));
  };
  return (
    <Dialog title={text.act.title(text.actions[action], vms.length)} close={() => setWanted(null)} class="act">
      {action === 'migrate' && (
        <label>
          {text.act.target}{' '}
          <select
            value={String(parameters['host'] ?? '')}
            onChange={event => change(event.currentTarget.value === '' ? {} : { host: event.currentTarget.value })}
          >
            <option value="">{text.act.anywhere}</option>
            {hosts.filter(each => each.status === 'up').map(each => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {action === 'edit' && <EditFields parameters={parameters} change={change} />}
      {action === 'stop' && <p class="trouble">{text.act.destroys}</p>}
      {action === 'remove' && <p class="trouble">{text.act.removes}</p>}
      <div role="status" aria-live="polite">
        {checked === null && trouble === '' && <p>{complete ? text.act.checking : text.edit.mark}</p>}
        {checked !== null && (
          <>
            {(others > 0 || vms.length !== wanted.vms.length) && <p>{text.act.matches(vms.length, vms.length - others, others)}</p>}
            <p>{checked.accepted === 0 ? text.act.only : text.act.will(text.actions[action], checked.accepted)}</p>
            {checked.refused.length > 0 && (
              <>
                <p>{text.act.refused(checked.refused.length)}</p>
                <Refusals refused={checked.refused} />
              </>
            )}
            {action === 'start' && vms.length <= MOST_EXPLAINED && <FoundParts vms={vms} again={() => setWanted({ ...wanted })} />}
            {!OF_DEFINITION.has(action) && <p class="soft">{text.act.noPlaces}</p>}
          </>
        )}
      </div>
      {trouble !== '' && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      <footer>
        <button type="button" onClick={() => setWanted(null)}>
          {text.cancel}
        </button>
        <button
          type="button"
          class={DANGEROUS.has(action) ? 'primary danger' : 'primary'}
          disabled={checked === null || checked.accepted === 0}
          onClick={begin}
        >
          {text.act.confirm(text.actions[action], checked?.accepted ?? 0)}
        </button>
      </footer>
    </Dialog>
  );
}

const ORDER = ['failed', 'cancelled', 'running', 'queued', 'succeeded'];

function Results({ job }: { job: Job }) {
  const [names, setNames] = useState(new Map<string, string>());
  const refused = job.refused.slice(0, MOST_SHOWN);
  useEffect(() => {
    void client.vms(refused.map(each => each.vmId)).then(vms => setNames(new Map(vms.map(vm => [vm.id, vm.name]))));
  }, [job]);
  const operations = [...job.operations.values()].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const shown = operations.slice(0, MOST_SHOWN - refused.length);
  const hidden = operations.length + job.refused.length - shown.length - refused.length;
  return (
    <ul class="results">
      {refused.map(each => (
        <li key={each.vmId}>
          <span class="badge bad">{text.jobs.result['refused']}</span> <b>{names.get(each.vmId) ?? each.vmId}</b> {each.reason}
        </li>
      ))}
      {shown.map(each => (
        <li key={each.id}>
          <span class={`badge ${tone(each.state)}`}>{text.jobs.result[each.state] ?? each.state}</span> <b>{each.vmName ?? each.vmId}</b>{' '}
          {each.failure?.reason ?? each.step}
        </li>
      ))}
      {hidden > 0 && <li>{text.jobs.more(hidden)}</li>}
    </ul>
  );
}

function JobView({ job }: { job: Job }) {
  const { done, failed, share } = jobs.progress(job);
  const [trouble, setTrouble] = useState('');
  const again = job.ended ? jobs.failedVms(job) : [];
  const cancel = () => jobs.cancel(job).catch((failure: unknown) => setTrouble(problemText(failure)));
  return (
    <li class="job">
      <div class="job-line">
        <b>{text.jobs.line(text.done[job.action], job.accepted)}</b>
        <progress max={1} value={share} aria-label={text.jobs.line(text.done[job.action], job.accepted)} />
        <span class={failed > 0 ? 'bad' : ''}>{job.lost ? text.jobs.lost : text.jobs.progress(done, job.accepted, failed)}</span>
        {job.refused.length > 0 && <span class="bad">{text.jobs.refused(job.refused.length)}</span>}
        {job.notCancelled > 0 && <span>{text.jobs.notCancelled(job.notCancelled)}</span>}
        {!job.ended && (
          <button type="button" onClick={() => void cancel()}>
            {text.jobs.cancel}
          </button>
        )}
        {again.length > 0 && (
          <button type="button" onClick={() => act(job.action, again, job.parameters)}>
            {text.jobs.retry(again.length)}
          </button>
        )}
        {job.ended && (
          <button type="button" onClick={() => jobs.dismiss(job)}>
            {text.jobs.dismiss}
          </button>
        )}
      </div>
      {trouble !== '' && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      <details>
        <summary>{text.jobs.details}</summary>
        <Results job={job} />
      </details>
    </li>
  );
}

/** The batches of this browser, at the foot of every page. */
export function Jobs() {
  const [, again] = useState(0);
  useLayoutEffect(() => jobs.onJobs(() => again(times => times + 1)), []);
  if (jobs.jobs.length === 0) return null;
  return (
    <aside class="jobs" aria-label={text.jobs.title}>
      <ul>
        {jobs.jobs.map(job => (
          <JobView key={job.key} job={job} />
        ))}
      </ul>
    </aside>
  );
}
