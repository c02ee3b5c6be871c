// Requests to the engine. Addresses are relative to the page, so a path prefix of a proxy holds.

import type { Grant, Me } from 'stillwater';

export type { Grant, Me };

export const base = new URL('.', document.baseURI).href;

export class Problem extends Error {
  /** The member of the body that is wrong, as a path; empty if it is about none. */
  constructor(readonly status: number, message: string, readonly member = '') {
    super(message);
  }
}

let askLogin: () => Promise<void> = () => Promise.resolve();

/** Called when the login has ended; requests wait for it and are sent again. */
export function onLogin(ask: () => Promise<void>): void {
  askLogin = ask;
}

let forbidden: () => void = () => undefined;

/** Called when the engine refuses a request because of the user's roles. */
export function onForbidden(look: () => void): void {
  forbidden = look;
}

let logins = 0;

/** There is a new login: the refusal of an earlier request does not request another one. */
export function loggedIn(): void {
  logins++;
}

/** The cookie that this page was given goes back in a header, which no page of another site can send. */
function xsrf(): string {
  const cookie = document.cookie.split('; ').find(each => each.startsWith('XSRF-TOKEN='));
  return cookie ? decodeURIComponent(cookie.slice('XSRF-TOKEN='.length)) : '';
}

const headers = (): Record<string, string> => ({ Accept: 'application/json', 'X-XSRF-TOKEN': xsrf() });

async function problem(answer: Response): Promise<Problem> {
  let detail = answer.statusText || String(answer.status);
  let member = '';
  try {
    const body = (await answer.json()) as { detail?: string; member?: string };
    detail = body.detail ?? detail;
    member = body.member ?? '';
  } catch {
    // the status line is enough
  }
  return new Problem(answer.status, detail, member);
}

async function send(path: string, options: RequestInit): Promise<Response> {
  for (;;) {
    const before = logins;
    const answer = await fetch(base + path, { credentials: 'same-origin', ...options, headers: { ...headers(), ...options.headers } });
    if (answer.status === 403 && path !== 'api/v1/me') forbidden();
    if (answer.status !== 401) return answer;
    if (before === logins) await askLogin();
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await send(path, signal ? { signal } : {});
  if (!answer.ok) throw await problem(answer);
  return (await answer.json()) as T;
}

async function write<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const answer = await send(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  if (!answer.ok) throw await problem(answer);
  const text = await answer.text();
  return (text === '' ? null : JSON.parse(text)) as T;
}

export const post = <T>(path: string, body?: unknown) => write<T>('POST', path, body);
export const put = <T>(path: string, body: unknown) => write<T>('PUT', path, body);
export const remove = <T>(path: string) => write<T>('DELETE', path);

/** Reads a file of another type than JSON. */
export async function file(path: string, type: string): Promise<Blob> {
  const answer = await send(path, { headers: { Accept: type } });
  if (!answer.ok) throw await problem(answer);
  return await answer.blob();
}

/** Why a request failed, for a person. */
export const reason = (failure: unknown, unreachable: string): string => (failure instanceof Problem ? failure.message : unreachable);

/** Reads the name of the logged-in user without a login dialog; null without a login. */
export async function whoAmI(): Promise<Me | null> {
  const answer = await fetch(`${base}api/v1/me`, { headers: headers(), credentials: 'same-origin' });
  return answer.ok ? ((await answer.json()) as Me) : null;
}

export interface LoginOptions {
  password: string;
  oidc: string | null;
}

export async function loginOptions(): Promise<LoginOptions> {
  const answer = await fetch(`${base}login/options`, { credentials: 'same-origin' });
  return (await answer.json()) as LoginOptions;
}

/** Logs in; null if that succeeded, else the status of the refusal. */
export async function login(username: string, password: string): Promise<number | null> {
  await fetch(`${base}login`, { credentials: 'same-origin' }); // gives the token, if this browser has none
  const answer = await fetch(`${base}login`, {
    method: 'POST',
    credentials: 'same-origin',
    redirect: 'manual',
    headers: { 'X-XSRF-TOKEN': xsrf(), 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username, password }),
  });
  return answer.type === 'opaqueredirect' || answer.ok ? null : answer.status;
}

export async function logout(): Promise<boolean> {
  const answer = await fetch(`${base}logout`, { method: 'POST', headers: headers(), credentials: 'same-origin', redirect: 'manual' });
  return answer.type === 'opaqueredirect' || answer.ok;
}
