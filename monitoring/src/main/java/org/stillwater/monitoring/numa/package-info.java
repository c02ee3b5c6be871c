/**
 * NUMA nodes: nodes of hosts, saved when they differ, and the nodes with VMs' memory, for VMs that
 * hosts report them for. The load of a node belongs to its host's numbers.
 */
@NullMarked
package org.stillwater.monitoring.numa;

import org.jspecify.annotations.NullMarked;
