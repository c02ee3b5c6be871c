// The search of events has keys, which the interface filters, and words. Ends with a fault if it has not.
import type { AuditEntry } from '../../main/web/protocol';
import { filtersOf, hasKeys, hasWords, parseEvents } from '../../main/web/page/eventquery';

function expect(what: string, is: unknown, wanted: unknown): void {
  if (JSON.stringify(is) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(is)} is not ${JSON.stringify(wanted)}`);
}

const entry = {
  text: 'VM web 1 was started', event: 'VM_STARTED', code: 7, vmId: 'A1', vmName: 'web 1', hostId: null, hostName: null,
} as unknown as AuditEntry;

expect('filters', filtersOf(parseEvents('vm:"web 1" started host:h&1 EVENT:VM_DOWN')), '&vm=web%201&host=h%261&event=VM_DOWN');
expect('no filter', filtersOf(parseEvents('started 10:30 vms:x vm:')), '');
expect('the last of a key', filtersOf(parseEvents('vm:a vm:b')), '&vm=b');
for (const [search, wanted] of [
  ['', true], ['started WEB', true], ['started host', false], ['"was started"', true], ['"started was"', false], ['null', false],
] as const) expect(search, hasWords(parseEvents(search), entry), wanted);
for (const [search, wanted] of [
  ['vm:"WEB 1"', true], ['vm:a1', true], ['vm:web', false], ['host:web', false], ['event:vm_started', true], ['event:7', true], ['event:started', false],
  ['vm:a1 event:vm_down', false],
] as const) expect(search, hasKeys(parseEvents(search), entry), wanted);
