package org.stillwater.monitoring.benchmark;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;

/** The storage domains of VMs and hosts, and whether they are too slow for a benchmark. */
final class StorageGuard {

    private static final double MILLIS_PER_SECOND = 1_000;
    private static final double PERCENT = 100;

    private final FleetReader fleet;
    private final DiskPlaces places;
    private final Function<UUID, FleetSeries.@Nullable Load> loads;
    private final double mostMillis;
    private final double mostRatio;

    StorageGuard(
            FleetReader fleet,
            DiskPlaces places,
            Function<UUID, FleetSeries.@Nullable Load> loads,
            Duration mostLatency,
            double mostRatio) {
        this.fleet = fleet;
        this.places = places;
        this.loads = loads;
        this.mostMillis = mostLatency.toNanos() / 1e6;
        this.mostRatio = mostRatio;
    }

    /** Whether the engine knows the object as running. */
    boolean isRunning(BenchmarkSubject subject) {
        return switch (subject.kind()) {
            case VM -> {
                VmView vm = fleet.vm(VmId.of(subject.id()));
                yield vm != null && vm.state().runtime().status().isRunning();
            }
            case HOST -> {
                HostView host = fleet.host(new HostId(subject.id()));
                yield host != null && host.state().status() == HostStatus.UP;
            }
        };
    }

    /** The storage domains of the object's disks; of a host all that it reaches. */
    Set<UUID> domains(BenchmarkSubject subject) throws StoreUnavailable {
        return switch (subject.kind()) {
            case VM -> {
                VmId id = VmId.of(subject.id());
                Collection<UUID> found = List.of();
                var disks = places.of(List.of(id)).get(id);
                if (disks != null) {
                    found = disks.values();
                }
                yield new TreeSet<>(found);
            }
            case HOST -> {
                Set<UUID> reached = new HashSet<>();
                HostView host = fleet.host(new HostId(subject.id()));
                HostStatistics statistics = host == null ? null : host.statistics();
                if (statistics != null) {
                    for (String domain : statistics.storageDomains().keySet()) {
                        UUID id = uuid(domain);
                        if (id != null) {
                            reached.add(id);
                        }
                    }
                }
                yield reached;
            }
        };
    }

    /** Not every hypervisor names its storage by UUIDs. */
    private static @Nullable UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** Why a storage domain is too slow; null if it is fast enough or has no data. */
    @Nullable String refusal(BenchmarkSubject subject, Set<UUID> domains) {
        for (UUID domain : domains) {
            double delay = delayMillis(subject, domain);
            FleetSeries.Load load = loads.apply(domain);
            double latency = load == null ? delay : Math.max(load.latency(), delay);
            if (latency > mostMillis) {
                return String.format(
                        Locale.ROOT,
                        "Storage domain %s answers in %.1f ms; the guard is at %.1f ms.",
                        domain,
                        latency,
                        mostMillis);
            }
            if (load != null && load.ratio() > mostRatio) {
                return String.format(
                        Locale.ROOT,
                        "Storage domain %s takes %.0f %% of its usual time; the guard is at"
                                + " %.0f %%.",
                        domain,
                        PERCENT * load.ratio(),
                        PERCENT * mostRatio);
            }
        }
        return null;
    }

    /** The last check of a storage domain by the object's host; 0 for none. */
    private double delayMillis(BenchmarkSubject subject, UUID domain) {
        HostId id =
                switch (subject.kind()) {
                    case VM -> {
                        VmView vm = fleet.vm(VmId.of(subject.id()));
                        yield vm == null ? null : vm.state().placement().runOn();
                    }
                    case HOST -> new HostId(subject.id());
                };
        HostView host = id == null ? null : fleet.host(id);
        HostStatistics statistics = host == null ? null : host.statistics();
        HostStatistics.StorageDomain path =
                statistics == null ? null : statistics.storageDomains().get(domain.toString());
        Double seconds = path == null ? null : path.delaySeconds();
        return seconds == null ? 0 : seconds * MILLIS_PER_SECOND;
    }
}
