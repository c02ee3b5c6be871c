package org.stillwater.monitoring.numa;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.NumaStore;
import org.stillwater.core.store.NumaStore.HostNuma;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.PendingRows;

/**
 * Known NUMA data (monitoring specification §1.7). For a host, its nodes, saved when its
 * capabilities report changed nodes. For a VM, the nodes with its memory, kept in memory if its
 * host reports them: current hosts do not.
 *
 * <p>Thread-safe; does not block.
 */
public final class NumaNodes {

    private final PendingRows<HostId, HostNuma> pending;
    private final Map<VmId, OfVm> vms = new ConcurrentHashMap<>();

    private record OfVm(long digest, List<VmNumaNode> nodes) {}

    /** Has no data. */
    public NumaNodes(NumaStore store, BatchWriter writer) {
        this.pending =
                new PendingRows<>(
                        writer,
                        hosts -> {
                            hosts.sort(Comparator.comparing(HostNuma::host));
                            return store.replace(hosts);
                        });
    }

    /**
     * A host reported its nodes.
     *
     * @param nodes its nodes
     * @param before its last report, null for the first one since the engine's start
     */
    public void reported(
            HostId host, List<HostNumaNode> nodes, @Nullable List<HostNumaNode> before) {
        if (!nodes.equals(before)) {
            pending.put(host, new HostNuma(host, nodes));
        }
    }

    /** Digest of a VM's known NUMA nodes, for the decoder; 0 if there are none. */
    public long digest(VmId vm) {
        if (vms.isEmpty()) {
            return 0;
        }
        OfVm known = vms.get(vm);
        return known == null ? 0 : known.digest();
    }

    /** Applies a poll's data about a VM, if they differ. */
    public void reported(VmId vm, VmSample sample) {
        if (sample.numaDigest == sample.knownNumaDigest) {
            return;
        }
        List<VmNumaNode> nodes = sample.numaNodes;
        if (sample.numaDigest == 0 || nodes == null) {
            vms.remove(vm);
        } else {
            vms.put(vm, new OfVm(sample.numaDigest, List.copyOf(nodes)));
        }
    }

    /** The VM stopped or is gone. */
    public void forget(VmId vm) {
        if (!vms.isEmpty()) {
            vms.remove(vm);
        }
    }

    /** Nodes with a VM's memory; null if its host does not report them. */
    public @Nullable List<VmNumaNode> of(VmId vm) {
        OfVm known = vms.get(vm);
        return known == null ? null : known.nodes();
    }
}
