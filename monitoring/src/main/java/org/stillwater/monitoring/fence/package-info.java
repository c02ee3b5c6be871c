/**
 * Brings silent hosts back by restarting their agents: time, number and result of the attempts. How
 * a restart is done is an adapter's business; power management does not belong here.
 */
@NullMarked
package org.stillwater.monitoring.fence;

import org.jspecify.annotations.NullMarked;
