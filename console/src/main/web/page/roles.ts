import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Me } from './api';
import type { Page } from './route';

const NOBODY: Me = { name: '', means: 'none', grants: [] };

export const WhoAmI = createContext<Me>(NOBODY);

export const useMe = (): Me => useContext(WhoAmI);

/** What the console offers; the engine decides about each object. */
export function useRoles() {
  const { grants } = useContext(WhoAmI);
  const has = (...roles: string[]) => grants.some(grant => roles.includes(grant.role));
  const administers = grants.some(grant => grant.role === 'administrator');
  const seesAll = grants.some(grant => grant.role !== 'scraper' && grant.role !== 'benchmarker' && grant.cluster === null && grant.vm === null);
  return {
    sees: has('reader', 'operator', 'administrator'),
    /** May act on some VMs. */
    operates: has('operator', 'administrator'),
    administers,
    /** Sees what tells of the whole data centre. */
    seesAll,
    /** Whether a page has anything for this user. */
    opens: (page: Page) => (page === 'settings' ? administers : page !== 'engine' || seesAll),
  };
}
