package org.stillwater.core.store;

import java.util.List;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

/**
 * Changes of one VM that become durable together or not at all: columns that changed, and the work
 * that follows from them.
 *
 * @param vmId the VM
 * @param fields the reported columns to write
 * @param runtime where their values come from
 * @param placed the engine-decided columns to write
 * @param placement where their values come from
 * @param work work left to commands because of the change
 */
public record VmChange(
        VmId vmId,
        RuntimeFields fields,
        VmRuntime runtime,
        PlacementFields placed,
        VmPlacement placement,
        List<OpenWork> work) {

    public VmChange {
        work = List.copyOf(work);
    }

    /** A change of reported columns alone. */
    public static VmChange reported(VmId vmId, RuntimeFields fields, VmRuntime runtime) {
        return new VmChange(
                vmId, fields, runtime, PlacementFields.NONE, VmPlacement.NOWHERE, List.of());
    }

    /** A change of engine-decided columns alone. */
    public static VmChange placed(VmId vmId, PlacementFields placed, VmPlacement placement) {
        return new VmChange(
                vmId, RuntimeFields.NONE, VmRuntime.INITIAL, placed, placement, List.of());
    }

    /** The same with this work and no other. */
    public VmChange withWork(List<OpenWork> queued) {
        return new VmChange(vmId, fields, runtime, placed, placement, queued);
    }
}
