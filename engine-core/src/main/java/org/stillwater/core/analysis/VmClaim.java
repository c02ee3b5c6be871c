package org.stillwater.core.analysis;

import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmRuntime;

/**
 * A host claims to run a VM for which another host is responsible (ADR 0032). The claim stands
 * until the claimant withdraws it or the VM is placed again.
 *
 * @param claimant the host
 * @param seen its last report
 * @param refused whether the responsible host has reported since the claim began that it runs the
 *     VM
 */
public record VmClaim(HostId claimant, VmRuntime seen, boolean refused) {}
