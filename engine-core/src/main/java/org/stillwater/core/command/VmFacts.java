package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * Known state of a VM when a command decides, under the VM's lock.
 *
 * @param id the VM
 * @param definition its definition
 * @param runtime runtime that hosts reported
 * @param placement placement that the engine decided
 * @param commands its commands under way
 * @param saidToRun whether the VM's host has reported a process of it, in a report that waits
 *     because a command holds the VM
 * @param isOfPool whether it belongs to a pool, which keeps its saved memory
 */
public record VmFacts(
        VmId id,
        VmStatic definition,
        VmRuntime runtime,
        VmPlacement placement,
        VmCommands commands,
        boolean saidToRun,
        boolean isOfPool) {

    /** A VM of no pool of which no report waits. */
    public VmFacts(
            VmId id,
            VmStatic definition,
            VmRuntime runtime,
            VmPlacement placement,
            VmCommands commands) {
        this(id, definition, runtime, placement, commands, false, false);
    }

    /** Its status. */
    public VmStatus status() {
        return runtime.status();
    }

    /** The host that is responsible for it, null for none. */
    public @Nullable HostId runOn() {
        return placement.runOn();
    }

    /** How often it began to run. */
    public long generation() {
        return placement.run().generation();
    }
}
