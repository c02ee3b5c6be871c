package org.stillwater.core.analysis;

import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatic;

/**
 * What the engine believes about a VM before a report.
 *
 * @param id the VM
 * @param definition its definition
 * @param runtime what was reported last
 * @param placement what the engine decided last
 */
public record KnownVm(VmId id, VmStatic definition, VmRuntime runtime, VmPlacement placement) {}
