package org.stillwater.server.api.vm;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagSet;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.rows.AgedRow;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.Page;
import org.stillwater.server.api.rows.ValueAge;

/**
 * One VM at one moment, in a buffer that one answer reuses for all VMs. Numbers are copied when
 * they are first requested. Used by one thread.
 */
public final class VmRow implements AgedRow {

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

    private final FleetReader fleet;
    private final long nowMillis;
    private final long staleMillis;
    private final VmNumbers numbers = new VmNumbers();
    private final Map<HostId, String> hostNames = new HashMap<>();
    private final Map<ClusterId, String> clusterNames = new HashMap<>();
    private final Map<HostId, Boolean> currentHosts = new HashMap<>();
    private @Nullable VmReading vm;
    private @Nullable VmState state;
    private boolean read;
    private boolean scanning;

    /**
     * @param now when the answer is made
     * @param staleAfter age from which numbers are stale
     */
    VmRow(FleetReader fleet, Instant now, Duration staleAfter) {
        this.fleet = fleet;
        this.nowMillis = now.toEpochMilli();
        this.staleMillis = staleAfter.toMillis();
    }

    /** Moves to another VM, with all numbers of one moment. */
    public VmRow of(VmReading next) {
        vm = next;
        state = next.state();
        read = false;
        scanning = false;
        return this;
    }

    /** Turns to another VM of very many, of which a number or two are checked. */
    public VmRow scan(VmReading next) {
        of(next);
        scanning = true;
        return this;
    }

    /** The same in a state that it had a moment ago. */
    VmRow scan(Pinned pinned) {
        of(pinned);
        scanning = true;
        return this;
    }

    /** Turns to another VM in a state that it had a moment ago. */
    public VmRow of(Pinned pinned) {
        vm = pinned.vm();
        state = pinned.state();
        read = false;
        scanning = false;
        return this;
    }

    /** A VM and the state in which it was picked. */
    public record Pinned(VmReading vm, VmState state) {}

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

