// Access: users with their roles, and tokens of programs.
import type { NewToken as Wish, NewUser as Person, Token, Tokens, User, Users } from 'stillwater';
import { useState } from 'preact/hooks';
import { post, put, reason, remove } from './api';
import { Dialog } from './dialog';
import { type Draft, grantsOf, GrantsEditor, NEW_DRAFT, type Role, ROLES, RolesDialog, useGrantTexts } from './grants';
import { Confirm } from './groups';
import { usePolled } from './hooks';
import { useMe, useRoles, whoAmIAgain } from './roles';
import { moment, text } from './text';

const EVERY_MILLIS = 5000;
/** The roles that each role contains, as the engine has them. */
const CONTAINED: Record<Role, readonly Role[]> = {
  administrator: ROLES, operator: ['operator', 'reader', 'benchmarker'], reader: ['reader'], scraper: ['scraper'], benchmarker: ['benchmarker'],
};
const DAYS = [30, 90, 365];
const DAY_MILLIS = 86_400_000;

function NewUser({ close }: { close: (told: string | null) => void }) {
  const [drafts, setDrafts] = useState<Draft[]>([NEW_DRAFT]);
  const [trouble, setTrouble] = useState('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    try {
      const user = await post<User>('api/v1/users', {
        name: String(form.get('name')).trim(),
        password: String(form.get('password')),
        mustChangePassword: form.get('must') === 'on',
        grants: await grantsOf(drafts),
      } satisfies Person);
      close(text.access.userAdded(user.name));
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    }
  };
  return (
    <Dialog title={text.access.newUser} close={() => close(null)} class="edit">
      <form onSubmit={event => void submit(event)}>
        <label>{text.access.name}<input name="name" required maxLength={255} autocomplete="off" /></label>
        <label>{text.access.password}<input name="password" type="password" required autocomplete="new-password" /></label>
        <GrantsEditor drafts={drafts} change={setDrafts} />
        <label class="flag"><input name="must" type="checkbox" defaultChecked />{text.access.must}</label>
        {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
        <footer>
          <button type="button" onClick={() => close(null)}>{text.cancel}</button>
          <button class="primary">{text.access.add}</button>
        </footer>
      </form>
    </Dialog>
  );
}

