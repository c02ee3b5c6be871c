/**
 * What is asked of VMs and hosts, as it is kept: operations, and pools of VMs. How operations go on
 * stands in {@code org.stillwater.core.command}.
 */
@NullMarked
package org.stillwater.core.operation;

import org.jspecify.annotations.NullMarked;
