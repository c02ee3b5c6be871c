/**
 * Explains values of VMs and hosts: their report, their age, and the reason for any delay. It reads
 * what monitoring keeps anyway, and neither locks nor changes anything.
 */
@NullMarked
package org.stillwater.monitoring.explain;

import org.jspecify.annotations.NullMarked;
