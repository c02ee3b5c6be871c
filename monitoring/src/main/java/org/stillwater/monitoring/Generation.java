package org.stillwater.monitoring;

/**
 * Counters of changes that readers see.
 *
 * @param revision revision of the newest change of a VM's or host's state, and of the newest event
 * @param statistics how often a host's numbers, or those of its VMs, were new
 * @param definitions how often a VM was added, removed or defined otherwise
 * @param clusters how often a cluster or data centre was added, changed or removed
 */
public record Generation(long revision, long statistics, long definitions, long clusters) {}
