// Consoles of the selection: one at a time, because a ticket is shown once and is valid for a short time.
import type { Vm } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { get, reason } from './api';
import * as client from './client';
import { ConsoleDialog } from './definition';
import { Dialog } from './dialog';
import { text } from './text';

const MOST_OFFERED = 50;

/** The console of one VM, as soon as its consoles are known. */
function ConsoleOf({ id, close }: { id: string; close: () => void }) {
  const [vm, setVm] = useState<Vm | null>(null);
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    const abort = new AbortController();
    get<Vm>(`api/v1/vms/${id}`, abort.signal).then(setVm, (failure: unknown) => {
      if (!abort.signal.aborted) setTrouble(reason(failure, text.act.unreachable));
    });
    return () => abort.abort();
  }, [id]);
  if (vm) return <ConsoleDialog vm={vm} close={close} />;
  if (trouble === '') return null;
  return (
    <Dialog title={text.console.button} close={close}>
      <p class="trouble" role="alert">{trouble}</p>
    </Dialog>
  );
}

function Choice({ vms, choose, close }: { vms: string[]; choose: (vm: string) => void; close: () => void }) {
  const [described, setDescribed] = useState<{ id: string; name: string; status: string }[]>([]);
  useEffect(() => {
    void client.vms(vms.slice(0, MOST_OFFERED)).then(setDescribed);
  }, [vms]);
  return (
    <Dialog title={text.console.choose(vms.length)} close={close}>
      <p>{text.console.oneByOne}</p>
      <ul class="plain-list consoles">
        {described.map(vm => (
          <li key={vm.id}>
            <button type="button" onClick={() => choose(vm.id)}>{vm.name}</button> <span class="soft">{vm.status.replaceAll('_', ' ')}</span>
          </li>
        ))}
        {vms.length > MOST_OFFERED && <li>{text.jobs.more(vms.length - MOST_OFFERED)}</li>}
      </ul>
      <footer>
        <button type="button" onClick={close}>{text.close}</button>
      </footer>
    </Dialog>
  );
}

/** Opens the console of the selected VM; of several, one that the user chooses. */
export function ConsolesButton({ selected }: { selected: number }) {
  const [vms, setVms] = useState<string[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const open = async () => {
    const all = await client.selected();
    setVms(all);
    setChosen(all.length === 1 ? all[0]! : null);
  };
  const close = () => {
    setVms([]);
    setChosen(null);
  };
  // From the console of one of several, the user returns to the others.
  const back = () => (vms.length > 1 ? setChosen(null) : close());
  return (
    <>
      <button type="button" class="action" disabled={selected === 0} onClick={() => void open()}>{text.console.buttonOfMany}</button>
      {vms.length > 1 && chosen === null && <Choice vms={vms} choose={setChosen} close={close} />}
      {chosen !== null && <ConsoleOf key={chosen} id={chosen} close={back} />}
    </>
  );
}
