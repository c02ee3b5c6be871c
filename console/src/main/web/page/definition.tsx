// The definition of a VM: its console, a form to change it, and its versions.
import type { Operation, Ticket, Vm, VmDefinition, VmVersion } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { file, get, post, put, reason } from './api';
import { Dialog } from './dialog';
import { usePolled } from './hooks';
import { save } from './save';
import { moment, text } from './text';

const OPERATION_MILLIS = 300;
const VERSIONS_MILLIS = 10_000;
const VERSIONS = 20;
const MOST_VERSIONS = 1000; // of the interface
const VIEWER = 'application/x-virt-viewer';
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

type Console = Pick<Vm, 'id' | 'name' | 'vncPort' | 'vncTlsPort' | 'spicePort' | 'spiceTlsPort'>;

/** Waits until an operation has ended; how it ended. */
export async function ended(operation: Operation, current: () => boolean): Promise<Operation> {
  let now = operation;
  while (!ENDED.has(now.state) && current()) {
    await new Promise(go => setTimeout(go, OPERATION_MILLIS));
    now = await get<Operation>(`api/v1/operations/${operation.id}`);
  }
  return now;
}

/** A console's identity in the interface of oVirt's clients: its protocol in hexadecimal digits. */
const consoleId = (protocol: string) => [...protocol].map(letter => letter.charCodeAt(0).toString(16)).join('');

export function ConsoleDialog({ vm, close }: { vm: Console; close: () => void }) {
  const [ticket, setTicket] = useState<{ password: string; seconds: number; protocol: string } | null>(null);
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const ports = ([['vnc', vm.vncTlsPort ?? vm.vncPort], ['spice', vm.spiceTlsPort ?? vm.spicePort]] as const)
    .filter((each): each is ['vnc' | 'spice', number] => each[1] !== null && each[1] > 0);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setTrouble('');
    try {
      await work();
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    } finally {
      setBusy(false);
    }
  };
  const ask = (protocol: string) => run(async () => {
    // The first console needs no name.
    const answer = await post<Ticket>(`api/v1/vms/${vm.id}/console-ticket`, ports.length > 1 ? { protocol } : undefined);
    const end = await ended(answer.operation, () => true);
    if (end.state === 'succeeded') setTicket({ ...answer, protocol });
    else setTrouble(text.console.failed(end.failure?.reason ?? end.step));
  });
  const download = (protocol: string) => run(async () => {
    const content = await file(`ovirt-engine/api/vms/${vm.id}/graphicsconsoles/${consoleId(protocol)}`, VIEWER);
    save(content, `${vm.name}-${protocol}.vv`);
  });
  return (
    <Dialog title={text.console.title(vm.name)} close={close}>
      {ports.length === 0 ? (
        <p>{text.console.none}</p>
      ) : (
        <>
          <p>{text.console.why}</p>
          <ul>
            {ports.map(([protocol, port]) => <li key={protocol}>{text.console.address(protocol.toUpperCase(), port)}</li>)}
          </ul>
          <div role="status" aria-live="polite">
            {busy && <p>{text.console.wait}</p>}
            {ticket && (
              <p>
                {ports.length > 1 ? text.console.passwordOf(ticket.protocol.toUpperCase()) : text.console.password}: <code class="secret">{ticket.password}</code> {text.console.valid(ticket.seconds)}
              </p>
            )}
          </div>
        </>
      )}
      {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
      <footer>
        {ports.map(([protocol]) => (
          <button key={protocol} type="button" disabled={busy} onClick={() => void download(protocol)}>
            {text.console.file(protocol.toUpperCase())}
          </button>
        ))}
        {ports.map(([protocol]) => (
          <button key={protocol} type="button" class="primary" disabled={busy} onClick={() => void ask(protocol)}>
            {ports.length > 1 ? text.console.ticketFor(protocol.toUpperCase()) : text.console.ticket}
          </button>
        ))}
      </footer>
    </Dialog>
  );
}

export function ConsoleButton({ vm }: { vm: Console }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>{text.console.button}</button>
      {open && <ConsoleDialog vm={vm} close={() => setOpen(false)} />}
    </>
  );
}

type Definition = Partial<VmDefinition>;

const TEXTS = [['name', text.edit.name], ['description', text.edit.description], ['comment', text.edit.comment]] as const;
const NUMBERS = [
  ['memoryMebibytes', text.edit.memory, 16], ['guaranteedMemoryMebibytes', text.edit.guaranteed, 0], ['sockets', text.edit.sockets, 1],
  ['coresPerSocket', text.edit.cores, 1], ['priority', text.edit.priority, 0],
] as const;
const FLAGS = [['highlyAvailable', text.edit.highlyAvailable], ['deleteProtected', text.edit.deleteProtected]] as const;

