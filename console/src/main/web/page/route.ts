// The page's state in the hash of its address: a link shows the same to a colleague.
import { useLayoutEffect, useState } from 'preact/hooks';

export const PAGES = [
  'vms', 'hosts', 'clusters', 'operations', 'events', 'findings', 'alerts', 'benchmarks', 'map', 'pools', 'groups', 'access', 'engine', 'settings',
] as const;
/** Pages that are reached from others. */
const MORE_PAGES = ['compare'] as const;
export type Page = (typeof PAGES)[number] | (typeof MORE_PAGES)[number];

export interface Route {
  page: Page;
  search: URLSearchParams;
}

export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const page = [...PAGES, ...MORE_PAGES].some(each => each === path) ? (path as Page) : 'vms';
  return { page, search: new URLSearchParams(query) };
}

export const route = (): Route => parseHash(location.hash);

/** Whether the page shows the list of all VMs in the usual order. */
export function isUsual(): boolean {
  const { page, search } = route();
  return page === 'vms' && !search.get('q') && (search.get('sort') ?? 'trouble') === 'trouble';
}

/** The key of an order, and whether it is turned round. */
export function orderOf(sort: string): { sort: string; descending: boolean } {
  return sort.startsWith('-') ? { sort: sort.slice(1), descending: true } : { sort, descending: false };
}

export function href(page: Page, values: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  const query = search.toString();
  return `#/${page}${query === '' ? '' : `?${query}`}`;
}

/** Changes values of the present page; an empty one is left out. Typing leaves no history. */
export function set(values: Record<string, string>, replace = true): void {
  const { page, search } = route();
  // The event that a VM or host was opened for is not one of the next VM or host.
  const other = 'vm' in values || 'host' in values ? { cause: '' } : {};
  // Closed details are beside the list again the next time.
  const closed = values['vm'] === '' || values['host'] === '' ? { full: '' } : {};
  go(href(page, { ...Object.fromEntries(search), ...other, ...closed, ...values }), replace);
}

export function go(to: string, replace = false): void {
  if (to === location.hash) return;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new Event('hashchange'));
}

export function useRoute(): Route {
  const [now, setNow] = useState(route);
  // Subscribed in the task that renders: a change before the next frame is not missed.
  useLayoutEffect(() => {
    const changed = () => setNow(route());
    addEventListener('hashchange', changed);
    addEventListener('popstate', changed);
    return () => {
      removeEventListener('hashchange', changed);
      removeEventListener('popstate', changed);
    };
  }, []);
  return now;
}
