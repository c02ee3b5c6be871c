package org.stillwater.core.schedule;

/**
 * The reason why a host does not get a VM. A host that several rules reject is counted with the
 * first of them, in this order: the request, the host's properties, its remaining capacity, the VMs
 * on it.
 */
public enum PlacementRule {
    PINNED("not the requested host"),
    EXCLUDED("left or tried before"),
    CLUSTER("in another cluster"),
    STATUS("not up"),
    MAINTENANCE("wanted in maintenance"),
    MACHINE("without its machine type or processor"),
    NETWORKS("without its networks"),
    MEMORY("short of memory"),
    CPU("short of CPUs"),
    AFFINITY("against its affinity"),
    TOGETHER("too small for all VMs that belong together");

    private final String clause;

    PlacementRule(String clause) {
        this.clause = clause;
    }

    /** A clause about the hosts that this rule rejects, for example {@code short of memory}. */
    public String clause() {
        return clause;
    }
}
