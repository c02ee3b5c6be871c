/**
 * What the engine holds in memory about VMs: state, statistics, locks and the registry that finds
 * them. No decision about a VM is made here, and nothing is read from a host or a database.
 */
@NullMarked
package org.stillwater.monitoring.vm;

import org.jspecify.annotations.NullMarked;
