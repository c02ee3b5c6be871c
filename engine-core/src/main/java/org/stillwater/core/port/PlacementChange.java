package org.stillwater.core.port;

import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;

/**
 * Engine-decided columns of one VM to be written.
 *
 * @param vmId the row
 * @param placement the values
 */
public record PlacementChange(VmId vmId, VmPlacement placement) {}
