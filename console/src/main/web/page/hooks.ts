import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FromWorker } from '../protocol';
import * as client from './client';
import { get, Problem } from './api';

type Told<T extends FromWorker['type']> = Extract<FromWorker, { type: T }>;

// A message may arrive between a render and the effects that follow the next frame, and perhaps no other follows it: so
// listeners are added in the task that renders.

/** The worker's last message of this kind. */
export function useTold<T extends 'link' | 'counts'>(type: T): Told<T> {
  const [told, setTold] = useState<Told<T>>(client.state[type] as Told<T>);
  useLayoutEffect(() => client.on(type, message => setTold(message)), [type]);
  return told;
}

export function useHosts() {
  const [hosts, setHosts] = useState(client.state.hosts);
  useLayoutEffect(() => client.on('hosts', message => setHosts(message.hosts)), []);
  return hosts;
}

export function useEvents() {
  const [events, setEvents] = useState(client.state.events);
  useLayoutEffect(() => client.on('events', () => setEvents(client.state.events)), []);
  useEffect(() => {
    client.events(true);
    return () => client.events(false);
  }, []);
  return events;
}

/** Colours and their names: the choice of the user, and the one of the system. */
export const shades = (): string => `${document.documentElement.dataset['theme']} ${matchMedia('(prefers-color-scheme: dark)').matches}`;

/** Another text when the page gets other colours: what a canvas has painted follows no style sheet. */
export function useShades(): string {
  const [now, setNow] = useState(shades);
  useLayoutEffect(() => {
    const look = () => setNow(shades());
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(look);
    system.addEventListener('change', look);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', look);
      chosen.disconnect();
    };
  }, []);
  return now;
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
    if (path === '') {
      setTold({ path, value: null, problem: null }); // a later request must not get an old answer
      return undefined;
    }
    const abort = new AbortController();
    let timer = 0;
    let reading = false;
    let late = false; // requested while an answer is on its way, which may be older than the question
    const read = async () => {
      clearTimeout(timer);
      if (reading) {
        late = true;
        return;
      }
      reading = true;
      late = false;
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
        if (!abort.signal.aborted) timer = window.setTimeout(() => void read(), late ? 0 : everyMillis);
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
