// The messages between the page and its worker.
import type { AuditEntry, BatchFilter, HostRow } from 'stillwater';
import type { FirstVm } from './first';

export type { AuditEntry, BatchFilter };

/** One row of the list of VMs, as the page draws it. */
export interface Row {
  index: number;
  id: string;
  name: string;
  status: string;
  /** Why a user should look at it; empty if there is no reason. */
  reason: string;
  /** Why its data is old; empty if the data is current. */
  stale: string;
  hostId: string;
  host: string;
  cluster: string;
  ips: string;
  fqdn: string;
  /** Names by commas. */
  tags: string;
  /** Arrival of the report of its state, milliseconds since the epoch; 0 if there was none. */
  changedAt: number;
  /** Age of the newest report, milliseconds; -1 if it is not known. */
  age: number;
  cpu: number;
  memory: number;
  /** Points of a line of the latest usage, see sparkline. */
  spark: string;
  selected: boolean;
}

/** A host in a message of the stream. */
export type Host = Required<Pick<HostRow, 'id' | 'name' | 'address' | 'port' | 'clusterId' | 'status' | 'statusSince' | 'reason'>>;

export type LinkState = 'wait' | 'loading' | 'live' | 'lost' | 'refused';

export interface Query {
  search: string;
  sort: string;
  descending: boolean;
}

export interface Found {
  id: string;
  name: string;
  kind: 'vm' | 'host';
}

/** The selected VMs. */
export interface SelectedVms {
  vms: string[];
  /** The filter of the interface that selects all that match; null if others are selected, or if the interface has no such filter. */
  filter: BatchFilter | null;
}

/** Why a search finds nothing: an unknown key, or a value that does not fit its key. */
export interface Mistake {
  kind: 'key' | 'choice' | 'network' | 'percent';
  key: string;
  value: string;
}

/** A value that completes a search. */
export interface Suggestion {
  value: string;
  /** VMs that have it; -1 if that is not counted. */
  count: number;
}

export interface MapData {
  hosts: { id: string; name: string; status: string; vms: number }[];
  /** Slots of VMs, host after host. */
  slots: Uint32Array;
  /** A colour's number for each of them; those of selected VMs are larger by MARKED. */
  colours: Uint8Array;
  /** The value of the last colour; 0 if the colours are those of states. */
  most: number;
}

export const MARKED = 32;

/** A VM of the map, with its value in the map's metric; null if it is not known. */
export interface MapVm {
  id: string;
  name: string;
  status: string;
  host: string;
  value: number | null;
}

export type ToWorker =
  /** `waits`: the page shows the first VMs by itself, until the worker has all. */
  | { type: 'open'; base: string; waits: boolean }
  /** The VMs that the page shows; without any it shows none. */
  | { type: 'first'; vms: FirstVm[] }
  | { type: 'query'; query: Query }
  | { type: 'window'; from: number; to: number }
  | { type: 'select'; how: 'only' | 'toggle' | 'range' | 'all' | 'none'; index: number; id: string }
  /** The browser has lost its network, or has one again. */
  | { type: 'network'; online: boolean }
  | { type: 'selected'; ask: number }
  | { type: 'selection'; ask: number }
  | { type: 'vms'; ask: number; ids: string[] }
  | { type: 'find'; ask: number; text: string; limit: number }
  | { type: 'values'; ask: number; key: string; text: string; limit: number }
  | { type: 'map'; ask: number; by: string }
  | { type: 'slot'; ask: number; slot: number }
  /** What the map is coloured by; empty for no map. */
  | { type: 'colour'; by: string }
  /** Whether the page shows events as they come. */
  | { type: 'events'; on: boolean }
  | { type: 'resume' };

export type FromWorker =
  | { type: 'link'; state: LinkState; loaded: number; sinceMillis: number; detail: string }
  | { type: 'counts'; total: number; matched: number; selected: number; statuses: [string, number][]; trouble: number; error: Mistake | null }
  /** Rows from a place on; null is the row that the message before had at this place. `asked`: a user waits for all of them. */
  | { type: 'rows'; from: number; matched: number; rows: (Row | null)[]; asked: boolean }
  | { type: 'hosts'; hosts: Host[] }
  /** `anew`: they replace all earlier ones. */
  | { type: 'events'; entries: AuditEntry[]; anew: boolean }
  | { type: 'answer'; ask: number; value: unknown }
  | { type: 'login' };
