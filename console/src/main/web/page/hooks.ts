import { useEffect, useRef, useState } from 'preact/hooks';
import type { FromWorker } from '../protocol';
import * as client from './client';
import { get, Problem } from './api';

type Told<T extends FromWorker['type']> = Extract<FromWorker, { type: T }>;

/** What the worker told last of this kind. */
export function useTold<T extends 'link' | 'counts'>(type: T): Told<T> {
  const [told, setTold] = useState<Told<T>>(client.state[type] as Told<T>);
  useEffect(() => client.on(type, message => setTold(message)), [type]);
  return told;
}

export function useHosts() {
  const [hosts, setHosts] = useState(client.state.hosts);
  useEffect(() => client.on('hosts', message => setHosts(message.hosts)), []);
  return hosts;
}

export function useEvents() {
  const [events, setEvents] = useState(client.state.events);
  useEffect(() => client.on('events', () => setEvents(client.state.events)), []);
  return events;
}

export interface Polled<T> {
  value: T | null;
  problem: Problem | null;
  again: () => void;
}

/** Reads a path now and again; a hidden page reads nothing. An empty path is not read. */
export function usePolled<T>(path: string, everyMillis: number): Polled<T> {
  const [told, setTold] = useState<{ path: string; value: T | null; problem: Problem | null }>({ path, value: null, problem: null });
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (path === '') return undefined;
    const abort = new AbortController();
    let timer = 0;
    let reading = false;
    const read = async () => {
      clearTimeout(timer);
      if (reading) return;
      reading = true;
      try {
        if (!document.hidden) {
          const value = await get<T>(path, abort.signal);
          setTold({ path, value, problem: null });
        }
      } catch (failure) {
        if (!abort.signal.aborted) {
          const problem = failure instanceof Problem ? failure : new Problem(0, String(failure));
          setTold(before => ({ path, value: before.path === path ? before.value : null, problem }));
        }
      } finally {
        reading = false;
        if (!abort.signal.aborted) timer = window.setTimeout(() => void read(), everyMillis);
      }
    };
    again.current = () => void read();
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, everyMillis]);
  return { value: told.path === path ? told.value : null, problem: told.path === path ? told.problem : null, again: () => again.current() };
}
