package org.stillwater.testkit.simulation;

import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * A VM as the engine shows it.
 *
 * @param id the VM
 * @param runtime runtime that hosts reported
 * @param placement placement that the engine decided
 */
public record Shown(VmId id, VmRuntime runtime, VmPlacement placement) {

    boolean isRunning() {
        return !runtime.status().isNotRunning();
    }

    boolean hasFailed() {
        return runtime.status() == VmStatus.DOWN && runtime.exitStatus() == ExitStatus.ERROR;
    }

    /** Which run it is in, or was in last. */
    long generation() {
        return placement.run().generation();
    }
}
