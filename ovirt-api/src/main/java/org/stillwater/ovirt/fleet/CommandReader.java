package org.stillwater.ovirt.fleet;

import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.monitoring.vm.VmView;

/**
 * Operations, pools, affinity groups and running definitions as the command layer knows them; an
 * engine that only watches has none. Thread-safe.
 */
public final class CommandReader {

    private final @Nullable CommandEngine commands;
    private final @Nullable PoolKeeper keeper;

    /**
     * Reads the command layer of one engine.
     *
     * @param commands null where the engine only watches
     * @param keeper null where the engine only watches
     */
    public CommandReader(@Nullable CommandEngine commands, @Nullable PoolKeeper keeper) {
        this.commands = commands;
        this.keeper = keeper;
    }

    /** Calls a listener with each step of an operation. It must not block. */
    void follow(Consumer<Operation> follower) {
        if (commands != null) {
            commands.follow(follower);
        }
    }

    /** Ends these calls. */
    void unfollow(Consumer<Operation> follower) {
        if (commands != null) {
            commands.unfollow(follower);
        }
    }

    /** Calls a listener with each definition before the operation that recorded it ends. */
    void followDefinitions(BiConsumer<VmId, Definition> follower) {
        if (commands != null) {
            commands.definitions().follow(follower);
        }
    }

    /** Ends these calls. */
    void unfollowDefinitions(BiConsumer<VmId, Definition> follower) {
        if (commands != null) {
            commands.definitions().unfollow(follower);
        }
    }

    /** The definition that a VM runs with, if it differs from the stored one; else null. */
    @Nullable RunDefinition running(VmView vm) {
        return commands == null ? null : commands.definitions().running(vm.id(), vm.state());
    }

    /** Priority of a VM in the order of restarts. */
    int priority(VmId id) {
        return commands == null ? 0 : commands.definitions().priority(id);
    }

    /** All operations in memory. */
    List<Operation> operations() {
        return commands == null ? List.of() : commands.operations(_ -> true);
    }

    /** The operation of an identity, or null. */
    @Nullable Operation operation(UUID id) {
        return commands == null ? null : commands.operation(id);
    }

    /** Pools by name. */
    List<VmPool> pools() {
        return keeper == null
                ? List.of()
                : keeper.pools().stream().sorted(Comparator.comparing(VmPool::name)).toList();
    }

    /** The pool of a VM, or null. */
    @Nullable VmPool poolOf(VmId id) {
        return keeper == null ? null : keeper.poolOf(id);
    }

    /**
     * A number that differs after a change of pools: they are replaced as a whole, so other objects
     * mean other contents.
     */
    long poolChanges() {
        long digest = 0;
        if (keeper != null) {
            for (VmPool pool : keeper.pools()) {
                digest += System.identityHashCode(pool) * 0x9E3779B97F4A7C15L;
            }
        }
        return digest;
    }

    /** Grows with every change of affinity groups. */
    long affinityChanges() {
        return commands == null ? 0 : commands.definitions().groupChanges();
    }

    /** Affinity groups by name. */
    List<AffinityGroup> affinityGroups() {
        return commands == null
                ? List.of()
                : commands.definitions().groups().stream()
                        .sorted(Comparator.comparing(AffinityGroup::name))
                        .toList();
    }
}
