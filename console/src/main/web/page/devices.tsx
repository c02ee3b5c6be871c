// The devices of a VM: as its definition has them, with their statistics while it runs.
import type { DefinitionDisk, DefinitionInterface, VmDefinition, VmStatistics } from 'stillwater';
import { usePolled } from './hooks';
import { text, words } from './text';

const EVERY_MILLIS = 10_000;

interface Nic {
  id: string;
  name: string;
  mac: string;
  status: string;
  receiveRatePercent: number | null;
  sendRatePercent: number | null;
}

interface Disk {
  name: string;
  imageId: string | null;
  actualSizeBytes: number | null;
  readBytesPerSecond: number | null;
  writeBytesPerSecond: number | null;
}

type DefinedNic = Required<DefinitionInterface>;
type DefinedDisk = Required<DefinitionDisk>;
/** An answer has all members. */
type Definition = Omit<VmDefinition, 'interfaces' | 'disks'> & { interfaces: DefinedNic[]; disks: DefinedDisk[] };

export type Statistics = Omit<VmStatistics, 'nics' | 'disks'> & { nics: Nic[]; disks: Disk[] };

const bytes = (value: number | null): string =>
  value === null ? '–' : value >= 2 ** 30 ? `${text.number(Math.round(value / 2 ** 30))} GiB` : `${text.number(Math.round(value / 2 ** 20))} MiB`;
const rate = (value: number | null): string => (value === null ? '–' : `${text.number(Math.round(value / 1024))} KiB/s`);
const percent = (value: number | null): string => (value === null ? '–' : text.hosts.percent(Math.round(value)));
const joined = (...parts: (string | null | false)[]): string => parts.filter(part => part !== null && part !== false && part !== '').join(', ');

function NicRow({ defined, counted }: { defined: DefinedNic | null; counted: Nic | undefined }) {
  const properties = defined && joined(
    defined.network !== null && text.devices.network(defined.network), defined.model, !defined.plugged && text.devices.unplugged,
    !defined.linked && text.devices.unlinked);
  return (
    <li>
      <b>{defined?.name ?? counted?.name}</b> <code>{defined?.mac ?? counted?.mac}</code> {properties}
      {counted && ` ${counted.status} ↓ ${percent(counted.receiveRatePercent)} ↑ ${percent(counted.sendRatePercent)}`}
    </li>
  );
}

function DiskRow({ defined, counted }: { defined: DefinedDisk | null; counted: Disk | undefined }) {
  const place = defined?.place;
  const properties = defined && joined(
    words(defined.bus ?? ''), defined.format, place?.domain ? text.devices.domain(place.domain) : place?.path ?? null,
    defined.bootOrder !== null && text.devices.boots(defined.bootOrder), defined.readOnly && text.devices.readOnly,
    defined.shareable && text.devices.shareable, !defined.plugged && text.devices.unplugged);
  return (
    <li>
      <b>{defined?.name ?? counted?.name}</b> {properties}
      {counted && ` ${bytes(counted.actualSizeBytes)} ↓ ${rate(counted.readBytesPerSecond)} ↑ ${rate(counted.writeBytesPerSecond)}`}
    </li>
  );
}

/** Devices without statistics, in words. */
function others({ cdrom, consoles, video, serialConsole, tpm, watchdog, randomness, balloon }: Definition): string {
  return joined(
    cdrom !== null && `${text.devices.cdrom}: ${cdrom.imagePath ?? text.devices.empty}`, ...consoles.map(each => text.devices.console(each.protocol.toUpperCase())),
    text.devices.video(video), serialConsole && text.devices.serial, tpm && text.devices.tpm, watchdog !== null && text.devices.watchdog(words(watchdog.action ?? '')),
    randomness !== null && text.devices.randomness(randomness.source ?? ''), balloon && text.devices.balloon);
}

export function Devices({ id, statistics }: { id: string; statistics: Statistics | null }) {
  const read = usePolled<Definition>(`api/v1/vms/${id}/definition`, EVERY_MILLIS);
  const definition = read.value?.specified ? read.value : null;
  const nics = statistics?.nics ?? [];
  const disks = statistics?.disks ?? [];
  const { interfaces = [], disks: volumes = [] } = definition ?? {};
  const isOf = (nic: DefinedNic) => (each: Nic) => each.mac.toLowerCase() === nic.mac?.toLowerCase();
  const isIn = (disk: DefinedDisk) => (each: Disk) => each.imageId !== null && each.imageId === disk.place.image;
  const isEmpty = interfaces.length + volumes.length + nics.length + disks.length === 0;
  return (
    <>
      <h3>{text.detail.devices}</h3>
      <ul class="plain-list devices">
        {interfaces.map(nic => <NicRow key={nic.id} defined={nic} counted={nics.find(isOf(nic))} />)}
        {nics.filter(each => !interfaces.some(nic => isOf(nic)(each))).map(each => <NicRow key={each.id} defined={null} counted={each} />)}
        {volumes.map(disk => <DiskRow key={disk.id} defined={disk} counted={disks.find(isIn(disk))} />)}
        {disks.filter(each => !volumes.some(disk => isIn(disk)(each))).map(each => <DiskRow key={each.name} defined={null} counted={each} />)}
        {definition && <li><b>{text.devices.others}</b> {others(definition)}</li>}
        {(statistics || read.value) && isEmpty && !definition && <li>{text.detail.none}</li>}
      </ul>
    </>
  );
}
