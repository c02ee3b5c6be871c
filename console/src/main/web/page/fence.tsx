// Fence agents of a host: their order, a form for each of them, and a test that queries the power.
import type { FenceAgent, FenceAgents as Agents, FenceAgentTest, NewFenceAgent } from 'stillwater';
import { useState } from 'preact/hooks';
import { get, post, Problem, put, reason } from './api';
import { Confirm } from './groups';
import { usePolled } from './hooks';
import { Ask, Field } from './know';
import { text } from './text';

const EVERY_MILLIS = 10_000;
const MOST_PORT = 65_535;
const FIELDS = ['type', 'address', 'port', 'user', 'password', 'options', 'secretOptions'];
/** Frequent types; the field takes any other. */
const TYPES = ['ipmilan', 'idrac', 'ilo4', 'ilo5', 'redfish', 'apc', 'apc_snmp', 'eaton_snmp'];

const path = (host: string) => `api/v1/hosts/${host}/fence-agents`;

/** An agent as a request has it, with its stored secrets. */
const kept = ({ type, address, port, user, hasPassword, options, secretOptions }: FenceAgent): NewFenceAgent =>
  ({ type, address, port, user, hasPassword, options, secretOptions });

const nameOf = ({ type, address, port }: FenceAgent) => `fence_${type} ${text.fence.at} ${port === null ? address : `${address}:${port}`}`;

/** Replaces the agents, if they have not changed since the user read them. */
async function save(host: string, before: FenceAgent[], next: NewFenceAgent[]): Promise<void> {
  const present = await get<Agents>(path(host));
  if (JSON.stringify(present.items.map(kept)) !== JSON.stringify(before.map(kept))) throw new Problem(409, text.form.changed);
  await put(path(host), { items: next });
}

/** A refusal of an agent in the list as one of the form. */
function ofForm(failure: unknown, at: number): unknown {
  const prefix = `items[${at}]`;
  if (!(failure instanceof Problem) || !failure.member.startsWith(`${prefix}.`)) return failure;
  const member = failure.member.slice(prefix.length + 1);
  return new Problem(failure.status, failure.message.replace(`${prefix}: `, '').replace(`${prefix}.`, ''), member);
}

/** Lines of name=value. */
function optionsOf(lines: string): Record<string, string> {
  const options: Record<string, string> = {};
  for (const line of lines.split('\n')) {
    if (line.trim() === '') continue;
    const end = line.indexOf('=');
    if (end < 1) throw new Problem(400, text.fence.noOption(line.trim()), 'options');
    options[line.slice(0, end).trim()] = line.slice(end + 1).trim();
  }
  return options;
}

const said = ({ power, trouble }: FenceAgentTest) => (trouble === null ? text.fence.power[power] ?? power : text.fence.untold(trouble));

function AgentForm({ host, agents, at, close }: { host: string; agents: FenceAgent[]; at: number; close: (saved: string | null) => void }) {
  const before = agents[at];
  const [type, setType] = useState(before?.type ?? '');
  const [address, setAddress] = useState(before?.address ?? '');
  const [port, setPort] = useState(before?.port ?? null);
  const [user, setUser] = useState(before?.user ?? '');
  const [password, setPassword] = useState('');
  const [options, setOptions] = useState(Object.entries(before?.options ?? {}).map(([name, value]) => `${name}=${value}`).join('\n'));
  const [secrets, setSecrets] = useState<Record<string, string>>(Object.fromEntries((before?.secretOptions ?? []).map(name => [name, ''])));
  const [result, setResult] = useState('');
  const body = (): NewFenceAgent => {
    const named = Object.entries(secrets);
    return {
      type: type.trim(), address: address.trim(), port, user: user.trim() === '' ? null : user.trim(),
      hasPassword: password !== '' || (before?.hasPassword ?? false), ...(password === '' ? {} : { password }),
      options: { ...optionsOf(options), ...Object.fromEntries(named.filter(([, value]) => value !== '')) },
      secretOptions: named.map(([name]) => name),
    };
  };
  const test = async () => {
    setResult(text.fence.testing);
    try {
      setResult(said(await post<FenceAgentTest>(`${path(host)}/test`, body())));
    } catch (failure) {
      setResult('');
      throw failure;
    }
  };
  const send = async () => {
    const next = agents.map(kept);
    next[at] = body();
    try {
      await save(host, agents, next);
    } catch (failure) {
      throw ofForm(failure, at);
    }
    close(text.fence.saved(`fence_${type.trim()}`));
  };
  return (
    <Ask
      title={before ? text.fence.editTitle(nameOf(before)) : text.fence.addTitle}
      button={text.form.save}
      fields={FIELDS}
      send={send}
      also={{ button: text.fence.test, run: test }}
      close={() => close(null)}
    >
      {problems => (
        <>
          <Field title={text.fence.type} name="type" hint={text.fence.typeHint} problem={problems['type'] ?? ''}>
            {described => (
              <>
                <input {...described} list="fence-types" required maxLength={64} autocomplete="off" value={type} onInput={event => setType(event.currentTarget.value)} />
                <datalist id="fence-types">{TYPES.map(each => <option key={each} value={each} />)}</datalist>
              </>
            )}
          </Field>
          <Field title={text.addHost.address} name="address" problem={problems['address'] ?? ''}>
            {described => <input {...described} required maxLength={1000} autocomplete="off" value={address} onInput={event => setAddress(event.currentTarget.value)} />}
          </Field>
          <Field title={text.fence.port} name="port" problem={problems['port'] ?? ''}>
            {described => (
              <input
                {...described}
                type="number"
                min={1}
                max={MOST_PORT}
                value={port ?? ''}
                onInput={event => setPort(Number.isNaN(event.currentTarget.valueAsNumber) ? null : event.currentTarget.valueAsNumber)}
              />
            )}
          </Field>
          <Field title={text.fence.user} name="user" problem={problems['user'] ?? ''}>
            {described => <input {...described} autocomplete="off" value={user} onInput={event => setUser(event.currentTarget.value)} />}
          </Field>
          <Field
            title={text.login.password}
            name="password"
            {...(before?.hasPassword ? { hint: text.fence.keepsPassword } : {})}
            problem={problems['password'] ?? ''}
          >
            {described => (
              <input {...described} type="password" autocomplete="new-password" value={password} onInput={event => setPassword(event.currentTarget.value)} />
            )}
          </Field>
          <Field title={text.fence.options} name="options" hint={text.fence.optionsHint} problem={problems['options'] ?? problems['secretOptions'] ?? ''}>
            {described => <textarea {...described} rows={3} spellcheck={false} value={options} onInput={event => setOptions(event.currentTarget.value)} />}
          </Field>
          {Object.entries(secrets).map(([name, value]) => (
            <div key={name} class="tools secret-option">
              <label>
                {text.fence.secretOption(name)}{' '}
                <input
                  type="password"
                  autocomplete="new-password"
                  value={value}
                  onInput={event => setSecrets({ ...secrets, [name]: event.currentTarget.value })}
                />
              </label>
              <button type="button" onClick={() => setSecrets(Object.fromEntries(Object.entries(secrets).filter(([other]) => other !== name)))}>
                {text.fence.removeOption(name)}
              </button>
            </div>
          ))}
          <p role="status">{result}</p>
        </>
      )}
    </Ask>
  );
}

