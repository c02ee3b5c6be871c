/**
 * NUMA nodes: what hosts have, kept when it differs, and where VMs' memory is, for the VMs whose
 * hosts say so. How busy a node is belongs to its host's numbers.
 */
@NullMarked
package org.stillwater.monitoring.numa;

import org.jspecify.annotations.NullMarked;
