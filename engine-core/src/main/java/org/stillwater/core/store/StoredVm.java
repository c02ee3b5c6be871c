package org.stillwater.core.store;

import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

/**
 * One VM as the database holds it.
 *
 * @param id the VM
 * @param definition its definition with its interfaces
 * @param runtime runtime that hosts reported last
 * @param placement placement that the engine decided last
 */
public record StoredVm(VmId id, VmStatic definition, VmRuntime runtime, VmPlacement placement) {}
