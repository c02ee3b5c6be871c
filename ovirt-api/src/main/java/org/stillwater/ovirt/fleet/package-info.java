/**
 * The data of the resources, as one port: all of it is in memory, and no call waits. The adapter to
 * monitoring and commands adds the full definitions of VMs.
 */
@NullMarked
package org.stillwater.ovirt.fleet;

import org.jspecify.annotations.NullMarked;
