package org.stillwater.core.store;

import java.util.List;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.HostId;

/** Durable NUMA nodes of hosts: their hardware, not their load. Thread-safe. */
public interface NumaStore {

    /**
     * Makes these nodes the nodes of their hosts, touching only rows that differ. A host that is
     * not there is left out.
     *
     * @param hosts at most one entry per host, sorted by host
     */
    WriteOutcome replace(List<HostNuma> hosts);

    /**
     * All nodes of one host.
     *
     * @param host the host
     * @param nodes its nodes; empty if it has none
     */
    record HostNuma(HostId host, List<HostNumaNode> nodes) {
        public HostNuma {
            nodes = List.copyOf(nodes);
        }
    }
}
