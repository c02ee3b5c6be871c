/**
 * Brings silent hosts back by restarting their agents: when, how often and with what result. How a
 * restart is done is an adapter's business; power management does not belong here.
 */
@NullMarked
package org.stillwater.monitoring.fence;

import org.jspecify.annotations.NullMarked;
