package org.stillwater.monitoring.regression;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.RecordedChange;
import org.stillwater.core.regression.RecordedChange.Kind;
import org.stillwater.core.regression.SeriesOwner.Shared;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostVersions;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmState;

/**
 * Follows the change feed: records changes that may coincide with a regression, and measures the
 * durations of migrations and starts. If the feed has lost changes, it drops running measurements
 * and compares the hosts with their recorded state. A number of changes and the fleet bound its
 * memory. One thread.
 *
 * <p>Changes that only the reports of hosts show become audit events. The others have events of
 * their operations, so the audit log has the changes of earlier lives of the engine.
 */
final class ChangeRecorder {

    static final String BOOTED = "host booted";
    static final String TO_MAINTENANCE = "host to maintenance";
    static final String MIGRATED = "a VM migrated";
    static final String STARTED = "a VM started";
    static final String REDEFINED = "the definition of VM %s changed";
    static final String LINKED = "%s from %s to %s Mbit/s";

    private final FleetReader fleet;
    private final EngineClock clock;
    private final int most;
    private final RegressionMonitor.Recorder log;
    private final Durations durations;
    private final Deque<RecordedChange> kept = new ArrayDeque<>();
    private final Map<HostId, Known> hosts = new HashMap<>();
    private final Map<VmId, Instant> migrating = new HashMap<>();
    private final Map<VmId, Instant> starting = new HashMap<>();
    private long revision = -1;
    private @Nullable Instant since;

    /** Takes durations. */
    interface Durations {

        /** A VM left a host. */
        void migrated(HostId source, Duration took);

        /** A VM came up on a host. */
        void booted(HostId host, Duration took);
    }

    /** Recorded state of a host. */
    private record Known(HostStatus status, HostVersions versions) {}

    ChangeRecorder(
            FleetReader fleet,
            EngineClock clock,
            int most,
            RegressionMonitor.Recorder log,
            Durations durations) {
        this.fleet = fleet;
        this.clock = clock;
        this.most = most;
        this.log = log;
        this.durations = durations;
    }

    /** The changes that are kept, oldest first. */
    Collection<RecordedChange> kept() {
        return kept;
    }

    /** Time from which on it records changes itself. */
    Instant since() {
        return since == null ? clock.now() : since;
    }

    /**
     * Adds changes from before that time, as many as the limit allows.
     *
     * @param past the newest first
     * @return how many were added
     */
    int remember(List<RecordedChange> past) {
        int added = Math.min(past.size(), most - kept.size());
        past.subList(0, added).forEach(kept::addFirst);
        return added;
    }

    /** Remembers a change; beyond the limit the oldest is dropped. */
    private void record(Instant at, Kind kind, String text, Shared... subjects) {
        if (kept.size() == most) {
            kept.removeFirst();
        }
        kept.addLast(new RecordedChange(at, kind, List.of(subjects), text));
    }

    /** Processes the changes since the last call. */
    void follow() {
        if (since == null) {
            since = clock.now();
        }
        ChangeFeed.@Nullable Changes changes =
                revision < 0 ? null : fleet.changes().since(revision);
        if (changes == null) {
            revision = fleet.revision();
            migrating.clear();
            starting.clear();
            List<HostId> present = new ArrayList<>();
            for (HostView host : fleet.hosts()) {
                present.add(host.state().definition().id());
                changed(host.state());
            }
            hosts.keySet().retainAll(present);
            return;
        }
        revision = changes.revision();
        for (Delta delta : changes.deltas()) {
            take(delta);
        }
    }

    private void take(Delta delta) {
        switch (delta) {
            case Delta.HostAdded added -> changed(added.state());
            case Delta.HostChanged changed -> changed(changed.state());
            case Delta.HostRemoved removed -> hosts.remove(removed.hostId());
            case Delta.VmChanged changed ->
                    changed(changed.vmId(), changed.before(), changed.state());
            case Delta.VmRedefined redefined ->
                    record(
                            clock.now(),
                            Kind.DEFINITION,
                            REDEFINED.formatted(redefined.definition().name()),
                            Owners.vm(redefined.vmId()));
            case Delta.VmRemoved removed -> {
                migrating.remove(removed.vmId());
                starting.remove(removed.vmId());
            }
            case Delta.VmAdded _,
                    Delta.VmTagged _,
                    Delta.Audited _,
                    Delta.Alerted _,
                    Delta.Untold _ -> {}
        }
    }

