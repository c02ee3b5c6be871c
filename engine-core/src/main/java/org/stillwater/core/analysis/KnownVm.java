package org.stillwater.core.analysis;

import java.util.List;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

/**
 * State of a VM in the engine before a report.
 *
 * @param id the VM
 * @param definition its definition
 * @param runtime last reported runtime
 * @param placement last decided placement
 * @param commands its commands under way
 * @param externalDataUnsaved whether the host holds TPM or NVRAM data that is not saved yet
 * @param claims other hosts with a claim to run it that is not accepted, the oldest first
 */
public record KnownVm(
        VmId id,
        VmStatic definition,
        VmRuntime runtime,
        VmPlacement placement,
        VmCommands commands,
        boolean externalDataUnsaved,
        List<VmClaim> claims) {

    /** A VM with which no command has anything under way. */
    public KnownVm(VmId id, VmStatic definition, VmRuntime runtime, VmPlacement placement) {
        this(id, definition, runtime, placement, VmCommands.NONE, false, List.of());
    }
}
