/**
 * Explains values of VMs and hosts: their report, their age, and the reason for any delay. It reads
 * data that monitoring keeps anyway, without locks or changes.
 */
@NullMarked
package org.stillwater.monitoring.explain;

import org.jspecify.annotations.NullMarked;
