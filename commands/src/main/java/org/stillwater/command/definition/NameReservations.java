package org.stillwater.command.definition;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.DefinitionTaken;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;

/**
 * The names and hardware addresses that operations under way give to VMs: each to one VM of a data
 * centre, and none that another VM has. Thread-safe.
 */
final class NameReservations {

    private final CommandContext context;

    /** Operations by data centre and what they give. */
    private final Map<String, UUID> reserved = new ConcurrentHashMap<>();

    /** No reservations. */
    NameReservations(CommandContext context) {
        this.context = context;
    }

    /**
     * Takes the name and the hardware addresses of a definition for an operation.
     *
     * @return why it cannot have them; null if it has
     */
    @Nullable String reserve(Operation operation, Definition definition) {
        VmId vm = Objects.requireNonNull(operation.vm());
        if (definition.lease() != null && !context.settings().hasStoragePool()) {
            VmView had = context.fleet().vm(vm);
            if (had == null || !had.definition().leased()) {
                return CommandSettings.NO_STORAGE_POOL;
            }
        }
        String name = definition.definition().name();
        ClusterId cluster = definition.definition().cluster();
        VmView present = context.fleet().vm(vm);
        String foreign =
                refusalOfPool(present == null ? null : present.definition().cluster(), cluster);
        if (foreign != null) {
            return foreign;
        }
        String taken = take(operation, cluster, "the name " + name);
        if (taken == null && definition.specification() != null) {
            for (VmInterface nic : definition.specification().interfaces()) {
                taken =
                        taken == null
                                ? take(operation, cluster, "the MAC address " + nic.mac())
                                : taken;
            }
        }
        // Only now: the VM that had the name has released it.
        VmView before = context.fleet().vm(vm);
        boolean moves = before != null && !isOneDataCentre(before.definition().cluster(), cluster);
        boolean renamed = before == null || !before.definition().name().equals(name);
        if (taken == null && before != null && !before.definition().cluster().equals(cluster)) {
            VmStatus status = before.state().runtime().status();
            taken =
                    status == VmStatus.DOWN || status == VmStatus.IMAGE_ILLEGAL
                            ? null
                            : "the VM is %s: it changes its cluster only while it is down"
                                    .formatted(status.label());
        }
        if (taken == null) {
            boolean kept = before != null && !moves;
            taken = !kept || renamed ? knownName(vm, name, cluster) : null;
            taken = taken == null ? knownAddress(vm, kept ? before : null, definition) : taken;
            if (taken != null && moves) {
                taken = DefinitionTaken.inOtherDataCentre(dataCentreOf(cluster), taken);
            }
        }
        if (taken != null) {
            release(operation);
        }
        return taken;
    }

    /**
     * The VMs of a pool's cluster are those that the pool has: the next reading of the pool removes
     * any other one.
     */
    private @Nullable String refusalOfPool(@Nullable ClusterId before, ClusterId next) {
        if (next.equals(before)) {
            return null;
        }
        if (isOfPool(next)) {
            return "the cluster is a XAPI pool, which has its VMs itself: add the VM to the pool";
        }
        return before != null && isOfPool(before)
                ? "the VM is one of a XAPI pool, which is its cluster"
                : null;
    }

    private boolean isOfPool(ClusterId cluster) {
        return context.fleet().hypervisor(cluster) == Hypervisor.XAPI;
    }

    private String dataCentreOf(ClusterId id) {
        Cluster cluster = context.fleet().cluster(id);
        DataCentre known =
                cluster == null
                        ? null
                        : context.fleet().clusters().dataCentre(cluster.dataCentre());
        return known == null ? "of " + id : known.name();
    }

    private @Nullable String knownName(VmId vm, String name, ClusterId cluster) {
        return others(vm, cluster).anyMatch(other -> other.definition().name().equals(name))
                ? "there is already a VM " + name
                : null;
    }

    /**
     * Address that an interface would have; a VM keeps the address that it had in its data centre.
     */
    private @Nullable String knownAddress(VmId vm, @Nullable VmView before, Definition definition) {
        if (definition.specification() == null) {
            return null;
        }
        Set<String> given =
                definition.specification().interfaces().stream()
                        .map(VmInterface::mac)
                        .filter(mac ->
                                before == null || before.definition().nicWithMac(mac) == null)
                        .collect(Collectors.toUnmodifiableSet());
        if (given.isEmpty()) {
            return null;
        }
        return others(vm, definition.definition().cluster())
                .flatMap(other ->
                        given.stream()
                                .filter(mac -> other.definition().nicWithMac(mac) != null)
                                .map(mac ->
                                        "the MAC address %s belongs to the VM %s"
                                                .formatted(mac, other.definition().name())))
                .findFirst()
                .orElse(null);
    }

    /** The other VMs of a cluster's data centre. */
    private Stream<VmView> others(VmId vm, ClusterId cluster) {
        return context.fleet()
                .vms()
                .filter(other ->
                        !other.id().equals(vm)
                                && isOneDataCentre(other.definition().cluster(), cluster));
    }

    private boolean isOneDataCentre(ClusterId one, ClusterId other) {
        return context.fleet().clusters().areOfOneDataCentre(one, other);
    }

    private @Nullable String take(Operation operation, ClusterId cluster, String what) {
        Cluster known = context.fleet().cluster(cluster);
        String where = known == null ? "" : known.dataCentre().toString();
        UUID other = reserved.putIfAbsent(where + ' ' + what, operation.id());
        return other == null || other.equals(operation.id())
                ? null
                : "the operation %s is giving %s to another VM".formatted(other, what);
    }

    /** An operation has ended, or will not begin. */
    void release(Operation operation) {
        reserved.values().removeIf(operation.id()::equals);
    }
}
