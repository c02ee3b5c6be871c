/**
 * The known state of VMs: runtime, placement, statistics, jobs and pending work. Values only,
 * without decisions, I/O or clock.
 */
@NullMarked
package org.stillwater.core.vm;

import org.jspecify.annotations.NullMarked;
