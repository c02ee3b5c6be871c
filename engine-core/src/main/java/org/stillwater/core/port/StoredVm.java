package org.stillwater.core.port;

import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatic;

/**
 * One VM as the database holds it.
 *
 * @param id the VM
 * @param definition its definition with its interfaces
 * @param runtime runtime that hosts reported last
 * @param placement placement that the engine decided last
 */
public record StoredVm(VmId id, VmStatic definition, VmRuntime runtime, VmPlacement placement) {}
