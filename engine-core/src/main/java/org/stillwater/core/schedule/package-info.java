/**
 * Where VMs run: one pass that places many of them, aware of each other, and says why. Pure
 * functions of what the caller knows; nothing here asks a host or keeps anything.
 */
@NullMarked
package org.stillwater.core.schedule;

import org.jspecify.annotations.NullMarked;
