package org.stillwater.monitoring.feed;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.monitoring.vm.VmState;

/**
 * One change, in the order in which the engine made it. A delta carries the whole new state, so
 * applying one twice does no harm.
 */
public sealed interface Delta {

    /** Revision of the change; grows by one with every delta. */
    long revision();

    /**
     * The engine's monotonic clock when the message that led to it had arrived; benchmarks measure
     * from here.
     */
    long observedNanos();

    /** A VM became known. */
    record VmAdded(long revision, long observedNanos, VmId vmId, VmStatic definition, VmState state)
            implements Delta {}

    /**
     * A VM changed.
     *
     * @param changed the reported fields that changed
     * @param placementChanged whether the placement, which the engine decides, changed too
     * @param before the host that it was on before, for readers of that host only
     * @param cluster where it is, because a VM that was removed since has no definition any more
     */
    record VmChanged(
            long revision,
            long observedNanos,
            VmId vmId,
            RuntimeFields changed,
            boolean placementChanged,
            @Nullable HostId before,
            ClusterId cluster,
            VmState state)
            implements Delta {}

    /**
     * Users made something else of a VM.
     *
     * @param cluster where it was before, for readers that may no longer see it
     */
    record VmRedefined(
            long revision,
            long observedNanos,
            VmId vmId,
            ClusterId cluster,
            VmStatic definition,
            VmState state)
            implements Delta {}

    /** Users gave a VM tags or took some; {@code TagRegistry} has the present ones. */
    record VmTagged(long revision, long observedNanos, VmId vmId, VmState state) implements Delta {}

    /**
     * A VM is no longer known.
     *
     * @param cluster where it was, because only readers that saw it get it
     * @param before the host that it was on, for the same reason
     */
    record VmRemoved(
            long revision,
            long observedNanos,
            VmId vmId,
            ClusterId cluster,
            @Nullable HostId before)
            implements Delta {}

    /** A host became known. */
    record HostAdded(long revision, long observedNanos, HostState state) implements Delta {}

    /**
     * A host is no longer known.
     *
     * @param cluster where it was, because only readers that saw it get it
     */
    record HostRemoved(long revision, long observedNanos, HostId hostId, ClusterId cluster)
            implements Delta {}

    /** An audit event. */
    record Audited(long revision, long observedNanos, AuditEntry entry) implements Delta {}

    /** An alert of a rule fired, changed or ended. */
    record Alerted(long revision, long observedNanos, Alert alert) implements Delta {}

    /** A change that is published elsewhere: only its revision is in the feed. */
    record Untold(long revision, long observedNanos) implements Delta {}

    /**
     * A host changed.
     *
     * @param cluster where it was before, for readers that may no longer see it
     */
    record HostChanged(long revision, long observedNanos, ClusterId cluster, HostState state)
            implements Delta {
        /** The host. */
        public HostId hostId() {
            return state.definition().id();
        }
    }
}
