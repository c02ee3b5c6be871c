package org.stillwater.server.rest;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatic;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmState;

/**
 * One VM at one moment, in a place that one answer uses for one VM after the other. Numbers are
 * copied when they are first asked for. Used by one thread.
 */
final class VmRow implements Aged {

    static final Page.ToIds<VmRow> IDS =
            new Page.ToIds<>() {
                @Override
                public long upper(VmRow row) {
                    return row.id().mostSignificantBits();
                }

                @Override
                public long lower(VmRow row) {
                    return row.id().leastSignificantBits();
                }
            };

    private final MonitoringEngine engine;
    private final long nowMillis;
    private final long staleMillis;
    private final VmNumbers numbers = new VmNumbers();
    private final Map<HostId, String> hostNames = new HashMap<>();
    private final Map<ClusterId, String> clusterNames = new HashMap<>();
    private @Nullable VmReading vm;
    private @Nullable VmState state;
    private boolean read;

    /**
     * @param now when the answer is made
     * @param staleAfter age from which numbers are stale
     */
    VmRow(MonitoringEngine engine, Instant now, Duration staleAfter) {
        this.engine = engine;
        this.nowMillis = now.toEpochMilli();
        this.staleMillis = staleAfter.toMillis();
    }

    /** Turns to another VM. */
    VmRow of(VmReading next) {
        vm = next;
        state = next.state();
        read = false;
        return this;
    }

    /** Turns to another VM in a state that it had a moment ago. */
    VmRow of(Pinned pinned) {
        vm = pinned.vm();
        state = pinned.state();
        read = false;
        return this;
    }

    /** A VM and the state in which it was picked. */
    record Pinned(VmReading vm, VmState state) {}

    Pinned pinned() {
        return new Pinned(vm(), state());
    }

    private VmReading vm() {
        if (vm == null) {
            throw new IllegalStateException("no row");
        }
        return vm;
    }

    VmId id() {
        return vm().id();
    }

    VmReading reading() {
        return vm();
    }

    VmStatic definition() {
        return vm().definition();
    }

    VmState state() {
        if (state == null) {
            throw new IllegalStateException("no row");
        }
        return state;
    }

    long nowMillis() {
        return nowMillis;
    }

    VmNumbers numbers() {
        if (!read) {
            vm().numbers(numbers);
            read = true;
        }
        return numbers;
    }

    /**
     * Whether its numbers say nothing of now: there are none, they are old, or it has no process.
     */
    boolean isStale() {
        return !numbers().areKnown()
                || nowMillis - numbers().observedEpochMillis() > staleMillis
                || !state().runtime().status().isRunningOrPaused();
    }

    /** Name of the host that runs it, null for none. */
    @Nullable String hostName() {
        HostId host = state().placement().runOn();
        if (host == null) {
            return null;
        }
        String name = hostNames.get(host);
        if (name == null) {
            HostView view = engine.host(host);
            name = view == null ? host.toString() : view.state().definition().name();
            hostNames.put(host, name);
        }
        return name;
    }

    String clusterName() {
        ClusterId id = definition().cluster();
        String name = clusterNames.get(id);
        if (name == null) {
            var cluster = engine.cluster(id);
            name = cluster == null ? id.toString() : cluster.name();
            clusterNames.put(id, name);
        }
        return name;
    }

    @Override
    public Age age(Column.Origin origin) {
        return switch (origin) {
            case DEFINED, DECIDED -> Age.CURRENT;
            case REPORTED -> {
                long reported = vm().lastReportEpochMillis();
                boolean running = state().placement().runOn() != null;
                long seen = reported == 0 ? state().observedAt().toEpochMilli() : reported;
                yield Age.of(
                        nowMillis,
                        seen,
                        running && (reported == 0 || nowMillis - reported > staleMillis));
            }
            case COUNTED -> Age.of(nowMillis, numbers().observedEpochMillis(), isStale());
        };
    }
}
