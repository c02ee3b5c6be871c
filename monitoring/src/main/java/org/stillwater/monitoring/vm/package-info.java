/**
 * Memory of the engine about VMs: state, statistics, locks and the registry that finds them. The
 * package makes no decision about a VM, and reads from no host or database.
 */
@NullMarked
package org.stillwater.monitoring.vm;

import org.jspecify.annotations.NullMarked;
