/**
 * The storage that commands use for VMs: leases, and volumes for saved memory. It asks the host
 * that manages the storage pool.
 */
@NullMarked
package org.stillwater.command.storage;

import org.jspecify.annotations.NullMarked;
