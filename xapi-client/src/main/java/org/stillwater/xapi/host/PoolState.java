package org.stillwater.xapi.host;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;

/**
 * Hosts and VMs of a pool as the pool reported them. A VM that ended on a host is kept until the
 * engine has recorded it, as a host agent would keep it: a VM is never just missing. Writers hold
 * this object's monitor; single reads need not.
 */
final class PoolState {

    private final Map<HostId, PoolHost> hosts = new ConcurrentHashMap<>();
    private final Map<VmId, PoolVm> vms = new ConcurrentHashMap<>();

    /** The same VMs by the host that they are on; written with {@link #vms}. */
    private final Map<HostId, Map<VmId, PoolVm>> vmsByHost = new ConcurrentHashMap<>();

    // Guarded by this.
    private final Set<VmId> admitted = new HashSet<>();
    private final Map<HostId, Map<VmId, VmReport.Exited>> ends = new HashMap<>();

    @Nullable PoolHost host(HostId id) {
        return hosts.get(id);
    }

    List<PoolHost> hosts() {
        return List.copyOf(hosts.values());
    }

    @Nullable PoolVm vm(VmId id) {
        return vms.get(id);
    }

    List<PoolVm> vms() {
        return List.copyOf(vms.values());
    }

    /** VMs on a host. */
    Collection<PoolVm> vmsOn(HostId host) {
        return vmsByHost.getOrDefault(host, Map.of()).values();
    }

    /** Sets or, with null, removes a host; whether something changed. */
    synchronized boolean host(HostId id, @Nullable PoolHost host) {
        PoolHost before = host == null ? hosts.remove(id) : hosts.put(id, host);
        return before == null ? host != null : !before.equals(host);
    }

    /**
     * Sets or, with null, removes a VM.
     *
     * @param told collects the reports of hosts on it, by host
     */
    synchronized void vm(VmId id, @Nullable PoolVm next, Map<HostId, List<PoolReports.Item>> told) {
        PoolVm known = vms.get(id);
        // An equal one stays, so that reading a pool anew leaves nothing that lives long.
        PoolVm vm = known != null && known.equals(next) ? known : next;
        PoolVm before = vm == null ? vms.remove(id) : vms.put(id, vm);
        HostId from = before == null ? null : before.host();
        HostId to = vm == null ? null : vm.host();
        if (vm != null && to != null) {
            vmsByHost.computeIfAbsent(to, _ -> new ConcurrentHashMap<>()).put(id, vm);
        }
        if (from != null && !from.equals(to)) {
            vmsByHost.computeIfPresent(
                    from,
                    (_, of) -> {
                        of.remove(id);
                        return of.isEmpty() ? null : of;
                    });
            List<PoolReports.Item> items = told.computeIfAbsent(from, _ -> new ArrayList<>());
            if (before != null
                    && vm != null
                    && vm.status() == VmStatus.SUSPENDED
                    && before.status() != VmStatus.SAVING_STATE
                    && admitted.contains(id)) {
                // Batches may leave out states in between: the engine must not take this for an
                // end.
                items.add(new PoolReports.Item.Running(as(before, VmStatus.SAVING_STATE)));
            }
            VmReport.Exited end = end(id, before, vm);
            ends.computeIfAbsent(from, _ -> new HashMap<>()).put(id, end);
            items.add(new PoolReports.Item.Ended(end));
        }
        if (vm != null && to != null) {
            forgetEnd(to, id);
            if (admitted.contains(id) && !vm.equals(before)) {
                List<PoolReports.Item> items = told.computeIfAbsent(to, _ -> new ArrayList<>());
                if (before != null && isBootedUnseen(before, vm)) {
                    items.add(new PoolReports.Item.Running(as(vm, VmStatus.REBOOT_IN_PROGRESS)));
                }
                items.add(new PoolReports.Item.Running(vm));
            }
        }
        if (vm == null) {
            admitted.remove(id);
        }
    }