function NewToken({ close }: { close: () => void }) {
  const { grants } = useMe();
  const own = ROLES.filter(role => grants.some(grant => CONTAINED[grant.role as Role].includes(role)));
  const [role, setRole] = useState<Role>(own.find(each => grants.some(grant => grant.role === each)) ?? 'reader');
  const [days, setDays] = useState(DAYS[1]!);
  const [label, setLabel] = useState('');
  const [made, setMade] = useState<Token | null>(null);
  const [trouble, setTrouble] = useState('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      setMade(await post<Token>('api/v1/tokens', {
        label, roles: [role], expiresAt: new Date(Date.now() + days * DAY_MILLIS).toISOString(),
      } satisfies Wish));
      setTrouble('');
    } catch (failure) {
      setTrouble(reason(failure, text.act.unreachable));
    }
  };
  return (
    <Dialog title={text.access.newToken} close={close} class="edit">
      {made ? (
        <>
          <p>{text.access.once}</p>
          <p><code class="secret fingerprint">{made.token}</code></p>
          <footer><button type="button" class="primary" onClick={close}>{text.close}</button></footer>
        </>
      ) : (
        <form onSubmit={event => void submit(event)}>
          <label>
            {text.access.label}
            <input name="label" required maxLength={128} value={label} onInput={event => setLabel(event.currentTarget.value)} />
          </label>
          <label>
            {text.access.role}
            <select value={role} onChange={event => setRole(event.currentTarget.value as Role)}>
              {own.map(each => <option key={each} value={each}>{text.access.roles[each]}</option>)}
            </select>
          </label>
          <label>
            {text.access.expires}
            <select value={days} onChange={event => setDays(Number(event.currentTarget.value))}>
              {DAYS.map(each => <option key={each} value={each}>{text.access.days(each)}</option>)}
            </select>
          </label>
          {trouble !== '' && <p class="trouble" role="alert">{trouble}</p>}
          <footer>
            <button type="button" onClick={close}>{text.cancel}</button>
            <button class="primary">{text.access.make}</button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}

type Open = { kind: 'user' } | { kind: 'roles'; user: User } | { kind: 'token' } | { kind: 'remove'; user: User } | { kind: 'revoke'; token: Token } | null;

export function Access() {
  const me = useMe();
  const { administers } = useRoles();
  const users = usePolled<Users>(administers ? 'api/v1/users' : '', EVERY_MILLIS);
  const tokens = usePolled<Tokens>(me.means === 'none' ? '' : 'api/v1/tokens', EVERY_MILLIS);
  const [open, setOpen] = useState<Open>(null);
  const [told, setTold] = useState('');
  const run = (work: () => Promise<string>) => {
    work()
      .then(setTold, (failure: unknown) => setTold(reason(failure, text.act.unreachable)))
      .finally(() => {
        users.again();
        tokens.again();
      });
  };
  const grantText = useGrantTexts([...me.grants, ...(users.value?.items ?? []).flatMap(user => user.grants)]);
  const close = () => {
    setOpen(null);
    users.again();
    tokens.again();
  };
  return (
    <section class="page" aria-label={text.pages.access}>
      {told !== '' && <p role="status">{told}</p>}
      <div class="list access" tabIndex={0} role="group" aria-label={text.pages.access}>
        <h2>{text.access.you(me.name || text.access.nobody)}</h2>
        <p>{me.grants.length === 0 ? text.access.noGrants : me.grants.map(grantText).join(', ')}</p>
        {administers && (
          <>
            <h2>{text.access.users} <button type="button" onClick={() => setOpen({ kind: 'user' })}>{text.access.newUser}</button></h2>
            {users.problem && <p class="trouble" role="alert">{users.problem.message}</p>}
            <table class="cards users">
              <thead>
                <tr>
                  <th scope="col">{text.access.name}</th>
                  <th scope="col">{text.access.grants}</th>
                  <th scope="col">{text.access.state}</th>
                  <th scope="col">{text.access.since}</th>
                  <th scope="col">{text.hosts.actions}</th>
                </tr>
              </thead>
              <tbody>
                {users.value?.items.map(user => (
                  <tr key={user.id}>
                    <th scope="row">{user.name}</th>
                    <td>{user.grants.length === 0 ? text.access.noGrants : user.grants.map(grantText).join(', ')}</td>
                    <td>{text.access.states(user.enabled, user.hasPassword, user.mustChangePassword)}</td>
                    <td>{moment(user.createdAt)}</td>
                    <td class="buttons">
                      <button type="button" onClick={() => setOpen({ kind: 'roles', user })}>{text.access.changeRoles}</button>
                      <button
                        type="button"
                        onClick={() => run(async () => {
                          await put(`api/v1/users/${user.id}`, { enabled: !user.enabled });
                          return text.access.switched(user.name, !user.enabled);
                        })}
                      >
                        {user.enabled ? text.access.disable : text.access.enable}
                      </button>
                      <button type="button" onClick={() => setOpen({ kind: 'remove', user })}>{text.remove}</button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
        {me.means !== 'none' && (
          <>
            <h2>{text.access.tokens} <button type="button" onClick={() => setOpen({ kind: 'token' })}>{text.access.newToken}</button></h2>
            {tokens.problem && <p class="trouble" role="alert">{tokens.problem.message}</p>}
            <table class="cards tokens">
              <thead>
                <tr>
                  <th scope="col">{text.access.label}</th>
                  <th scope="col">{text.access.user}</th>
                  <th scope="col">{text.access.grants}</th>
                  <th scope="col">{text.access.since}</th>
                  <th scope="col">{text.access.expires}</th>
                  <th scope="col">{text.hosts.actions}</th>
                </tr>
              </thead>
              <tbody>
                {tokens.value?.items.map(token => (
                  <tr key={token.id}>
                    <th scope="row">{token.label}</th>
                    <td>{token.user}</td>
                    <td>{token.roles.map(role => text.access.roles[role] ?? role).join(', ')}</td>
                    <td>{moment(token.createdAt)}</td>
                    <td>{Date.parse(token.expiresAt ?? '') < Date.now() ? <span class="badge bad">{text.access.expired(moment(token.expiresAt))}</span> : moment(token.expiresAt)}</td>
                    <td class="buttons">
                      <button type="button" onClick={() => setOpen({ kind: 'revoke', token })}>{text.access.revoke}</button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {tokens.value?.items.length === 0 && <p class="nothing">{text.access.noTokens}</p>}
          </>
        )}
      </div>
      {open?.kind === 'user' && (
        <NewUser
          close={said => {
            close();
            if (said !== null) setTold(said);
          }}
        />
      )}
      {open?.kind === 'roles' && (
        <RolesDialog
          user={open.user}
          close={said => {
            close();
            if (said !== null) setTold(said);
            whoAmIAgain();
          }}
        />
      )}
      {open?.kind === 'token' && <NewToken close={close} />}
      {open?.kind === 'remove' && (
        <Confirm
          title={text.access.removeTitle(open.user.name)}
          what={text.access.removes}
          button={text.remove}
          close={() => setOpen(null)}
          run={() => run(async () => {
            await remove(`api/v1/users/${open.user.id}`);
            return text.removed(open.user.name);
          })}
        />
      )}
      {open?.kind === 'revoke' && (
        <Confirm
          title={text.access.revokeTitle(open.token.label)}
          what={text.access.revokes}
          button={text.access.revoke}
          close={() => setOpen(null)}
          run={() => run(async () => {
            await remove(`api/v1/tokens/${open.token.id}`);
            return text.access.revoked(open.token.label);
          })}
        />
      )}
    </section>
  );
}
