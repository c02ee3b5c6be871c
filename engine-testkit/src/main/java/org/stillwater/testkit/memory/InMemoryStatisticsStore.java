package org.stillwater.testkit.memory;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/** Samples in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryStatisticsStore extends InMemoryStore implements StatisticsStore {

    private final Map<VmId, Sample> samples = new HashMap<>();
    private final Map<HostId, HostSample> hosts = new HashMap<>();
    private final Map<VmId, Sample> offered = new HashMap<>();
    private int heartbeats;
    private int looks;
    private boolean shown;
    private @Nullable Long reads = 0L;
    private int recorded;
    private boolean heartbeatsThrow;
    private @Nullable VmId throwsWith;

    /** From now on a dump with this VM throws; null ends it. */
    public synchronized void throwWith(@Nullable VmId vm) {
        throwsWith = vm;
    }

    /** Whether heartbeats throw from now on. */
    public synchronized void throwHeartbeats(boolean now) {
        heartbeatsThrow = now;
    }

    /** The sample as stored, or null. */
    public synchronized @Nullable Sample sample(VmId vm) {
        return samples.get(vm);
    }

    /** The sample as stored, or null. */
    public synchronized @Nullable HostSample sample(HostId host) {
        return hosts.get(host);
    }

    /** The sample of a VM in the newest dump that had one, saved or not; null if there was none. */
    public synchronized @Nullable Sample offered(VmId vm) {
        return offered.get(vm);
    }

    /** Signs of life given so far. */
    public synchronized int heartbeats() {
        return heartbeats;
    }

    /** Looks for readers so far, heartbeats left out. */
    public synchronized int looks() {
        return looks;
    }

    /** Whether readers see samples. */
    public synchronized boolean isShown() {
        return shown;
    }

    /** A warehouse reads the views of samples. */
    public synchronized void read() {
        reads = reads == null ? null : reads + 1;
    }

    /** Sets the count of reads; null for a database that does not count. */
    public synchronized void reads(@Nullable Long count) {
        reads = count;
    }

    /** A warehouse records something of its own. */
    public synchronized void record() {
        recorded++;
    }

    @Override
    public synchronized ReaderSigns heartbeat() throws StoreUnavailable {
        if (heartbeatsThrow) {
            throw new IllegalStateException("a bug");
        }
        ReaderSigns signs = signs();
        heartbeats++;
        return signs;
    }

    @Override
    public synchronized ReaderSigns readerSigns() throws StoreUnavailable {
        ReaderSigns signs = signs();
        looks++;
        return signs;
    }

    private ReaderSigns signs() throws StoreUnavailable {
        if (isUnavailable()) {
            throw new StoreUnavailable("no database", new IllegalStateException());
        }
        return new ReaderSigns(shown, reads, "" + recorded);
    }

    @Override
    public synchronized WriteOutcome show(boolean show) {
        if (isUnavailable()) {
            return new WriteOutcome.Unavailable("no database");
        }
        shown = show;
        return new WriteOutcome.Written(1, List.of());
    }

    @Override
    public synchronized WriteOutcome dump(List<Sample> vms, List<HostSample> sampledHosts) {
        vms.forEach(sample -> offered.put(sample.vmId(), sample));
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        if (throwsWith != null
                && vms.stream().anyMatch(sample -> sample.vmId().equals(throwsWith))) {
            throw new IllegalStateException("a bug");
        }
        int touched = 0;
        for (Sample sample : vms) {
            Sample before = samples.get(sample.vmId());
            Sample after =
                    before == null || sample.partsChanged() ? sample : joined(before, sample);
            samples.put(sample.vmId(), after);
            touched += touchedBy(before, after);
        }
        for (HostSample sample : sampledHosts) {
            HostSample before = hosts.put(sample.hostId(), sample);
            boolean same =
                    before != null
                            && before.statistics().equals(sample.statistics())
                            && before.usage().equals(sample.usage());
            touched += same ? 0 : 1;
        }
        return touched(touched);
    }

    /** A sample with unchanged interfaces or disks removes none of the existing ones. */
    private static Sample joined(Sample before, Sample now) {
        return new Sample(
                now.vmId(),
                now.cpuUserPercent(),
                now.cpuSystemPercent(),
                now.elapsedSeconds(),
                now.usageCpuPercent(),
                now.usageMemoryPercent(),
                now.usageNetworkPercent(),
                now.disksUsage(),
                now.memoryBufferedKibibytes(),
                now.memoryCachedKibibytes(),
                joined(before.nics(), now.nics(), NicSample::id),
                joined(before.disks(), now.disks(), DiskSample::imageId),
                false);
    }

    private static <T> List<T> joined(List<T> before, List<T> now, Function<T, UUID> key) {
        Map<UUID, T> parts = new LinkedHashMap<>();
        before.forEach(part -> parts.put(key.apply(part), part));
        now.forEach(part -> parts.put(key.apply(part), part));
        return List.copyOf(parts.values());
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
                List.of(),
                false);
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
