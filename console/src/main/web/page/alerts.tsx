// Alerts of rules; the rules, and silences.
import type { Alert, Alerts as AlertList, NewSilenceMatcher, Silence, Silences } from 'stillwater';
import { useState } from 'preact/hooks';
import { post, reason, remove } from './api';
import { Confirm } from './groups';
import { usePolled } from './hooks';
import { Acknowledge, SilenceFor } from './know';
import { useRoles } from './roles';
import { href, set, useRoute } from './route';
import { Rules } from './rules';
import { moment, text } from './text';
import { tone } from './tone';

const EVERY_MILLIS = 3000;
const PAGE = 200;
const TABS = ['alerts', 'rules', 'silences'] as const;
type Tab = (typeof TABS)[number];
const STATES = ['firing', 'resolved', 'all'];

export function Alerts() {
  const { search } = useRoute();
  const { seesAll } = useRoles();
  const wanted = search.get('show') ?? '';
  const tab: Tab = seesAll && (wanted === 'rules' || wanted === 'silences') ? wanted : 'alerts';
  return (
    <section class="page alerts" aria-label={text.pages.alerts}>
      {seesAll && (
        <nav class="tabs" aria-label={text.alerts.parts}>
          {TABS.map(each => (
            <a key={each} href={href('alerts', each === 'alerts' ? {} : { show: each })} aria-current={each === tab ? 'page' : undefined}>
              {text.alerts.tabs[each]}
            </a>
          ))}
        </nav>
      )}
      {tab === 'alerts' ? <AlertsOf /> : tab === 'rules' ? <Rules /> : <SilencesOf />}
    </section>
  );
}

/** The object of an alert, which opens it, or the VM or host that it belongs to, where that has a page. */
export function ObjectLink({ kind, id, name, owner }: { kind: string; id: string; name: string; owner?: { vm: string | null; host: string | null } }) {
  if (owner?.vm != null) return <button type="button" class="link-like" onClick={() => set({ vm: owner.vm! }, false)}>{name}</button>;
  if (owner?.host != null) return <button type="button" class="link-like" onClick={() => set({ host: owner.host! }, false)}>{name}</button>;
  if (kind === 'vm') return <button type="button" class="link-like" onClick={() => set({ vm: id }, false)}>{name}</button>;
  if (kind === 'host') return <button type="button" class="link-like" onClick={() => set({ host: id }, false)}>{name}</button>;
  if (kind === 'finding') return <a href={href('findings', { finding: id })}>{name}</a>;
  return <>{name}</>;
}

