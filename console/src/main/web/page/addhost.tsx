// Adds a host: tests the connection, shows its certificates, and confirms the one that the user compared.
import type { HostCertificate, HostTest, TestedCertificate } from 'stillwater';
import { useState } from 'preact/hooks';
import { get, post, reason } from './api';
import { Dialog } from './dialog';
import { usePolled } from './hooks';
import { moment, text } from './text';

const CLUSTERS_MILLIS = 60_000;
const LOOK_MILLIS = 500;
const LOOKS = 40; // for the certificate that the engine sees when it connects
const DEFAULT_PORT = 54321;

export function Chain({ chain }: { chain: TestedCertificate[] }) {
  return (
    <ol class="chain" aria-label={text.addHost.chain}>
      {chain.map(each => (
        <li key={each.fingerprint}>
          <b>{each.subject}</b>
          <dl class="facts">
            <div><dt>{text.addHost.issuer}</dt><dd>{each.issuer}</dd></div>
            <div><dt>{text.addHost.names}</dt><dd>{each.names}</dd></div>
            <div><dt>{text.addHost.valid}</dt><dd>{text.charts.zoomed(moment(each.notBefore), moment(each.notAfter))}</dd></div>
          </dl>
          <p>{text.addHost.fingerprint} <code class="fingerprint">{each.fingerprint}</code></p>
        </li>
      ))}
    </ol>
  );
}

/** Confirms the certificate of a new host, if it is the one that the user has compared. */
async function confirm(host: string, fingerprint: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    const certificate = await get<HostCertificate>(`api/v1/hosts/${host}/certificate`);
    if (certificate.fingerprint === fingerprint) return true;
    if (certificate.refused) {
      if (certificate.refused.fingerprint !== fingerprint) return false;
      await post(`api/v1/hosts/${host}/certificate/confirm`, { fingerprint });
      return true;
    }
    await new Promise(go => setTimeout(go, LOOK_MILLIS));
  }
  return true; // the host has not answered yet; its page shows the certificate when it does
}

export function AddHost({ close }: { close: (done: string | null) => void }) {
  const clusters = usePolled<{ items: { id: string; name: string; hypervisor: string }[] }>('api/v1/clusters', CLUSTERS_MILLIS);
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [port, setPort] = useState(DEFAULT_PORT);
  const [cluster, setCluster] = useState('');
  const [test, setTest] = useState<HostTest | null>(null);
  const [compared, setCompared] = useState(false);
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState('');
  const changed = () => {
    setTest(null);
    setCompared(false);
  };
  const run = async (what: string, work: () => Promise<void>) => {
    setBusy(what);
    setTrouble('');
    try {
      await work();
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    } finally {
      setBusy('');
    }
  };
  const own = test?.chain[0];
  const tryIt = () => run(text.addHost.testing, async () => {
    changed();
    setTest(await post<HostTest>('api/v1/hosts:test', { address: address.trim(), port }));
  });
  const add = () => run(text.addHost.adding, async () => {
    const host = await post<{ id: string; name: string }>('api/v1/hosts', {
      name: name.trim(), address: address.trim(), port, ...(cluster === '' ? {} : { cluster }),
    });
    const same = own === undefined || (await confirm(host.id, own.fingerprint));
    close(same ? text.addHost.added(host.name) : text.addHost.otherCertificate(host.name));
  });
  const complete = name.trim() !== '' && address.trim() !== '' && port >= 1 && port <= 65535;
  // A fingerprint proves the host only where its authority is trusted: the engine accepts no other certificate.
  const refused = test?.trusted === false;
  const mayAdd = complete && busy === '' && test !== null && !refused && (own === undefined || compared);
  return (
    <Dialog title={text.addHost.title} close={() => close(null)} class="edit add-host">
      <form
        onSubmit={event => {
          event.preventDefault();
          void (mayAdd ? add() : tryIt());
        }}
      >
        <label>
          {text.addHost.name}
          <input name="name" value={name} maxLength={255} required onInput={event => setName(event.currentTarget.value)} />
        </label>
        <div class="fields">
          <label>
            {text.addHost.address}
            <input
              name="address"
              value={address}
              maxLength={255}
              required
              onInput={event => {
                setAddress(event.currentTarget.value);
                changed();
              }}
            />
          </label>
          <label>
            {text.addHost.port}
            <input
              name="port"
              type="number"
              min={1}
              max={65535}
              required
              value={port}
              onInput={event => {
                setPort(event.currentTarget.valueAsNumber);
                changed();
              }}
            />
          </label>
          <label>
            {text.addHost.cluster}
            <select name="cluster" value={cluster} onChange={event => setCluster(event.currentTarget.value)}>
              <option value="">{text.addHost.usualCluster}</option>
              {clusters.value?.items.filter(each => each.hypervisor !== 'xapi').map(each => <option key={each.id} value={each.id}>{each.name}</option>)}
            </select>
          </label>
        </div>
        <div role="status" aria-live="polite">
          {busy !== '' && <p>{busy}</p>}
          {test && (
            <>
              <p class={test.ready ? '' : 'trouble'}>{test.ready ? text.addHost.ready : text.addHost.notReady(test.why ?? '')}</p>
              {!test.encrypted && <p class="trouble">{text.addHost.plain}</p>}
              {refused && <p class="trouble">{text.addHost.untrusted}</p>}
              {test.named === false && !refused && <p class="trouble">{text.addHost.otherName(address)}</p>}
              <Chain chain={test.chain} />
            </>
          )}
        </div>
        {own && !refused && (
          <label class="flag">
            <input name="compared" type="checkbox" checked={compared} onChange={event => setCompared(event.currentTarget.checked)} />
            {text.addHost.compared}
          </label>
        )}
        {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
        <footer>
          <button type="button" onClick={() => close(null)}>{text.cancel}</button>
          <button type="button" disabled={busy !== '' || address.trim() === ''} onClick={() => void tryIt()}>{text.addHost.test}</button>
          <button class="primary" disabled={!mayAdd}>{text.addHost.add}</button>
        </footer>
      </form>
    </Dialog>
  );
}