    /** Batches may leave out a whole reboot; a guest may also boot by itself. */
    private static boolean isBootedUnseen(PoolVm before, PoolVm after) {
        return before.status() == VmStatus.UP
                && after.status() == VmStatus.UP
                && Objects.equals(before.host(), after.host())
                && before.domain() != after.domain();
    }

    private static PoolVm as(PoolVm vm, VmStatus status) {
        return new PoolVm(
                vm.id(),
                vm.ref(),
                vm.definition(),
                vm.host(),
                null,
                status,
                vm.values(),
                vm.domain(),
                vm.startedAt(),
                vm.tags());
    }

    private static VmReport.Exited end(VmId id, @Nullable PoolVm before, @Nullable PoolVm after) {
        if (after == null) {
            return new VmReport.Exited(
                    id,
                    VmReport.NO_STAMP,
                    ExitStatus.NORMAL,
                    ExitReason.SUCCESS,
                    "The pool removed it");
        }
        if (after.host() != null) {
            return ended(id, ExitReason.MIGRATION_SUCCEEDED, "It moved in its pool");
        }
        if (after.status() == VmStatus.SUSPENDED) {
            return ended(id, ExitReason.SAVE_STATE_SUCCEEDED, "Its memory was saved");
        }
        boolean ordered = before != null && before.status() == VmStatus.POWERING_DOWN;
        return ended(
                id,
                ordered ? ExitReason.ADMIN_SHUTDOWN : ExitReason.USER_SHUTDOWN,
                "The pool reports it as halted");
    }

    private static VmReport.Exited ended(VmId id, ExitReason reason, String message) {
        return new VmReport.Exited(id, VmReport.NO_STAMP, ExitStatus.NORMAL, reason, message);
    }

    /** The engine has a VM on a host where the pool does not have it: the host reports its end. */
    synchronized PoolReports.@Nullable Item endedThere(HostId host, VmId id) {
        PoolVm vm = vms.get(id);
        if (vm != null && host.equals(vm.host())) {
            return null;
        }
        VmReport.Exited end = end(id, null, vm);
        boolean isNew =
                ends.computeIfAbsent(host, _ -> new HashMap<>()).putIfAbsent(id, end) == null;
        return isNew ? new PoolReports.Item.Ended(end) : null;
    }

    /** The engine has taken note of an end. */
    synchronized void forgetEnd(HostId host, VmId id) {
        Map<VmId, VmReport.Exited> of = ends.get(host);
        if (of != null) {
            of.remove(id);
        }
    }

    /** All pending reports on a host's VMs. */
    synchronized List<PoolReports.Item> on(HostId host) {
        List<PoolReports.Item> items = new ArrayList<>();
        Map<VmId, VmReport.Exited> ended = new TreeMap<>(ends.getOrDefault(host, Map.of()));
        ended.values().forEach(end -> items.add(new PoolReports.Item.Ended(end)));
        for (PoolVm vm : vmsOn(host)) {
            if (admitted.contains(vm.id())) {
                items.add(new PoolReports.Item.Running(vm));
            }
        }
        return items;
    }

    /** The engine knows these VMs from now on; returns the reports of their hosts, by host. */
    synchronized Map<HostId, List<PoolReports.Item>> admit(Collection<VmId> ids) {
        Map<HostId, List<PoolReports.Item>> told = new HashMap<>();
        for (VmId id : ids) {
            PoolVm vm = vms.get(id);
            if (vm != null && admitted.add(id) && vm.host() != null) {
                told.computeIfAbsent(vm.host(), _ -> new ArrayList<>())
                        .add(new PoolReports.Item.Running(vm));
            }
        }
        return told;
    }

    /** The engine no longer knows these VMs. */
    synchronized void dismiss(Collection<VmId> ids) {
        admitted.removeAll(Set.copyOf(ids));
    }
}
