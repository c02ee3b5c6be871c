// What the guest of a VM reports about itself.
import type { Vm } from 'stillwater';
import { Fact } from './panel';
import { text } from './text';

const MEBI = 2 ** 20;
const GIBI = 2 ** 30;

interface FileSystem {
  path: string;
  totalBytes: number;
  usedBytes: number;
}

/** File systems of a report; those without a size are left out. */
function fileSystems(json: string | null): FileSystem[] {
  let reported: unknown;
  try {
    reported = JSON.parse(json ?? '[]');
  } catch {
    return []; // the report of a host in another form
  }
  if (!Array.isArray(reported)) return [];
  return (reported as ({ path?: unknown; total?: unknown; used?: unknown } | null)[])
    .map(each => ({ path: String(each?.path ?? ''), totalBytes: Number(each?.total), usedBytes: Number(each?.used) }))
    .filter(({ path, totalBytes, usedBytes }) => path !== '' && totalBytes > 0 && usedBytes >= 0);
}

/** Two sizes in one unit. */
const sizes = (used: number, total: number): string => {
  const [unit, name] = total >= GIBI ? [GIBI, 'GiB'] as const : [MEBI, 'MiB'] as const;
  return text.guest.used(text.number(Math.round(used / unit)), text.number(Math.round(total / unit)), name);
};

export function Guest({ vm, disksUsage }: { vm: Vm; disksUsage: string | null }) {
  const system = [vm.guestOsDistribution, vm.guestOsVersion, vm.guestOsCodename].filter(each => each).join(' ');
  const all = fileSystems(disksUsage);
  const applications = (vm.appList ?? '').split(',').filter(each => each !== '');
  const facts: [string, string | null][] = [
    [text.guest.name, vm.guestHostName], [text.guest.system, system], [text.guest.kernel, vm.guestOsKernel], [text.guest.architecture, vm.guestOsArch],
    [text.guest.zone, vm.guestTimezoneName], [text.guest.user, vm.guestUser], [text.guest.client, vm.clientIp],
  ];
  if (all.length === 0 && applications.length === 0 && facts.every(([, value]) => !value)) return null;
  return (
    <>
      <h3>{text.guest.title}</h3>
      <dl class="guest">
        {facts.map(([name, value]) => <Fact key={name} name={name} value={value} />)}
      </dl>
      {all.length > 0 && (
        <ul class="plain-list file-systems" aria-label={text.guest.fileSystems}>
          {all.map(({ path, totalBytes, usedBytes }) => (
            <li key={path}>
              <b>{path}</b> <meter min={0} max={totalBytes} high={totalBytes * 0.85} optimum={0} value={usedBytes} aria-label={path} /> {sizes(usedBytes, totalBytes)}
            </li>
          ))}
        </ul>
      )}
      {applications.length > 0 && (
        <details>
          <summary>{text.guest.applications(applications.length)}</summary>
          <ul class="plain-list">
            {applications.map((each, i) => <li key={`${i} ${each}`}>{each}</li>)}
          </ul>
        </details>
      )}
    </>
  );
}
