/**
 * Placement of VMs: one pass places many of them together and explains the result. Pure functions
 * of their arguments; they call no host and keep no state.
 */
@NullMarked
package org.stillwater.core.schedule;

import org.jspecify.annotations.NullMarked;
