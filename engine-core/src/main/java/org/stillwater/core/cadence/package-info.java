/**
 * How often a host is polled: pure decisions from the movement of its VMs, the readers of its
 * numbers, operations under way and the processor time that polls may take. No clock and no state
 * live here.
 */
@NullMarked
package org.stillwater.core.cadence;

import org.jspecify.annotations.NullMarked;