    /** Its tags. */
    TagSet tags() {
        return fleet.tags().set(id());
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

    public VmNumbers numbers() {
        if (!read) {
            vm().numbers(numbers);
            read = true;
        }
        return numbers;
    }

    /** A whole number, or {@link VmNumbers#UNKNOWN}. */
    long whole(VmNumber number) {
        return scanning ? vm().whole(number) : numbers().whole(number);
    }

    /** A number with decimals, or NaN. */
    double fraction(VmNumber number) {
        return scanning ? vm().fraction(number) : numbers().fraction(number);
    }

    /** Any number; NaN if it is not known. */
    double value(VmNumber number) {
        if (number.isFraction()) {
            return fraction(number);
        }
        long whole = whole(number);
        return whole == VmNumbers.UNKNOWN ? Double.NaN : whole;
    }

    /** When its numbers were observed, ms since the epoch; 0 if there are none. */
    long observedEpochMillis() {
        return scanning ? vm().observedEpochMillis() : numbers().observedEpochMillis();
    }

    /** Whether its numbers are stale: there are none, they are old, or it has no process. */
    boolean isStale() {
        long observed = observedEpochMillis();
        return observed == 0
                || nowMillis - observed > staleMillis()
                || !state().runtime().status().isRunningOrPaused();
    }

    /** Age from which its numbers are stale: its host may be polled at a longer interval. */
    private long staleMillis() {
        return staleMillis + fleet.slackMillis(state().placement().runOn());
    }

    /**
     * Names that stand instead of identities.
     *
     * @param hosts by identity
     * @param clusters by identity
     */
    record Names(Map<HostId, String> hosts, Map<ClusterId, String> clusters) {

        Names {
            hosts = Map.copyOf(hosts);
            clusters = Map.copyOf(clusters);
        }

        /** Both. */
        Names and(Names others) {
            if (hosts.keySet().containsAll(others.hosts.keySet())
                    && clusters.keySet().containsAll(others.clusters.keySet())) {
                return this;
            }
            Map<HostId, String> allHosts = new HashMap<>(hosts);
            allHosts.putAll(others.hosts);
            Map<ClusterId, String> allClusters = new HashMap<>(clusters);
            allClusters.putAll(others.clusters);
            return new Names(allHosts, allClusters);
        }

        /** Whether hosts and clusters still have these names. */
        boolean areCurrent(FleetReader fleet) {
            return hosts.entrySet().stream()
                            .allMatch(each -> each.getValue().equals(nameOf(fleet, each.getKey())))
                    && clustersAreCurrent(fleet);
        }

        /** Whether clusters still have these names. */
        boolean clustersAreCurrent(FleetReader fleet) {
            return clusters.entrySet().stream()
                    .allMatch(each -> each.getValue().equals(nameOf(fleet, each.getKey())));
        }
    }

    /** The names so far. */
    Names names() {
        return new Names(hostNames, clusterNames);
    }

    private static String nameOf(FleetReader fleet, HostId id) {
        HostView view = fleet.host(id);
        return view == null ? id.toString() : view.state().definition().name();
    }

    private static String nameOf(FleetReader fleet, ClusterId id) {
        var cluster = fleet.cluster(id);
        return cluster == null ? id.toString() : cluster.name();
    }

    /** Name of the host that runs it, null for none. */
    @Nullable String hostName() {
        HostId host = state().placement().runOn();
        if (host == null) {
            return null;
        }
        String name = hostNames.get(host);
        if (name == null) {
            name = nameOf(fleet, host);
            hostNames.put(host, name);
        }
        return name;
    }

    /** Software that manages the host on which it runs, or may run. */
    String hypervisor() {
        return managedBy().label();
    }

    /** The same as a constant. */
    Hypervisor managedBy() {
        return fleet.hypervisor(definition().cluster());
    }

    /**
     * Urgency of its trouble, 0 first: 0 is unknown, not responding or without its image, 1 paused
     * by an error, 2 on a host without current reports, 3 ended with an error, 4 on its way to
     * another status, 5 up, 6 suspended, 7 down.
     */
    long trouble() {
        VmRuntime runtime = state().runtime();
        VmStatus status = runtime.status();
        switch (status) {
            case UNKNOWN, NOT_RESPONDING, IMAGE_ILLEGAL -> {
                return 0;
            }
            case PAUSED -> {
                if (isError(runtime.pauseStatus())) {
                    return 1;
                }
            }
            default -> {
                // values of its host and its exit
            }
        }
        HostId host = state().placement().runOn();
        if (host != null
                && status.isRunningOrPaused()
                && !currentHosts.computeIfAbsent(host, this::isCurrent)) {
            return 2;
        }
        return switch (status) {
            case DOWN -> runtime.exitStatus() == ExitStatus.ERROR ? 3 : 7;
            case UP -> 5;
            case SUSPENDED -> 6;
            default -> 4;
        };
    }

    private static boolean isError(PauseStatus pause) {
        return switch (pause) {
            case EOTHER, EIO, ENOSPC, EPERM -> true;
            case NONE, NOERR, POSTCOPY -> false;
        };
    }

    private boolean isCurrent(HostId host) {
        HostView view = fleet.host(host);
        return view != null && isCurrent(view);
    }

    /** Whether a host's reports are current. */
    static boolean isCurrent(HostView host) {
        return switch (host.state().status()) {
            case UP, PREPARING_FOR_MAINTENANCE -> true;
            default -> false;
        };
    }

    String clusterName() {
        ClusterId id = definition().cluster();
        String name = clusterNames.get(id);
        if (name == null) {
            name = nameOf(fleet, id);
            clusterNames.put(id, name);
        }
        return name;
    }

    /** When the newest report of its state arrived, ms since the epoch; 0 if none did. */
    long reportedEpochMillis() {
        long reported = vm().lastReportEpochMillis();
        return reported == 0 ? state().observedAt().toEpochMilli() : reported;
    }

    @Override
    public ValueAge age(Column.Origin origin) {
        return switch (origin) {
            case DEFINED, DECIDED -> ValueAge.CURRENT;
            case REPORTED -> {
                long reported = vm().lastReportEpochMillis();
                boolean running = state().placement().runOn() != null;
                // The present reports of a VM in status unknown do not contain its values.
                boolean awaited = state().runtime().status() == VmStatus.UNKNOWN;
                boolean late = reported == 0 || nowMillis - reported > staleMillis();
                yield ValueAge.of(nowMillis, reportedEpochMillis(), running && (awaited || late));
            }
            case COUNTED -> ValueAge.of(nowMillis, numbers().observedEpochMillis(), isStale());
        };
    }
}
