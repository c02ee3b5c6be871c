// Tags: of a VM or host in its details, and of many VMs that are selected.
import type { ObjectTags, Tags as KnownTags } from 'stillwater';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, Problem, put, reason, remove } from './api';
import * as client from './client';
import { Dialog } from './dialog';
import { useRoles } from './roles';
import { go, href } from './route';
import { text } from './text';

const LONGEST = 255;
const MOST = 1000; // VMs at once
const AT_ONCE = 4; // requests
const MOST_REASONS = 5;
const NOT_FOUND = 404;

type Kind = 'vms' | 'hosts';

const path = (kind: Kind, id: string, tag: string) => `api/v1/${kind}/${id}/tags/${encodeURIComponent(tag)}`;
const give = (kind: Kind, id: string, tag: string) => put<ObjectTags>(path(kind, id, tag), undefined);
const take = (kind: Kind, id: string, tag: string) => remove<ObjectTags>(path(kind, id, tag));

/** The search for objects with a tag. */
export const tagSearch = (tag: string) => `tag:${/\s/.test(tag) ? `"${tag}"` : tag}`;

type Known = KnownTags['items'];

/** All tags; null until they are read. Without an answer a name is typed in full, and the engine refuses what it does not change. */
function useKnownTags(wanted: boolean): Known | null {
  const [known, setKnown] = useState<Known | null>(null);
  useEffect(() => {
    if (!wanted) return undefined;
    const abort = new AbortController();
    get<KnownTags>('api/v1/tags', abort.signal).then(all => setKnown(all.items), () => setKnown([]));
    return () => abort.abort();
  }, [wanted]);
  return known;
}

/** A field for the name of a tag, which completes the existing tags that users may give. */
function TagField({ list, known, value, change }: { list: string; known: Known; value: string; change: (value: string) => void }) {
  return (
    <label>
      {text.tags.name}{' '}
      <input list={list} required maxLength={LONGEST} autocomplete="off" value={value} onInput={event => change(event.currentTarget.value)} />
      <datalist id={list}>{known.filter(tag => tag.source === null).map(({ name }) => <option key={name} value={name} />)}</datalist>
    </label>
  );
}

/** The tags of a VM or host in its details. Operators change those of VMs, administrators those of hosts. */
export function TagList({ kind, id, tags, changed }: { kind: Kind; id: string; tags: readonly string[]; changed: () => void }) {
  const { operates, administers } = useRoles();
  const changes = kind === 'vms' ? operates : administers;
  const shown = kind === 'vms' ? 'vm' : 'host';
  const known = useKnownTags(changes);
  const poolOf = (tag: string) => known?.find(each => each.name === tag)?.source ?? null;
  const [name, setName] = useState('');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<ObjectTags>) => {
    setBusy(true);
    setTrouble('');
    try {
      await work();
      setName('');
      changed();
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    } finally {
      setBusy(false);
    }
  };
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    void run(() => give(kind, id, name.trim()));
  };
  return (
    <div class="tags">
      <h3>{text.tags.title}</h3>
      <ul class="plain-list">
        {tags.map(tag => {
          const pool = poolOf(tag);
          return (
            <li key={tag}>
              <button
                type="button"
                class="plain"
                title={pool === null ? text.tags.find[kind](tag) : `${text.tags.find[kind](tag)}. ${text.tags.kept(pool)}`}
                onClick={() => go(href(kind, { q: tagSearch(tag), [shown]: id }))}
              >
                {tag}
              </button>
              {changes && known !== null && pool === null && (
                <button type="button" class="plain" aria-label={text.tags.take(tag)} disabled={busy} onClick={() => void run(() => take(kind, id, tag))}>
                  ×
                </button>
              )}
            </li>
          );
        })}
        {tags.length === 0 && <li>{text.tags.none}</li>}
      </ul>
      {changes && (
        <form onSubmit={add}>
          <TagField list="tags-of-one" known={known ?? []} value={name} change={setName} />
          <button disabled={busy || name.trim() === ''}>{text.tags.add}</button>
        </form>
      )}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
    </div>
  );
}

interface Outcome {
  done: number;
  /** VMs that have the tag now, or had it until now. */
  changed: number;
  /** VMs by the reason of their refusal. */
  refused: Map<string, number>;
}

const NOTHING: Outcome = { done: 0, changed: 0, refused: new Map() };

/** Gives all VMs a tag or takes it from them, a few at a time; reports its progress. */
async function changeAll(
  vms: string[],
  one: (vm: string) => Promise<boolean>,
  tell: (outcome: Outcome) => void,
  goesOn: () => boolean,
): Promise<void> {
  const outcome = { ...NOTHING, refused: new Map<string, number>() };
  const left = [...vms];
  const work = async () => {
    for (let vm = left.pop(); vm !== undefined && goesOn(); vm = left.pop()) {
      try {
        if (await one(vm)) outcome.changed++;
      } catch (failure) {
        const why = reason(failure, text.act.unreachable).replaceAll(vm, '…');
        outcome.refused.set(why, (outcome.refused.get(why) ?? 0) + 1);
      }
      outcome.done++;
      tell({ ...outcome });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function TagDialog({ vms, close }: { vms: string[]; close: () => void }) {
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const open = useRef(true);
  useEffect(() => () => {
    open.current = false;
  }, []);
  const tooMany = vms.length > MOST;
  const known = useKnownTags(true);
  const run = async (one: (vm: string) => Promise<boolean>) => {
    setBusy(true);
    setOutcome(NOTHING);
    await changeAll(vms, one, told => open.current && setOutcome(told), () => open.current);
    if (open.current) setBusy(false);
  };
  const tag = name.trim();
  const add = async (vm: string) => {
    await give('vms', vm, tag);
    return true;
  };
  const takeOff = async (vm: string) => {
    try {
      await take('vms', vm, tag);
      return true;
    } catch (failure) {
      if (failure instanceof Problem && failure.status === NOT_FOUND) return false; // it does not have it
      throw failure;
    }
  };
  return (
    <Dialog title={text.tags.of(vms.length)} close={close}>
      <form
        onSubmit={event => {
          event.preventDefault();
          void run(add);
        }}
      >
        <TagField list="tags-of-many" known={known ?? []} value={name} change={setName} />
        <div role="status" aria-live="polite">
          {outcome && busy && <p>{text.tags.progress(outcome.done, vms.length)}</p>}
          {outcome && !busy && <p>{text.tags.ended(outcome.changed)}</p>}
        </div>
        {tooMany && <p class="trouble">{text.tags.tooMany(MOST)}</p>}
        {outcome && outcome.refused.size > 0 && (
          <ul class="refusals">
            {[...outcome.refused].slice(0, MOST_REASONS).map(([why, count]) => <li key={why}>{text.tags.refused(count, why)}</li>)}
          </ul>
        )}
        <footer>
          <button type="button" onClick={close}>{text.close}</button>
          <button type="button" disabled={busy || tooMany || tag === ''} onClick={() => void run(takeOff)}>{text.tags.takeOff}</button>
          <button class="primary" disabled={busy || tooMany || tag === ''}>{text.tags.add}</button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Changes the tags of the selected VMs. */
export function TagButton({ selected }: { selected: number }) {
  const [vms, setVms] = useState<string[] | null>(null);
  return (
    <>
      <button type="button" class="action" disabled={selected === 0} onClick={() => void client.selected().then(setVms)}>
        {text.tags.button}
      </button>
      {vms && <TagDialog vms={vms} close={() => setVms(null)} />}
    </>
  );
}
