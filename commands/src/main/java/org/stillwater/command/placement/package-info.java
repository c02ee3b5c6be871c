/**
 * The choice of hosts and the limits of simultaneous work of hosts. It knows operations from the
 * registry only.
 */
@NullMarked
package org.stillwater.command.placement;

import org.jspecify.annotations.NullMarked;
