package org.stillwater.ovirt.model;

/** Memory of a VM on the NUMA nodes of its host. */
public record VmNumaNode(
        @Attribute String id,
        @Attribute String href,
        Integer index,
        Listing<Pin> numaNodePins,
        Entity vm)
        implements Entity {

    /** A node of the host. */
    public record Pin(Integer index) {}
}
