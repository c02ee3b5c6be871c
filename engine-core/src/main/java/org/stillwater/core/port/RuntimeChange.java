package org.stillwater.core.port;

import org.stillwater.core.model.RuntimeFields;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmRuntime;

/**
 * Reported columns of one VM to be written.
 *
 * @param vmId the row
 * @param fields which columns
 * @param runtime where the values come from
 */
public record RuntimeChange(VmId vmId, RuntimeFields fields, VmRuntime runtime) {}
