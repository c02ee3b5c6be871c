import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import * as api from './api';
import * as client from './client';
import { Dialog } from './dialog';
import { whoAmIAgain } from './roles';
import { text } from './text';

let waiting: (() => void)[] = [];
let show: (open: boolean) => void = () => undefined;

/** Asks for a login, once for all requests that wait for it. */
export function askForLogin(): Promise<void> {
  return new Promise<void>(go => {
    waiting.push(go);
    show(true);
  });
}

function goOn(): void {
  const all = waiting;
  waiting = [];
  show(false);
  api.loggedIn();
  client.resume();
  whoAmIAgain(); // perhaps another user
  all.forEach(go => go());
}

/** Shown when the login has ended; nothing behind it is lost. */
export function Login({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const [oidc, setOidc] = useState<string | null>(null);
  useLayoutEffect(() => {
    show = setOpen;
    if (waiting.length > 0) setOpen(true);
    return client.on('login', () => setOpen(true));
  }, []);
  useEffect(() => {
    if (open) api.loginOptions().then(options => setOidc(options.oidc), () => setOidc(null));
  }, [open]);
  if (!open) return null;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    setBusy(true);
    try {
      const refused = await api.login(String(form.get('username')), String(form.get('password')));
      setTrouble(refused === null ? '' : refused === 401 ? text.login.wrong : refused === 429 ? text.login.later : text.login.failed);
      if (refused === null) goOn();
    } catch {
      setTrouble(text.act.unreachable);
    } finally {
      setBusy(false);
    }
  };
  const check = async () => {
    try {
      if (await api.whoAmI()) goOn();
    } catch {
      setTrouble(text.act.unreachable);
    }
  };
  return (
    <Dialog title={text.login.title} close={null} class="login">
      <p>{text.login.why}</p>
      {trouble !== '' && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      <form onSubmit={event => void submit(event)}>
        <label>
          {text.login.name}
          <input name="username" autocomplete="username" defaultValue={name} required />
        </label>
        <label>
          {text.login.password}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button class="primary" disabled={busy}>
          {text.login.submit}
        </button>
      </form>
      {oidc !== null && (
        <p>
          <a href={api.base + oidc.replace(/^\//, '')} target="_blank" rel="noopener">
            {text.login.oidc}
          </a>{' '}
          <button type="button" onClick={() => void check()}>
            {text.login.done}
          </button>
        </p>
      )}
    </Dialog>
  );
}
