package org.stillwater.monitoring.host;

import java.time.Instant;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmStatus;

/**
 * A VM that a host claims to run although another host is responsible for it (ADR 0032).
 *
 * @param vm the VM
 * @param name its name
 * @param claimant the host that makes the claim
 * @param responsible the host that is responsible for it
 * @param status last status that the claimant reported
 * @param since begin of the claim
 * @param refused whether the responsible host has reported since that it runs the VM
 */
public record ContestedVm(
        VmId vm,
        String name,
        HostId claimant,
        HostId responsible,
        VmStatus status,
        Instant since,
        boolean refused) {}
