// Parts of the console that are loaded when they are wanted.
import { get } from './api';

const RETRY_MILLIS = 1000;

/** A part; without a login, or while the engine is not reached, it does not come and is requested again. */
export async function part<T>(load: () => Promise<T>, wanted: () => boolean): Promise<T | null> {
  while (wanted()) {
    try {
      return await load();
    } catch {
      await get('api/v1/me').catch(() => undefined); // requests a login
      await new Promise(go => setTimeout(go, RETRY_MILLIS));
    }
  }
  return null;
}
