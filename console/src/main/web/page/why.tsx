// Where the values of a VM or host come from, why they are late, and which report and rule decided its states.
import type { BeliefItem, ExplainedGroup, HostBeliefs, HostExplanation, VmBeliefs, VmExplanation } from 'stillwater';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePolled, type Polled } from './hooks';
import { set, useRoute } from './route';
import { ago, inZone, moment, text, words } from './text';

const EVERY_MILLIS = 5000;
const FEW = 8; // transitions that are shown at first
const NEAR_MILLIS = 2000; // an event and its transition have times of their own

export type Kind = 'vms' | 'hosts';

/** Why values are late, and on request where all of them come from. */
export function Explanation({ kind, id }: { kind: Kind; id: string }) {
  const explained = usePolled<VmExplanation | HostExplanation>(`api/v1/${kind}/${id}/explain`, EVERY_MILLIS);
  const { value } = explained;
  if (!value) return null;
  const late = value.items.filter(each => each.stale || each.databaseBehind);
  return (
    <section class="why" aria-label={text.why.title}>
      {late.length > 0 && (
        <div class="trouble late">
          <p>{text.detail.late}: {inZone(value.text)}</p>
          <ul class="plain-list">
            {reasons(late).map(each => (
              <li key={each.code}>{inZone(each.text)} <span class="soft">{text.why.remedy(inZone(each.remedy))}</span></li>
            ))}
          </ul>
        </div>
      )}
      <details>
        <summary>{text.why.title}</summary>
        <ul class="plain-list">
          {value.items.map(group => (
            <li key={group.group}>
              <b>{text.why.groups[group.group]}</b>
              {group.ageSeconds !== null && <span class={group.stale ? 'bad' : 'soft'}> {text.why.age(ago(group.ageSeconds * 1000))}</span>}: {inZone(group.text)}{' '}
              <span class="soft" title={group.values.join(', ')}>{text.why.values(group.values.length)}</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

/** Each reason once: several groups of values may be late for the same one. */
function reasons(late: ExplainedGroup[]) {
  return [...new Map(late.flatMap(group => group.delays).map(delay => [delay.code, delay])).values()];
}

function Transition({ item, chosen }: { item: BeliefItem; chosen: boolean }) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (chosen) row.current?.scrollIntoView({ block: 'center' });
  }, [chosen]);
  const host = item.hostName ?? item.hostId;
  return (
    <li ref={row} class={chosen ? 'belief chosen' : 'belief'} aria-current={chosen ? 'true' : undefined}>
      <time dateTime={item.at}>{moment(item.at)}</time> <b>{words(item.before)} → {words(item.status)}</b>
      {host !== null && ` ${text.why.on(host)}`}
      <br />
      {text.why.because(item.because)}{' '}
      <span class="soft">
        {text.why.rule(item.rule, item.scenario)}; {text.why.report(words(item.cause), item.reporterName ?? item.reporterId, moment(item.receivedAt))}
        {item.decided.length > 0 && `; ${text.why.then(item.decided.map(words).join(', '))}`}
      </span>
    </li>
  );
}

/** The transition that explains an event: the nearest in time, else the newest before it; -1 if there is none. */
function explaining(items: BeliefItem[], at: number): number {
  let nearest = -1;
  let least = NEAR_MILLIS;
  items.forEach((item, i) => {
    const distance = Math.abs(Date.parse(item.at) - at);
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  });
  return nearest >= 0 ? nearest : items.findIndex(item => Date.parse(item.at) <= at);
}

export const useBeliefs = (kind: Kind, id: string) => usePolled<VmBeliefs | HostBeliefs>(`api/v1/${kind}/${id}/beliefs`, EVERY_MILLIS);

/** The engine found a VM in its state: that state is older. */
const FOUND = new Set(['database', 'taken_in']);

/** How the present status began. */
export interface Begin {
  at: string;
  /** The status is older: the known transitions begin with it. */
  isOlder: boolean;
  /** Empty if the transition to it is not known. */
  because: string;
}

/** How the present status began; null if no transition to it is known. */
export function beginOf(items: BeliefItem[], status: string): Begin | null {
  if (items[0]?.status !== status) return null;
  const begin = items.find(item => item.before !== status || item.status !== status);
  if (begin?.status === status) return { at: begin.at, isOlder: FOUND.has(begin.cause), because: begin.because };
  return { at: items.at(begin === undefined ? -1 : items.indexOf(begin) - 1)!.at, isOlder: true, because: '' };
}

/** Transitions, the newest first; the one that explains the event in the address is marked. */
export function Beliefs({ kind, id, newest }: { kind: Kind; id: string; newest: Polled<VmBeliefs | HostBeliefs> }) {
  const { search } = useRoute();
  const cause = search.get('cause');
  const at = cause === null ? NaN : Date.parse(cause);
  const [all, setAll] = useState(false);
  const path = `api/v1/${kind}/${id}/beliefs`;
  const known = newest.value?.items ?? [];
  const isOlder = newest.value !== null && !Number.isNaN(at) && explaining(known, at) < 0;
  const older = usePolled<VmBeliefs | HostBeliefs>(isOlder ? `${path}?at=${encodeURIComponent(new Date(at).toISOString())}` : '', EVERY_MILLIS);
  const items = isOlder ? older.value?.items ?? [] : known;
  const chosen = Number.isNaN(at) ? -1 : explaining(items, at);
  const missing = isOlder ? older.value?.missing : newest.value?.missing;
  const most = all ? items.length : Math.max(FEW, chosen + 1);
  return (
    <>
      <h3>{text.why.beliefs}</h3>
      {cause !== null && (
        <p>
          {chosen >= 0 ? text.why.cause(moment(cause)) : (isOlder ? older : newest).value !== null ? text.why.noCause(moment(cause)) : ''}{' '}
          <button type="button" onClick={() => set({ cause: '' })}>{text.why.allBeliefs}</button>
        </p>
      )}
      {newest.problem && <p class="trouble" role="alert">{newest.problem.message}</p>}
      <ul class="plain-list beliefs">
        {items.slice(0, most).map((item, i) => <Transition key={`${item.at} ${item.rule} ${item.status}`} item={item} chosen={i === chosen} />)}
        {newest.value && items.length === 0 && <li>{text.detail.none}</li>}
      </ul>
      {items.length > most && <button type="button" onClick={() => setAll(true)}>{text.jobs.more(items.length - most)}</button>}
      {missing && <p class="soft">{missing}</p>}
    </>
  );
}
