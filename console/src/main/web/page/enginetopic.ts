// The stream's readings of the engine itself, once a second, while a page shows them.
import type { EngineMemoryItem, EngineStage } from 'stillwater';
import { useEffect, useState } from 'preact/hooks';
import { readEvents, Refused } from '../sse';
import { base, get } from './api';

/** The engine at a moment. */
export interface Reading {
  at: string;
  heapUsedBytes: number;
  heapMaxBytes: number;
  since: string | null;
  seconds: number;
  cpuMillis: number;
  stages: EngineStage[];
  statements: number;
  monitoringStatements: number;
  structures: EngineMemoryItem[];
}

export interface Live {
  reading: Reading | null;
  /** The engine's clock minus this browser's, milliseconds. */
  skew: number;
  /** Why nothing arrives; null while readings arrive. */
  trouble: string | null;
}

const RETRY_MILLIS = 2000;
const SILENCE_MILLIS = 10_000; // a reading is due every second

/** Readings as they arrive; after a loss it reads again until the page is left. */
export function useEngine(unreachable: string): Live {
  const [live, setLive] = useState<Live>({ reading: null, skew: 0, trouble: null });
  useEffect(() => {
    const left = new AbortController();
    const follow = async () => {
      while (!left.signal.aborted) {
        const silent = new AbortController();
        let heardAt = Date.now();
        const watch = setInterval(() => {
          if (Date.now() - heardAt > SILENCE_MILLIS) silent.abort();
        }, 1000);
        try {
          await readEvents(`${base}api/v1/stream?entity=engine`, {}, AbortSignal.any([left.signal, silent.signal]), event => {
            if (event.name !== 'engine') return;
            const { engine } = JSON.parse(event.data) as { engine: Reading };
            setLive({ reading: engine, skew: Date.parse(engine.at) - Date.now(), trouble: null });
          }, () => {
            heardAt = Date.now();
          });
          if (!left.signal.aborted) setLive(before => ({ ...before, trouble: unreachable }));
        } catch (failure) {
          if (left.signal.aborted) break;
          setLive(before => ({ ...before, trouble: failure instanceof Refused ? failure.message : unreachable }));
          if (failure instanceof Refused && failure.status === 401) {
            await get('api/v1/me').catch(() => undefined); // requests a login
            continue;
          }
        } finally {
          clearInterval(watch);
        }
        await new Promise(go => setTimeout(go, RETRY_MILLIS));
      }
    };
    void follow();
    return () => left.abort();
  }, [unreachable]);
  return live;
}
