/**
 * Sizes of LUNs that VMs use as disks directly, read when a VM powers up. Which VM uses which LUN
 * is known to the database only.
 */
@NullMarked
package org.stillwater.monitoring.lun;

import org.jspecify.annotations.NullMarked;
