// Alert rules: their conditions, a form for them, and their back-test over the past.
import type { AlertRule, AlertRules, BackTest, NewAlertRule } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { get, post, Problem, put, reason, remove } from './api';
import * as client from './client';
import { Dialog } from './dialog';
import { Chooser, type Chosen } from './groupforms';
import { Confirm } from './groups';
import { usePolled } from './hooks';
import { Field } from './know';
import { lines, pairs } from './pairs';
import { useRoles } from './roles';
import { moment, text } from './text';
import { tone } from './tone';

const EVERY_MILLIS = 5000;
const CLUSTERS_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;
const OVER = '30d';
const MOST_TIMES = 50;
const WIDTH = 1000; // of a timeline, in its own unit
const LEAST_WIDTH = 3;
const USUAL_FLOOD = 20;
const SEVERITIES = ['info', 'warning', 'critical'] as const;
type Severity = NonNullable<NewAlertRule['severity']>;

const FIELDS = ['alert', 'expr', 'for', 'keep_firing_for', 'severity', 'scope', 'flood', 'labels', 'annotations'];

/** A rule as a request has it: all members of the engine's answer except those that the engine sets. */
function bodyOf(rule: AlertRule): NewAlertRule {
  const body: Partial<AlertRule> = { ...rule };
  delete body.id;
  delete body.revision;
  delete body.unknown;
  return body as NewAlertRule;
}

/** Replaces a rule, if it has not changed since the user read it. */
async function change(before: AlertRule, body: NewAlertRule): Promise<void> {
  const path = `api/v1/alert-rules/${before.id}`;
  const present = await get<AlertRule>(path);
  if (present.revision !== before.revision) throw new Problem(409, text.rules.changedMeanwhile);
  await put(path, body);
}

