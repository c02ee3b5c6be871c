/**
 * The choice of hosts and the limits of what hosts do at once. It knows operations from the
 * registry only.
 */
@NullMarked
package org.stillwater.command.placement;

import org.jspecify.annotations.NullMarked;
