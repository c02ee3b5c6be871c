package org.stillwater.monitoring.belief;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.BeliefStore.Row;
import org.stillwater.core.store.BeliefStore.Subject;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.Belief;
import org.stillwater.monitoring.vm.VmManager;

/**
 * The transitions of VMs and hosts: the last 64 of each in memory, packed at the VM or host itself,
 * and, with a writer, those of the retention in the database. Thread-safe.
 */
public final class BeliefLog {

    /** Transitions of one VM or host in memory, at most. */
    public static final int RECENT = PackedBeliefs.MOST;

    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    private final HostDictionary hosts = new HostDictionary();
    private volatile @Nullable BeliefWriter writer;

    /**
     * Transitions of a VM or host.
     *
     * @param items the newest first
     * @param missing why those of the database are not among them; null if they are
     */
    public record Past(List<Belief> items, @Nullable String missing) {
        public Past {
            items = List.copyOf(items);
        }
    }

    /** Makes transitions durable from now on; before the engine starts. */
    public void record(BeliefWriter durable) {
        writer = durable;
    }

    /** Whether transitions become durable. */
    public boolean isRecorded() {
        return writer != null;
    }

    /** A VM went over. Under the VM's lock. */
    public void add(VmManager vm, Belief belief) {
        vm.packedBeliefs(PackedBeliefs.prepend(vm.packedBeliefs(), belief, hosts));
        keep(Subject.VM, vm.id().toUuid(), vm.state().revision(), belief);
    }

    /**
     * A host went over. By the host's thread.
     *
     * @param packed recorded transitions
     * @param revision revision of the host's state
     * @return the transitions to be kept
     */
    public byte[] add(byte @Nullable [] packed, HostId host, long revision, Belief belief) {
        keep(Subject.HOST, host.value(), revision, belief);
        return PackedBeliefs.prepend(packed, belief, hosts);
    }

    /** A host was removed: transitions of VMs name it for a while only. */
    public void forget(HostId host) {
        hosts.forget(host);
    }

    private void keep(Subject subject, UUID id, long revision, Belief belief) {
        BeliefWriter durable = writer;
        if (durable != null) {
            durable.keep(new Row(subject, id, revision, belief));
        }
    }

    /** The last transitions of a VM. */
    public Past of(VmManager vm) {
        return newest(Subject.VM, vm.id().toUuid(), vm.packedBeliefs(), null, RECENT);
    }

    /** The last transitions of a host. */
    public Past of(HostId host, byte @Nullable [] packed) {
        return newest(Subject.HOST, host.value(), packed, null, RECENT);
    }

    /** The last transition of a VM up to a time, if there is one. */
    public Past at(VmManager vm, Instant at) {
        return newest(Subject.VM, vm.id().toUuid(), vm.packedBeliefs(), at, 1);
    }

    /** The last transition of a host up to a time, if there is one. */
    public Past at(HostId host, byte @Nullable [] packed, Instant at) {
        return newest(Subject.HOST, host.value(), packed, at, 1);
    }

    private Past newest(
            Subject subject, UUID id, byte @Nullable [] packed, @Nullable Instant until, int most) {
        List<Belief> found = new ArrayList<>();
        Instant oldest = until;
        for (Belief belief : PackedBeliefs.unpack(packed, hosts)) {
            oldest = oldest == null || belief.at().isBefore(oldest) ? belief.at() : oldest;
            if (found.size() < most && (until == null || !belief.at().isAfter(until))) {
                found.add(belief);
            }
        }
        BeliefWriter durable = writer;
        if (found.size() == most) {
            return new Past(found, null);
        }
        if (durable == null) {
            return new Past(found, "Transitions are not recorded in the database.");
        }
        Instant before = oldest == null ? LATEST : oldest;
        try {
            for (Belief belief :
                    durable.store().newest(subject, id, before, most - found.size() + 1)) {
                boolean known = !found.isEmpty() && !belief.at().isBefore(found.getLast().at());
                if (!known && found.size() < most) {
                    found.add(belief);
                }
            }
            return new Past(found, null);
        } catch (StoreUnavailable e) {
            return new Past(found, "The database does not answer now: " + e.getMessage() + ".");
        }
    }
}
