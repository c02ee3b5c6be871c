package org.stillwater.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.StatisticsStore;
import org.stillwater.core.port.WriteOutcome;

/** Samples in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryStatisticsStore extends InMemoryStore implements StatisticsStore {

    private final Map<VmId, Sample> samples = new HashMap<>();
    private final Map<HostId, HostSample> hosts = new HashMap<>();
    private int heartbeats;

    /** The sample as stored, or null. */
    public synchronized @Nullable Sample sample(VmId vm) {
        return samples.get(vm);
    }

    /** The sample as stored, or null. */
    public synchronized @Nullable HostSample sample(HostId host) {
        return hosts.get(host);
    }

    /** Signs of life given so far. */
    public synchronized int heartbeats() {
        return heartbeats;
    }

    @Override
    public synchronized WriteOutcome heartbeat() {
        if (isUnavailable()) {
            return new WriteOutcome.Unavailable("no database");
        }
        heartbeats++;
        return new WriteOutcome.Written(1, List.of());
    }

    @Override
    public synchronized WriteOutcome dump(List<Sample> vms, List<HostSample> sampledHosts) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (Sample sample : vms) {
            touched += touchedBy(samples.put(sample.vmId(), sample), sample);
        }
        for (HostSample sample : sampledHosts) {
            touched += sample.equals(hosts.put(sample.hostId(), sample)) ? 0 : 1;
        }
        return touched(touched);
    }

    /** Rows of a VM, its interfaces and its disks that were not so before, and those that go. */
    private static int touchedBy(@Nullable Sample before, Sample now) {
        int touched = before == null || !values(before).equals(values(now)) ? 1 : 0;
        touched += differing(before == null ? List.of() : before.nics(), now.nics(), NicSample::id);
        return touched
                + differing(
                        before == null ? List.of() : before.disks(),
                        now.disks(),
                        DiskSample::imageId);
    }

    private static Sample values(Sample sample) {
        return new Sample(
                sample.vmId(),
                sample.cpuUserPercent(),
                sample.cpuSystemPercent(),
                sample.elapsedSeconds(),
                sample.usageCpuPercent(),
                sample.usageMemoryPercent(),
                sample.usageNetworkPercent(),
                sample.disksUsage(),
                sample.memoryBufferedKibibytes(),
                sample.memoryCachedKibibytes(),
                List.of(),
                List.of());
    }

    private static <T> int differing(List<T> before, List<T> now, Function<T, UUID> key) {
        Map<UUID, T> old = new HashMap<>();
        before.forEach(row -> old.put(key.apply(row), row));
        int written = 0;
        for (T row : now) {
            written += row.equals(old.remove(key.apply(row))) ? 0 : 1;
        }
        return written + old.size();
    }
}