    private void changed(HostState state) {
        HostId id = state.definition().id();
        Known before = hosts.get(id);
        HostCapabilities reported = state.capabilities();
        // The host's last report before its silence, or before this run of the engine, is compared
        // with the first one after it.
        HostVersions said = before == null ? state.recorded() : before.versions();
        HostVersions now = reported == null ? said : HostVersions.of(reported);
        hosts.put(id, new Known(state.status(), now));
        compare(id, said, now);
        if (before == null) {
            return;
        }
        if (before.status() != HostStatus.MAINTENANCE && state.status() == HostStatus.MAINTENANCE) {
            record(clock.now(), Kind.MAINTENANCE, TO_MAINTENANCE, Owners.host(id));
        } else if (before.status() == HostStatus.MAINTENANCE
                && state.status() != HostStatus.MAINTENANCE) {
            record(clock.now(), Kind.MAINTENANCE, "host back from maintenance", Owners.host(id));
        }
    }

    private void compare(HostId id, HostVersions before, HostVersions now) {
        if (before.equals(now)) {
            return;
        }
        compare(id, "host agent", before.agent(), now.agent());
        if (Objects.equals(before.agent(), now.agent())) {
            compare(
                    id,
                    "host agent " + now.agent() + ", revision",
                    before.revision(),
                    now.revision());
        }
        compare(id, "kernel", before.kernel(), now.kernel());
        compare(id, "QEMU", before.qemu(), now.qemu());
        compare(id, "libvirt", before.libvirt(), now.libvirt());
        if (before.bootUuid() != null
                && now.bootUuid() != null
                && !before.bootUuid().equals(now.bootUuid())) {
            booted(id);
        }
    }

    /** A host booted. */
    void booted(HostId id) {
        record(clock.now(), Kind.REBOOT, BOOTED, Owners.host(id));
        log.record(AuditEvent.HOST_BOOTED, null, id, Map.of());
    }

    /** A link of a host has another speed, in Mbit/s. */
    void linked(HostId id, String nic, int before, int now) {
        record(
                clock.now(),
                Kind.NETWORK_SPEED,
                LINKED.formatted(nic, before, now),
                Owners.host(id));
        log.record(
                AuditEvent.HOST_LINK_SPEED_CHANGED,
                null,
                id,
                Map.of(
                        "interface",
                        nic,
                        "before",
                        Integer.toString(before),
                        "now",
                        Integer.toString(now)));
    }

    private void compare(HostId id, String what, @Nullable String before, @Nullable String now) {
        if (before != null && now != null && !before.equals(now)) {
            String change = "%s %s became %s".formatted(what, before, now);
            record(clock.now(), Kind.SOFTWARE, change, Owners.host(id));
            log.record(AuditEvent.HOST_SOFTWARE_CHANGED, null, id, Map.of("change", change));
        }
    }

    private void changed(VmId id, @Nullable HostId before, VmState state) {
        VmStatus status = state.runtime().status();
        HostId now = state.placement().runOn();
        if (before != null && now != null && !before.equals(now)) {
            Instant since = migrating.remove(id);
            if (since != null) {
                durations.migrated(before, Duration.between(since, state.observedAt()));
            }
            record(state.observedAt(), Kind.MIGRATION, MIGRATED, Owners.vm(id), Owners.host(now));
        }
        // A fast start may show by its end only.
        boolean begins = before == null && now != null && !status.isNotRunning();
        switch (status) {
            case MIGRATING_FROM -> migrating.putIfAbsent(id, state.observedAt());
            case WAIT_FOR_LAUNCH, POWERING_UP -> {
                migrating.remove(id);
                begins |= starting.putIfAbsent(id, state.observedAt()) == null;
            }
            case UP -> {
                Instant since = starting.remove(id);
                if (since != null && now != null) {
                    durations.booted(now, Duration.between(since, state.observedAt()));
                }
                if (Objects.equals(before, now)) {
                    migrating.remove(id);
                }
            }
            case MIGRATING_TO, UNKNOWN, NOT_RESPONDING -> {}
            case UNASSIGNED,
                    DOWN,
                    PAUSED,
                    REBOOT_IN_PROGRESS,
                    SAVING_STATE,
                    RESTORING_STATE,
                    SUSPENDED,
                    IMAGE_ILLEGAL,
                    IMAGE_LOCKED,
                    POWERING_DOWN -> {
                migrating.remove(id);
                starting.remove(id);
            }
        }
        if (begins && now != null) {
            record(state.observedAt(), Kind.START, STARTED, Owners.host(now));
        }
    }
}