/** The agents in the order in which the engine tries them. */
export function FenceAgents({ host }: { host: string }) {
  const agents = usePolled<Agents>(path(host), EVERY_MILLIS);
  const [edited, setEdited] = useState<{ agents: FenceAgent[]; at: number } | null>(null);
  const [removed, setRemoved] = useState<{ agents: FenceAgent[]; at: number } | null>(null);
  const [told, setTold] = useState('');
  const items = agents.value?.items ?? [];
  const run = (work: () => Promise<string>) => {
    work().then(setTold, (failure: unknown) => setTold(reason(failure, text.act.unreachable))).finally(() => agents.again());
  };
  const first = (at: number) => run(async () => {
    const next = items.map(kept);
    next.splice(at - 1, 2, next[at]!, next[at - 1]!);
    await save(host, items, next);
    return text.fence.ordered;
  });
  const test = (agent: FenceAgent) => {
    setTold(text.fence.testing);
    run(async () => `${nameOf(agent)}: ${said(await post<FenceAgentTest>(`${path(host)}/test`, kept(agent)))}`);
  };
  return (
    <section class="fence-agents" aria-label={text.fence.title}>
      <h3>{text.fence.title}</h3>
      {agents.problem && <p class="trouble" role="alert">{agents.problem.message}</p>}
      <ol class="plain-list">
        {items.map((agent, at) => (
          <li key={`${at} ${nameOf(agent)}`}>
            <b>{nameOf(agent)}</b>{' '}
            <span class="soft">
              {text.fence.has(agent.user, agent.hasPassword)}
              {[...Object.entries(agent.options).map(([name, value]) => `, ${name}=${value}`), ...agent.secretOptions.map(name => `, ${name}=…`)].join('')}
            </span>
            {agent.trouble !== null && <p class="trouble">{text.fence.notRun(agent.trouble)}</p>}
            <div class="actions">
              <button type="button" aria-label={text.fence.testOf(nameOf(agent))} onClick={() => test(agent)}>{text.fence.test}</button>
              <button type="button" aria-label={text.fence.editTitle(nameOf(agent))} onClick={() => setEdited({ agents: items, at })}>{text.form.edit}</button>
              {at > 0 && <button type="button" aria-label={text.fence.earlierOf(nameOf(agent))} onClick={() => first(at)}>{text.fence.earlier}</button>}
              <button type="button" aria-label={text.fence.removeTitle(nameOf(agent))} onClick={() => setRemoved({ agents: items, at })}>{text.remove}</button>
            </div>
          </li>
        ))}
        {agents.value && items.length === 0 && <li class="soft">{text.fence.none}</li>}
      </ol>
      {agents.value && <button type="button" onClick={() => setEdited({ agents: items, at: items.length })}>{text.fence.add}</button>}
      <p role="status">{told}</p>
      {edited && (
        <AgentForm
          host={host}
          {...edited}
          close={saved => {
            setEdited(null);
            if (saved !== null) setTold(saved);
            agents.again();
          }}
        />
      )}
      {removed && (
        <Confirm
          title={text.fence.removeTitle(nameOf(removed.agents[removed.at]!))}
          what={text.fence.removes}
          button={text.remove}
          close={() => setRemoved(null)}
          run={() => run(async () => {
            await save(host, removed.agents, removed.agents.filter((_, at) => at !== removed.at).map(kept));
            return text.removed(nameOf(removed.agents[removed.at]!));
          })}
        />
      )}
    </section>
  );
}
