package org.stillwater.core.definition;

import java.util.List;

/**
 * Host nodes that hold the memory of one virtual NUMA node of a running VM.
 *
 * @param index number of the node in the VM
 * @param hostNodes numbers of the host's nodes that hold its memory
 */
public record VmNumaNode(int index, List<Integer> hostNodes) {

    public VmNumaNode {
        hostNodes = List.copyOf(hostNodes);
    }
}
