// Parts that the definition of a found VM lacks: no run begins before they are defined, or a user decides to run the VM without them.
import type { Operation, VmDefinition } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { get, put, reason } from './api';
import { ended } from './definition';
import { text } from './text';

type Definition = Pick<VmDefinition, 'name' | 'foundOnHost'>;

interface Found {
  id: string;
  name: string;
  missing: readonly string[];
}

const path = (id: string) => `api/v1/vms/${id}/definition`;
const partsOf = (definition: Definition): readonly string[] => definition.foundOnHost?.missing ?? [];

function Parts({ found, done, changed }: { found: Found; done: () => void; changed: (missing: readonly string[]) => void }) {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState('');
  const accept = async () => {
    setBusy(true);
    setTrouble('');
    try {
      // The decision is about the parts that are shown: the host may have reported others since.
      const { foundOnHost, ...present } = await get<VmDefinition>(path(found.id));
      const now = foundOnHost?.missing ?? [];
      if (now.join('\n') !== found.missing.join('\n')) {
        changed(now);
        setTrouble(text.found.others);
        return;
      }
      const end = await ended(await put<Operation>(path(found.id), present), () => true);
      if (end.state === 'succeeded') done();
      else setTrouble(end.failure?.reason ?? end.step);
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <p>{text.found.lacks(found.name)}</p>
      <ul class="parts">{found.missing.map(part => <li key={part}>{part}</li>)}</ul>
      <button type="button" disabled={busy} title={text.found.acceptHint} onClick={() => void accept()}>
        {text.found.accept(found.name)}
      </button>
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
    </li>
  );
}

/** Those of some VMs whose definitions lack parts; `again` is called when one may run. */
export function FoundParts({ vms, again }: { vms: string[]; again: () => void }) {
  const [all, setAll] = useState<Found[]>([]);
  const key = vms.join();
  useEffect(() => {
    const abort = new AbortController();
    // A check does not read definitions. Without an answer, the refusal of the order names the first parts.
    const look = (id: string) => get<Definition>(path(id), abort.signal).then(
      definition => ({ id, name: definition.name, missing: partsOf(definition) }),
      () => ({ id, name: '', missing: [] as string[] }),
    );
    void Promise.all(vms.map(look)).then(read => {
      if (!abort.signal.aborted) setAll(read.filter(each => each.missing.length > 0));
    });
    return () => abort.abort();
  }, [key]);
  if (all.length === 0) return null;
  const show = (id: string, missing: readonly string[]) => setAll(before => before.map(each => (each.id === id ? { ...each, missing } : each)));
  return (
    <ul class="refusals">
      {all.map(found => <Parts key={found.id} found={found} done={again} changed={missing => show(found.id, missing)} />)}
    </ul>
  );
}