export function Rules() {
  const rules = usePolled<AlertRules>('api/v1/alert-rules', EVERY_MILLIS);
  const { administers } = useRoles();
  const [edited, setEdited] = useState<AlertRule | 'new' | null>(null);
  const [tested, setTested] = useState<AlertRule | null>(null);
  const [removed, setRemoved] = useState<AlertRule | null>(null);
  const [told, setTold] = useState('');
  const run = (work: () => Promise<unknown>, done: string) => {
    work().then(() => setTold(done), (failure: unknown) => setTold(reason(failure, text.act.unreachable))).finally(() => rules.again());
  };
  return (
    <>
      <div class="tools">
        {administers && rules.value && <button type="button" onClick={() => setEdited('new')}>{text.rules.add}</button>}
        <span class="count" role="status">{told}</span>
        {!administers && <span class="soft">{text.rules.readOnly}</span>}
      </div>
      {rules.problem && <p class="trouble" role="alert">{rules.problem.message}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.rules.grid}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{text.rules.name}</th>
              <th scope="col">{text.rules.expr}</th>
              <th scope="col">{text.rules.lasting}</th>
              <th scope="col">{text.rules.severity}</th>
              <th scope="col">{text.rules.scope}</th>
              <th scope="col">{text.rules.state}</th>
              {administers && <th scope="col">{text.hosts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {rules.value?.items.map(rule => (
              <tr key={rule.id}>
                <th scope="row" title={rule.annotations['summary']}>{rule.alert}</th>
                <td><code>{rule.expr}</code></td>
                <td>{rule.for}</td>
                <td><span class={`badge ${tone(rule.severity)}`}>{text.alerts.severities[rule.severity] ?? rule.severity}</span></td>
                <td>
                  {scopeText(rule)}
                  {unknownText(rule) !== '' && <> <span class="badge warn">{text.rules.unknown(unknownText(rule))}</span></>}
                </td>
                <td>{rule.enabled ? <span class="badge good">{text.rules.enabled}</span> : <span class="badge">{text.rules.disabled}</span>}</td>
                {administers && (
                  <td class="buttons">
                    <button type="button" onClick={() => setTested(rule)}>{rule.enabled ? text.backTest.button : text.rules.enable}</button>
                    {rule.enabled && (
                      <button type="button" onClick={() => run(() => change(rule, { ...bodyOf(rule), enabled: false }), text.rules.disabledNow(rule.alert))}>
                        {text.rules.disable}
                      </button>
                    )}
                    <button type="button" onClick={() => setEdited(rule)}>{text.form.edit}</button>
                    <button type="button" onClick={() => setRemoved(rule)}>{text.remove}</button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {rules.value?.items.length === 0 && <p class="nothing">{text.rules.none}</p>}
      </div>
      {edited !== null && (
        <RuleForm
          before={edited === 'new' ? null : edited}
          close={name => {
            setEdited(null);
            if (name !== null) setTold(text.rules.saved(name));
            rules.again();
          }}
        />
      )}
      {tested && (
        <TestDialog
          rule={tested}
          close={enabled => {
            setTested(null);
            if (enabled) setTold(text.rules.enabledNow(tested.alert));
            rules.again();
          }}
        />
      )}
      {removed && (
        <Confirm
          title={text.rules.removeTitle(removed.alert)}
          what={text.rules.removes}
          button={text.remove}
          close={() => setRemoved(null)}
          run={() => run(() => remove(`api/v1/alert-rules/${removed.id}`), text.removed(removed.alert))}
        />
      )}
    </>
  );
}

const scopeText = ({ scope }: AlertRule) =>
  text.rules.scopeOf(scope.clusters.length, scope.tags, scope.vms.length, scope.hosts.length, scope.storageDomains.length) || text.rules.everything;

/** Names of the scope that do not exist now; empty for none. */
const unknownText = ({ unknown }: AlertRule) =>
  [...unknown.clusters, ...unknown.tags, ...unknown.vms, ...unknown.hosts, ...unknown.storageDomains].join(', ');

/** The times at which a rule would have fired, on a line and as a list. */
function Result({ answer }: { answer: BackTest }) {
  const [from, to] = [Date.parse(answer.from), Date.parse(answer.to)];
  const place = (time: number) => ((time - from) * WIDTH) / Math.max(1, to - from);
  const marks = answer.items.map(each => {
    const begin = place(Date.parse(each.from));
    const end = each.until == null ? WIDTH : place(Date.parse(each.until));
    return { begin: Math.min(begin, WIDTH - LEAST_WIDTH), width: Math.max(LEAST_WIDTH, end - begin) };
  });
  return (
    <div class="back-test">
      <p role="status"><b>{text.backTest.fired(answer.fired, Math.max(1, Math.round((to - from) / DAY_MILLIS)))}</b></p>
      <svg
        class="timeline"
        viewBox={`0 0 ${WIDTH} 20`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text.backTest.timeline(answer.fired, moment(answer.from), moment(answer.to))}
      >
        <rect class="timeline-all" x="0" y="8" width={WIDTH} height="4" />
        {marks.map((mark, i) => <rect key={i} class="timeline-fired" x={mark.begin} y="0" width={mark.width} height="20" />)}
      </svg>
      <p class="timeline-ends soft"><span>{moment(answer.from)}</span> <span>{moment(answer.to)}</span></p>
      <p class="soft">{text.backTest.detail(answer.objects, answer.leftOut)}</p>
      {answer.items.length > 0 && (
        <details>
          <summary>{text.backTest.times}</summary>
          <ul class="plain-list">
            {answer.items.slice(0, MOST_TIMES).map((each, i) => (
              <li key={i}>
                {each.kind === 'group' ? text.alerts.group(each.members) : each.objectName}:{' '}
                {text.backTest.until(moment(each.from), each.until == null ? null : moment(each.until))}
              </li>
            ))}
            {answer.fired > MOST_TIMES && <li class="soft">{text.backTest.more(answer.fired - Math.min(answer.items.length, MOST_TIMES))}</li>}
          </ul>
        </details>
      )}
    </div>
  );
}

interface Tested {
  /** Of which rule and period. */
  of: string;
  answer: BackTest | null;
  problem: Problem | null;
}

/** Evaluates a rule over the past; an answer is valid for its own rule only. */
function useBackTest(body: NewAlertRule, over: string) {
  const of = JSON.stringify([body, over]);
  const [tested, setTested] = useState<Tested | null>(null);
  const [busy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    try {
      setTested({ of, answer: await post<BackTest>('api/v1/alert-rules/backtest', { rule: body, over }), problem: null });
    } catch (failure) {
      setTested({ of, answer: null, problem: failure instanceof Problem ? failure : new Problem(0, text.act.unreachable) });
    } finally {
      setBusy(false);
    }
  };
  return { tested: tested?.of === of ? tested : null, busy, test };
}

function Period({ over, busy, change: choose }: { over: string; busy: boolean; change: (next: string) => void }) {
  return (
    <label class="flag">
      {text.backTest.over}
      <select name="over" value={over} disabled={busy} onChange={event => choose(event.currentTarget.value)}>
        {Object.entries(text.backTest.periods).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
      </select>
    </label>
  );
}

/** The back-test of an existing rule; a disabled one may be enabled after it. */
function TestDialog({ rule, close }: { rule: AlertRule; close: (enabled: boolean) => void }) {
  const [over, setOver] = useState(OVER);
  const [trouble, setTrouble] = useState('');
  const { tested, busy, test } = useBackTest(bodyOf(rule), over);
  useEffect(() => void test(), [over]);
  const enable = async () => {
    try {
      await change(rule, { ...bodyOf(rule), enabled: true });
      close(true);
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    }
  };
  return (
    <Dialog title={rule.enabled ? text.backTest.title(rule.alert) : text.backTest.enableTitle(rule.alert)} close={() => close(false)} class="edit">
      <p><code>{rule.expr}</code>, {text.rules.lasting.toLowerCase()} {rule.for}; {scopeText(rule)}</p>
      <Period over={over} busy={busy} change={setOver} />
      {busy && <p role="status">{text.backTest.runs}</p>}
      {!busy && tested?.answer && <Result answer={tested.answer} />}
      {!busy && tested?.problem && (
        <p class="trouble" role="alert">
          {tested.problem.message} <button type="button" onClick={() => void test()}>{text.backTest.button}</button>
        </p>
      )}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <footer>
        <button type="button" onClick={() => close(false)}>{rule.enabled ? text.close : text.cancel}</button>
        {!rule.enabled && (
          <button type="button" class="primary" disabled={busy || tested === null} onClick={() => void enable()}>{text.rules.enable}</button>
        )}
      </footer>
    </Dialog>
  );
}

const list = (words: string) => words.split(',').map(each => each.trim()).filter(each => each !== '');

function RuleForm({ before, close }: { before: AlertRule | null; close: (saved: string | null) => void }) {
  const clusters = usePolled<{ items: { id: string; name: string }[] }>('api/v1/clusters', CLUSTERS_MILLIS);
  const [alert, setAlert] = useState(before?.alert ?? '');
  const [expr, setExpr] = useState(before?.expr ?? '');
  const [lasting, setLasting] = useState(before?.for ?? '5m');
  const [keeping, setKeeping] = useState(before?.keep_firing_for ?? '0s');
  const [severity, setSeverity] = useState((before?.severity ?? 'warning') as Severity);
  const [inClusters, setInClusters] = useState<string[]>(before?.scope.clusters ?? []);
  const [tags, setTags] = useState(before?.scope.tags.join(', ') ?? '');
  const [vms, setVms] = useState<Chosen[]>((before?.scope.vms ?? []).map(id => ({ id, name: id })));
  const [hosts, setHosts] = useState<Chosen[]>(
    (before?.scope.hosts ?? []).map(id => ({ id, name: client.state.hosts.find(host => host.id === id)?.name ?? id })));
  const [domains, setDomains] = useState(before?.scope.storageDomains.join(', ') ?? '');
  const [flood, setFlood] = useState(before?.flood ?? USUAL_FLOOD);
  const [labels, setLabels] = useState(lines(before?.labels ?? {}));
  const [annotations, setAnnotations] = useState(lines(before?.annotations ?? {}));
  const [over, setOver] = useState(OVER);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saving, setSaving] = useState(false);
  useEffect(() => {
    if (before && before.scope.vms.length > 0) void client.vms(before.scope.vms).then(setVms);
  }, []);
  const rule: NewAlertRule = {
    ...(before === null ? {} : bodyOf(before)),
    alert: alert.trim(), expr, for: lasting.trim(), keep_firing_for: keeping.trim(), severity, flood: Number.isNaN(flood) ? 0 : flood, labels: pairs(labels), annotations: pairs(annotations),
    scope: { clusters: inClusters, tags: list(tags), vms: vms.map(vm => vm.id), hosts: hosts.map(host => host.id), storageDomains: list(domains) },
    enabled: true,
  };
  const { tested, busy, test } = useBackTest(rule, over);
  const shown = tested?.problem ?? problem;
  const member = shown?.member.split('.')[0] ?? '';
  const at = (name: string) => (shown !== null && member === name ? shown.message : '');
  const save = async (enabled: boolean) => {
    setSaving(true);
    try {
      const body = { ...rule, enabled };
      if (before === null) await post('api/v1/alert-rules', body);
      else await change(before, body);
      close(rule.alert);
    } catch (failure) {
      setProblem(failure instanceof Problem ? failure : new Problem(0, text.act.unreachable));
    } finally {
      setSaving(false);
    }
  };
  // A refused rule was not evaluated; a rule without readable history was tried.
  const ready = tested !== null && (tested.answer !== null || tested.problem?.status !== 400);
  return (
    <Dialog title={before === null ? text.rules.addTitle : text.rules.editTitle(before.alert)} close={() => close(null)} class="edit rule">
      <form
        onInput={() => setProblem(null)}
        onSubmit={event => {
          event.preventDefault();
          setProblem(null);
          void test();
        }}
      >
        <Field title={text.rules.name} name="alert" problem={at('alert')}>
          {described => <input {...described} value={alert} autocomplete="off" onInput={event => setAlert(event.currentTarget.value)} />}
        </Field>
        <Field title={text.rules.expr} name="expr" hint={text.rules.exprHint} problem={at('expr')}>
          {described => <input {...described} value={expr} autocomplete="off" spellcheck={false} onInput={event => setExpr(event.currentTarget.value)} />}
        </Field>
        <div class="fields">
          <Field title={text.rules.lasting} name="for" hint={text.rules.lastingHint} problem={at('for')}>
            {described => <input {...described} value={lasting} autocomplete="off" onInput={event => setLasting(event.currentTarget.value)} />}
          </Field>
          <Field title={text.rules.keeping} name="keep_firing_for" hint={text.rules.keepingHint} problem={at('keep_firing_for')}>
            {described => <input {...described} value={keeping} autocomplete="off" onInput={event => setKeeping(event.currentTarget.value)} />}
          </Field>
          <Field title={text.rules.severity} name="severity" problem={at('severity')}>
            {described => (
              <select {...described} value={severity} onChange={event => setSeverity(event.currentTarget.value as Severity)}>
                {SEVERITIES.map(each => <option key={each} value={each}>{text.alerts.severities[each]}</option>)}
              </select>
            )}
          </Field>
          <Field title={text.rules.flood} name="flood" problem={at('flood')}>
            {described => (
              <input
                {...described}
                type="number"
                value={Number.isNaN(flood) ? '' : flood}
                onInput={event => setFlood(event.currentTarget.valueAsNumber)}
              />
            )}
          </Field>
        </div>
        <details open={at('scope') !== '' || before !== null}>
          <summary>{text.rules.scope}</summary>
          {at('scope') !== '' && <p class="bad field-problem" role="alert">{at('scope')}</p>}
          <fieldset>
            <legend>{text.rules.clusters}</legend>
            {clusters.value?.items.map(each => (
              <label key={each.id} class="flag">
                <input
                  type="checkbox"
                  checked={inClusters.includes(each.id)}
                  onChange={event => setInClusters(event.currentTarget.checked ? [...inClusters, each.id] : inClusters.filter(id => id !== each.id))}
                />
                {each.name}
              </label>
            ))}
          </fieldset>
          <Field title={text.rules.tags} name="tags" hint={text.rules.tagsHint} problem="">
            {described => <input {...described} value={tags} autocomplete="off" onInput={event => setTags(event.currentTarget.value)} />}
          </Field>
          <Chooser kind="vm" chosen={vms} change={setVms} />
          <Chooser kind="host" chosen={hosts} change={setHosts} />
          <Field title={text.rules.domains} name="domains" hint={text.rules.domainsHint} problem="">
            {described => <input {...described} value={domains} autocomplete="off" onInput={event => setDomains(event.currentTarget.value)} />}
          </Field>
        </details>
        <details open={at('labels') !== '' || at('annotations') !== ''}>
          <summary>{text.rules.labels}, {text.rules.annotations.toLowerCase()}</summary>
          <Field title={text.rules.labels} name="labels" hint={text.rules.pairsHint} problem={at('labels')}>
            {described => <textarea {...described} rows={2} value={labels} onInput={event => setLabels(event.currentTarget.value)} />}
          </Field>
          <Field title={text.rules.annotations} name="annotations" hint={text.rules.pairsHint} problem={at('annotations')}>
            {described => <textarea {...described} rows={2} value={annotations} onInput={event => setAnnotations(event.currentTarget.value)} />}
          </Field>
        </details>
        <fieldset>
          <legend>{text.backTest.button}</legend>
          <div class="tools">
            <Period over={over} busy={busy} change={setOver} />
            <button disabled={busy}>{text.backTest.button}</button>
          </div>
          {busy && <p role="status">{text.backTest.runs}</p>}
          {!busy && tested === null && <p class="soft">{text.rules.first}</p>}
          {!busy && tested?.answer && <Result answer={tested.answer} />}
        </fieldset>
        {shown !== null && !FIELDS.includes(member) && <p class="trouble" role="alert">{shown.message}</p>}
        <footer>
          <button type="button" onClick={() => close(null)}>{text.cancel}</button>
          <button type="button" disabled={saving} onClick={() => void save(false)}>{text.rules.saveDisabled}</button>
          <button type="button" class="primary" disabled={saving || busy || !ready} onClick={() => void save(true)}>{text.rules.saveEnabled}</button>
        </footer>
      </form>
    </Dialog>
  );
}
