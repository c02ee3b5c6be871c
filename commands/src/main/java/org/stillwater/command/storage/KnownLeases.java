package org.stillwater.command.storage;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.definition.Definitions;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;

/**
 * The leases of VMs that exist or may exist, as their rows are, and the storage domain on which
 * each VM is to have its own. Used by the deciding thread only.
 */
final class KnownLeases {

    private final CommandContext context;
    private final Definitions definitions;

    /** By storage domain. */
    private final Map<VmId, Map<UUID, VmLease>> leases = new HashMap<>();

    /** Of each VM in {@link #leases}; no entry for no lease. */
    private final Map<VmId, UUID> wanted = new HashMap<>();

    /** No leases. */
    KnownLeases(CommandContext context, Definitions definitions) {
        this.context = context;
        this.definitions = definitions;
    }

    /** Reads the durable ones. */
    void load() throws StoreUnavailable {
        definitions.store().loadLeases().forEach(this::put);
        if (!leases.isEmpty()) {
            definitions
                    .load(Set.copyOf(leases.keySet()))
                    .forEach((vm, definition) -> want(vm, definition.lease()));
        }
    }

    /** VMs that have any. */
    List<VmId> vms() {
        return List.copyOf(leases.keySet());
    }

    /** Whether a VM has any. */
    boolean has(VmId vm) {
        return leases.containsKey(vm);
    }

    /** Those of a VM. */
    List<VmLease> of(VmId vm) {
        return List.copyOf(leases.getOrDefault(vm, Map.of()).values());
    }

    /** The storage domain on which a VM is to have its lease; null for none. */
    @Nullable UUID wanted(VmId vm) {
        return wanted.get(vm);
    }

    /** A lease is so from now on. */
    void put(VmLease lease) {
        leases.computeIfAbsent(lease.vm(), _ -> new TreeMap<>()).put(lease.domain(), lease);
    }

    /** The lease of a VM on a storage domain; null for none. */
    @Nullable VmLease get(VmId vm, UUID domain) {
        return leases.getOrDefault(vm, Map.of()).get(domain);
    }

    /** A VM is to have its lease on this storage domain; null for no lease. */
    void want(VmId vm, @Nullable UUID domain) {
        if (domain == null) {
            wanted.remove(vm);
        } else {
            wanted.put(vm, domain);
        }
    }

    private void forget(VmLease lease) {
        Map<UUID, VmLease> ofVm = leases.get(lease.vm());
        if (ofVm != null) {
            ofVm.remove(lease.domain());
            if (ofVm.isEmpty()) {
                leases.remove(lease.vm());
                wanted.remove(lease.vm());
            }
        }
    }

    /**
     * Makes a lease durable, and valid after that.
     *
     * @param failed receives the reason if the database does not take it now
     */
    void save(VmLease lease, Runnable done, Consumer<String> failed) {
        context.storeExecutor()
                .submit(
                        () -> {
                            definitions.store().saveLease(lease);
                            context.post(() -> {
                                put(lease);
                                done.run();
                            });
                        },
                        failure ->
                                context.post(
                                        () -> failed.accept(String.valueOf(failure.getMessage()))));
    }

    /**
     * Removes the row of a lease that is deleted.
     *
     * @param failed receives the reason if the database does not take it now
     */
    void remove(VmLease lease, Runnable done, Consumer<String> failed) {
        context.storeExecutor()
                .submit(
                        () -> {
                            definitions.store().removeLease(lease.vm(), lease.domain());
                            context.post(() -> {
                                forget(lease);
                                done.run();
                            });
                        },
                        failure ->
                                context.post(
                                        () -> failed.accept(String.valueOf(failure.getMessage()))));
    }
}