function AlertsOf() {
  const { search } = useRoute();
  const { administers } = useRoles();
  const asked = search.get('state') ?? '';
  const state = STATES.includes(asked) ? asked : STATES[0]!;
  const severity = search.get('severity') ?? '';
  const query = `${state === 'all' ? '' : `&state=${state}`}${text.alerts.severities[severity] === undefined ? '' : `&severity=${severity}`}`;
  const [older, setOlder] = useState({ of: '', cursor: '' });
  const cursor = older.of === query ? older.cursor : '';
  const alerts = usePolled<AlertList>(
    `api/v1/alerts?limit=${PAGE}${query}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`, EVERY_MILLIS);
  const [known, setKnown] = useState<Alert | null>(null);
  const [silenced, setSilenced] = useState<Alert | null>(null);
  const [told, setTold] = useState('');
  const rows = alerts.value?.items ?? [];
  const next = alerts.value?.next ?? null;
  const forget = (alert: Alert) => {
    remove(`api/v1/alerts/${alert.id}/acknowledge`)
      .then(() => setTold(text.know.forgotten(alert.alert)), (failure: unknown) => setTold(reason(failure, text.act.unreachable)))
      .finally(() => alerts.again());
  };
  return (
    <>
      <form class="tools" onSubmit={event => event.preventDefault()}>
        <label>
          {text.alerts.state}{' '}
          <select name="state" value={state} onChange={event => set({ state: event.currentTarget.value === STATES[0] ? '' : event.currentTarget.value })}>
            {STATES.map(each => <option key={each} value={each}>{text.alerts.states[each]}</option>)}
          </select>
        </label>
        <label>
          {text.alerts.severity}{' '}
          <select name="severity" value={severity} onChange={event => set({ severity: event.currentTarget.value })}>
            <option value="">{text.events.any}</option>
            {Object.entries(text.alerts.severities).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          </select>
        </label>
        <span class="count" role="status">
          {told !== '' ? told : alerts.value && (
            alerts.value.total > rows.length ? text.alerts.shown(rows.length, alerts.value.total) : text.alerts.some(rows.length)
          )}
        </span>
      </form>
      {alerts.problem && <p class="trouble" role="alert">{alerts.problem.message}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.alerts.grid}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{text.alerts.alert}</th>
              <th scope="col">{text.alerts.severity}</th>
              <th scope="col">{text.alerts.object}</th>
              <th scope="col">{text.alerts.condition}</th>
              <th scope="col">{text.alerts.fired}</th>
              <th scope="col">{text.alerts.state}</th>
              <th scope="col">{text.alerts.known}</th>
              {administers && <th scope="col">{text.hosts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(alert => (
              <tr key={alert.id}>
                <th scope="row" title={alert.annotations['summary']}>{alert.alert}</th>
                <td><span class={`badge ${tone(alert.severity)}`}>{text.alerts.severities[alert.severity] ?? alert.severity}</span></td>
                <td>
                  <ObjectLink kind={alert.kind} id={alert.objectId} name={alert.objectName} owner={{ vm: alert.vmId, host: alert.hostId }} />
                  {alert.kind === 'group' && <span class="soft"> {text.alerts.group(alert.members)}</span>}
                </td>
                <td>{alert.expr}{alert.value != null && <span class="soft"> ({text.number(alert.value)})</span>}</td>
                <td><time dateTime={alert.firedAt}>{moment(alert.firedAt)}</time></td>
                <td>
                  {alert.state === 'firing' ? (
                    <span class="badge bad">{text.alerts.states['firing']}</span>
                  ) : (
                    text.alerts.resolved(moment(alert.resolvedAt ?? null), text.alerts.resolutions[alert.resolution ?? ''] ?? alert.resolution ?? '')
                  )}
                  {alert.silenced && <span class="soft"> {text.alerts.silenced}</span>}
                </td>
                <td>{alert.acknowledged && text.know.by(alert.acknowledged.by, moment(alert.acknowledged.at), alert.acknowledged.comment)}</td>
                {administers && (
                  <td class="buttons">
                    {alert.acknowledged === null ? (
                      <button type="button" onClick={() => setKnown(alert)}>{text.know.acknowledge}</button>
                    ) : (
                      <button type="button" onClick={() => forget(alert)}>{text.know.forget}</button>
                    )}
                    {alert.state === 'firing' && <button type="button" onClick={() => setSilenced(alert)}>{text.know.silence}</button>}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {alerts.value && rows.length === 0 && <p class="nothing">{text.alerts.none}</p>}
        {(cursor !== '' || next !== null) && (
          <p class="buttons">
            {cursor !== '' && <button type="button" onClick={() => setOlder({ of: '', cursor: '' })}>{text.alerts.newest}</button>}
            {next !== null && <button type="button" onClick={() => setOlder({ of: query, cursor: next })}>{text.alerts.older}</button>}
          </p>
        )}
      </div>
      {known && (
        <Acknowledge
          name={known.alert}
          close={() => setKnown(null)}
          send={async comment => {
            await post(`api/v1/alerts/${known.id}/acknowledge`, { comment });
            setKnown(null);
            setTold(text.know.acknowledged(known.alert));
            alerts.again();
          }}
        />
      )}
      {silenced && (
        <SilenceAlert
          alert={silenced}
          close={done => {
            setSilenced(null);
            if (done) setTold(text.know.silenced(silenced.alert));
            alerts.again();
          }}
        />
      )}
    </>
  );
}

function SilenceAlert({ alert, close }: { alert: Alert; close: (done: boolean) => void }) {
  const byName = { label: 'alertname', value: alert.alert };
  const byObject = { label: 'objectId', value: alert.objectId };
  const choices: { name: string; matchers: NewSilenceMatcher[] }[] = [
    ...(alert.kind === 'group' ? [] : [{ name: text.silences.only(alert.alert, alert.objectName), matchers: [byName, byObject] }]),
    { name: text.silences.ofRule(alert.alert), matchers: [byName] },
    ...(alert.kind === 'group' ? [] : [{ name: text.silences.ofObject(alert.objectName), matchers: [byObject] }]),
  ];
  const [choice, setChoice] = useState(0);
  return (
    <SilenceFor
      name={alert.alert}
      reason
      close={() => close(false)}
      send={async (minutes, comment) => {
        await post('api/v1/silences', { matchers: choices[choice]!.matchers, minutes, comment });
        close(true);
      }}
    >
      <fieldset>
        <legend>{text.silences.what}</legend>
        {choices.map((each, i) => (
          <label key={each.name} class="flag">
            <input type="radio" name="what" checked={i === choice} onChange={() => setChoice(i)} /> {each.name}
          </label>
        ))}
      </fieldset>
    </SilenceFor>
  );
}

function SilencesOf() {
  const { administers } = useRoles();
  const silences = usePolled<Silences>('api/v1/silences', EVERY_MILLIS);
  const [ended, setEnded] = useState<Silence | null>(null);
  const [told, setTold] = useState('');
  return (
    <>
      <div class="tools">
        <span class="count" role="status">{told}</span>
        {!administers && <span class="soft">{text.rules.readOnly}</span>}
      </div>
      {silences.problem && <p class="trouble" role="alert">{silences.problem.message}</p>}
      <div class="list" tabIndex={0} role="group" aria-label={text.silences.grid}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{text.silences.matchers}</th>
              <th scope="col">{text.silences.from}</th>
              <th scope="col">{text.silences.until}</th>
              <th scope="col">{text.silences.by}</th>
              <th scope="col">{text.silences.reason}</th>
              {administers && <th scope="col">{text.hosts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {silences.value?.items.map(silence => (
              <tr key={silence.id}>
                <th scope="row">{silence.matchers.map(each => text.silences.matcher(each.label, each.value, each.equal)).join(', ')}</th>
                <td><time dateTime={silence.startsAt}>{moment(silence.startsAt)}</time></td>
                <td><time dateTime={silence.endsAt}>{moment(silence.endsAt)}</time></td>
                <td>{silence.author}</td>
                <td>{silence.comment}</td>
                {administers && <td class="buttons"><button type="button" onClick={() => setEnded(silence)}>{text.silences.end}</button></td>}
              </tr>
            ))}
          </tbody>
        </table>
        {silences.value?.items.length === 0 && <p class="nothing">{text.silences.none}</p>}
      </div>
      {ended && (
        <Confirm
          title={text.silences.endTitle}
          what={text.silences.ends}
          button={text.silences.end}
          close={() => setEnded(null)}
          run={() => {
            remove(`api/v1/silences/${ended.id}`)
              .then(() => setTold(text.silences.ended), (failure: unknown) => setTold(reason(failure, text.act.unreachable)))
              .finally(() => silences.again());
          }}
        />
      )}
    </>
  );
}