function EditDialog({ id, name, close }: { id: string; name: string; close: () => void }) {
  const path = `api/v1/vms/${id}/definition`;
  const [before, setBefore] = useState<Definition | null>(null);
  const [changes, setChanges] = useState<Definition>({});
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    get<Definition>(path).then(setBefore, (failure: unknown) => setTrouble(reason(failure, text.act.unreachable)));
  }, [path]);
  const value = (member: keyof VmDefinition) => changes[member] ?? before?.[member] ?? '';
  const change = (member: keyof VmDefinition, next: unknown) => setChanges(all => ({ ...all, [member]: next }));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!before) return;
    const changed = (Object.keys(changes) as (keyof VmDefinition)[]).filter(member => changes[member] !== (before[member] ?? ''));
    if (changed.length === 0) {
      setTrouble(text.edit.nothing);
      return;
    }
    setBusy(true);
    try {
      // The whole definition is sent: changes by another user in the meantime stay.
      const present = await get<Definition>(path);
      const clash = changed.filter(member => present[member] !== before[member]);
      if (clash.length > 0) {
        setTrouble(text.edit.clash(clash.join(', ')));
        return;
      }
      const operation = await put<Operation>(path, { ...present, ...Object.fromEntries(changed.map(member => [member, changes[member]])) });
      const end = await ended(operation, () => true);
      if (end.state === 'succeeded') close();
      else setTrouble(end.failure?.reason ?? end.step);
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={text.edit.title(name)} close={close} class="edit">
      {before && (
        <form onSubmit={event => void submit(event)}>
          {TEXTS.map(([member, title]) => (
            <label key={member}>
              {title}
              <input
                name={member}
                value={String(value(member))}
                required={member === 'name'}
                maxLength={member === 'name' ? 255 : 4000}
                onInput={event => change(member, event.currentTarget.value)}
              />
            </label>
          ))}
          <div class="fields">
            {NUMBERS.map(([member, title, least]) => (
              <label key={member}>
                {title}
                <input
                  name={member}
                  type="number"
                  min={least}
                  required
                  value={String(value(member))}
                  onInput={event => change(member, event.currentTarget.valueAsNumber)}
                />
              </label>
            ))}
          </div>
          {FLAGS.map(([member, title]) => (
            <label key={member} class="flag">
              <input
                name={member}
                type="checkbox"
                checked={value(member) === true}
                onChange={event => change(member, event.currentTarget.checked)}
              />
              {title}
            </label>
          ))}
          <p class="soft">{text.edit.later}</p>
          {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
          <footer>
            <button type="button" onClick={close}>{text.cancel}</button>
            <button class="primary" disabled={busy}>{text.edit.save}</button>
          </footer>
        </form>
      )}
      {!before && trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
    </Dialog>
  );
}

export function EditButton({ vm }: { vm: { id: string; name: string } }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>{text.edit.button}</button>
      {open && <EditDialog id={vm.id} name={vm.name} close={() => setOpen(false)} />}
    </>
  );
}

type Version = VmVersion;
const NOT_COMPARED = new Set<keyof Version>(['version', 'validFrom', 'validUntil']);
const shown = (value: unknown) => (value === null || value === undefined || value === '' ? '–' : String(value));

function differences(version: Version, before: Version | undefined): string[] {
  if (!before) return [text.detail.firstVersion];
  const all = (Object.keys(version) as (keyof Version)[])
    .filter(member => !NOT_COMPARED.has(member) && version[member] !== before[member])
    .map(member => text.detail.changed(member, shown(before[member]), shown(version[member])));
  return all.length > 0 ? all : [text.detail.sameVersion];
}

/** Versions of the definition, each with its differences from the previous one. */
export function Versions({ id }: { id: string }) {
  const [limit, setLimit] = useState(VERSIONS);
  const versions = usePolled<{ items: Version[]; next: number | null }>(`api/v1/vms/${id}/configurations?limit=${limit}`, VERSIONS_MILLIS);
  const items = versions.value?.items ?? [];
  return (
    <>
      <h3>{text.detail.versions}</h3>
      {versions.problem && <p class="trouble">{versions.problem.message}</p>}
      <ul class="plain-list versions">
        {items.map((version, i) =>
          i === items.length - 1 && versions.value?.next !== null ? null : (
            <li key={version.version}>
              <b>{text.detail.versionOf(version.version)}</b> <time dateTime={version.validFrom}>{moment(version.validFrom)}</time>{' '}
              {differences(version, items[i + 1]).join('; ')}
            </li>
          ))}
        {versions.value && items.length === 0 && <li>{text.detail.none}</li>}
      </ul>
      {versions.value && versions.value.next !== null && limit < MOST_VERSIONS && (
        <button type="button" onClick={() => setLimit(MOST_VERSIONS)}>{text.detail.olderVersions}</button>
      )}
    </>
  );
}
