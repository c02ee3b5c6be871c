package org.stillwater.core.schedule;

/**
 * Why a host does not get a VM. A host against which several rules speak is counted with the first
 * of them, in this order: what was asked for, what the host is, what it has left, which VMs are
 * there.
 */
public enum PlacementRule {
    PINNED("not the host that was asked for"),
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

    /** What hosts are that this rule speaks against, for example {@code short of memory}. */
    public String clause() {
        return clause;
    }
}
