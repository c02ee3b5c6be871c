import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Grant, Me } from './api';
import type { Page } from './route';

const NOBODY: Me = { name: '', means: 'none', grants: [], mostInBatch: null };

export const WhoAmI = createContext<Me>(NOBODY);

let again: () => void = () => undefined;

/** The page requests the user's roles when they may have changed. */
export function onRolesChange(look: () => void): void {
  again = look;
}

export const whoAmIAgain = () => again();

export const useMe = (): Me => useContext(WhoAmI);

/** The actions that the console offers; the engine decides about each object. */
export function useRoles() {
  const { grants } = useContext(WhoAmI);
  const has = (...roles: string[]) => grants.some(grant => roles.includes(grant.role));
  const ofAll = (grant: Grant) => grant.cluster === null && grant.vm === null;
  // An administrator of one cluster or VM commands its VMs; all that only administrators do needs the role on everything.
  const administers = grants.some(grant => grant.role === 'administrator' && ofAll(grant));
  const seesAll = grants.some(grant => grant.role !== 'scraper' && grant.role !== 'benchmarker' && ofAll(grant));
  return {
    sees: has('reader', 'operator', 'administrator'),
    /** May act on some VMs. */
    operates: has('operator', 'administrator'),
    administers,
    /** May see data of the whole data centre. */
    seesAll,
    /** Whether a page has anything for this user. */
    opens: (page: Page) => (page === 'settings' ? administers : page !== 'engine' || seesAll),
  };
}
