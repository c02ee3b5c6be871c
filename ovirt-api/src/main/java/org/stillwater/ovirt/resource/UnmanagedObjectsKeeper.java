package org.stillwater.ovirt.resource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.ovirt.fleet.Fleet;

/**
 * Keeps the surroundings until one of their sources changes. Hosts are examined at most twice a
 * second for any number of requests. Thread-safe.
 */
final class UnmanagedObjectsKeeper {

    private static final Duration LOOK = Duration.ofMillis(500);

    private final Fleet fleet;
    private final ReferenceData data;
    private volatile Kept kept;

    /**
     * Kept surroundings with the state that they were made from.
     *
     * @param number grows with every change
     */
    record Kept(
            UnmanagedObjects surroundings,
            long number,
            long definitions,
            long clusters,
            long hosts,
            Instant lookedAt) {}

    UnmanagedObjectsKeeper(Fleet fleet, ReferenceData data) {
        this.fleet = fleet;
        this.data = data;
        this.kept = made(0);
    }

    /** As they are. */
    Kept kept() {
        Kept last = kept;
        Fleet.Generation now = fleet.generation();
        Instant time = fleet.now();
        boolean defined =
                last.definitions() == now.definitions() && last.clusters() == now.clusters();
        Duration age = Duration.between(last.lookedAt(), time);
        if (defined && !age.isNegative() && age.compareTo(LOOK) < 0) {
            return last;
        }
        return look(last, defined, time);
    }

    private synchronized Kept look(Kept last, boolean defined, Instant time) {
        Kept present = kept;
        if (!same(present, last)) {
            return present;
        }
        long hosts = fingerprint(fleet.hosts());
        kept =
                defined && hosts == last.hosts()
                        ? new Kept(
                                last.surroundings(),
                                last.number(),
                                last.definitions(),
                                last.clusters(),
                                hosts,
                                time)
                        : made(last.number() + 1);
        return kept;
    }

    @SuppressWarnings("ReferenceEquality") // the same object was not replaced by another thread
    private static boolean same(Kept one, Kept other) {
        return one == other;
    }

    private Kept made(long number) {
        Fleet.Generation generation = fleet.generation();
        List<HostView> hosts = fleet.hosts();
        return new Kept(
                new UnmanagedObjects(fleet, data, hosts),
                number,
                generation.definitions(),
                generation.clusters(),
                fingerprint(hosts),
                fleet.now());
    }

    /** Hosts' reports of networks and storage are replaced, never changed. */
    private static long fingerprint(List<HostView> hosts) {
        long digest = hosts.size();
        for (HostView host : hosts) {
            HostCapabilities capabilities = host.state().capabilities();
            HostStatistics statistics = host.statistics();
            digest =
                    digest * 31
                            + host.state().definition().cluster().hashCode()
                            + 7L * System.identityHashCode(capabilities)
                            + (statistics == null
                                    ? 0
                                    : 13L * statistics.storageDomains().keySet().hashCode());
        }
        return digest;
    }
}
