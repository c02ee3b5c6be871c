/** Tags, and which VMs and hosts have them, in memory beside their store. */
@NullMarked
package org.stillwater.monitoring.tag;

import org.jspecify.annotations.NullMarked;
