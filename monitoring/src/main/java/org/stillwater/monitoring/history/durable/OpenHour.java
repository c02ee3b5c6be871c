package org.stillwater.monitoring.history.durable;

import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * An hour in memory: the sums of its samples and the last written values of each subject. The
 * sampling thread fills it until the hour is over; the writing thread adds the records of an
 * earlier life of the engine about the same hour, and writes it once it is closed.
 */
final class OpenHour {

    private final Instant at;
    private final Instant first;
    private final Instant run;
    private final ReentrantLock lock = new ReentrantLock();
    private final HourOfSubjects vms;
    private final HourOfSubjects hosts;

    private volatile boolean trusted = true;

    // The sampling thread's own.
    private final float[] values = new float[HistoryMetric.values().length];
    private @Nullable Instant base;
    private int sample;

    /**
     * An hour without samples.
     *
     * @param at when it begins
     * @param first its first sample in this life of the engine
     * @param run run of the engine, which distinguishes it from the same hour of another life
     * @param expectedVms how many VMs to make room for
     */
    OpenHour(Instant at, Instant first, Instant run, int expectedVms) {
        this.at = at;
        this.first = first;
        this.run = run;
        this.vms = new HourOfSubjects(HistoryMetric.of(Subject.VM).size(), expectedVms);
        this.hosts = new HourOfSubjects(HistoryMetric.of(Subject.HOST).size(), 0);
    }

    Instant at() {
        return at;
    }

    /** The first sample that memory holds of it. */
    Instant first() {
        return first;
    }

    /** The oldest sample with valid rows; null if the next one must be written completely. */
    @Nullable Instant base() {
        return base;
    }

    /** Whether the sums in memory match, or may match, the recorded samples. */
    boolean isTrusted() {
        return trusted;
    }

    /** From now on it is not. */
    void distrust() {
        trusted = false;
    }

    /** The next sample is written in full. */
    void beginAnew() {
        base = null;
        lock.lock();
        try {
            vms.forgetWritten();
            hosts.forgetWritten();
        } finally {
            lock.unlock();
        }
    }

    /** Rows of one sample that changed. */
    record Changed(SampleRows vms, SampleRows hosts) {}

    /**
     * Samples all subjects. For the sampling thread.
     *
     * @param oldestMillis values observed before this time, ms since the epoch, are too old
     * @param write whether the sample is written; otherwise the next written one contains its
     *     changes
     * @return values that differ from the last written ones, null if the sample is not written
     */
    @Nullable Changed take(HistorySource source, Instant when, long oldestMillis, boolean write) {
        sample++;
        Changed changed =
                write
                        ? new Changed(
                                new SampleRows(metrics(Subject.VM)),
                                new SampleRows(metrics(Subject.HOST)))
                        : null;
        lock.lock();
        try {
            if (write && base == null) {
                base = when;
            }
            source.vms(
                    visitor(vms, Subject.VM, oldestMillis, changed == null ? null : changed.vms()));
            source.hosts(
                    visitor(
                            hosts,
                            Subject.HOST,
                            oldestMillis,
                            changed == null ? null : changed.hosts()));
            if (changed != null) {
                vms.endOthers(sample, changed.vms());
                hosts.endOthers(sample, changed.hosts());
            }
        } finally {
            lock.unlock();
        }
        return changed;
    }

    private static int metrics(Subject subject) {
        return HistoryMetric.of(subject).size();
    }

    private HistorySource.Visitor visitor(
            HourOfSubjects into, Subject subject, long oldestMillis, @Nullable SampleRows changed) {
        int metrics = metrics(subject);
        return (upper, lower, observedMillis, all) -> {
            boolean known = observedMillis != 0 && observedMillis >= oldestMillis;
            for (int metric = 0; metric < metrics; metric++) {
                values[metric] = known ? (float) all[metric] : Float.NaN;
            }
            into.take(upper, lower, values, sample, changed);
        };
    }

    /**
     * Adds the durable samples of the hour before its first sample in memory. For the writing
     * thread.
     */
    void restore(HistoryStore store) throws StoreUnavailable {
        // Aside first: a failure in the middle must leave no half of it behind.
        HourOfSubjects pastVms = new HourOfSubjects(metrics(Subject.VM), 0);
        HourOfSubjects pastHosts = new HourOfSubjects(metrics(Subject.HOST), 0);
        store.readPart(
                at,
                first,
                (metric, upper, lower, min, sum, max, count) ->
                        (metric.subject() == Subject.VM ? pastVms : pastHosts)
                                .add(upper, lower, metric.index(), min, sum, max, count));
        lock.lock();
        try {
            vms.merge(pastVms);
            hosts.merge(pastHosts);
        } finally {
            lock.unlock();
        }
    }

    /** Writes it once it is closed. For the writing thread. */
    HistoryStore.Recorded write(HistoryStore store) throws StoreUnavailable {
        return store.writeHour(new HistoryStore.Interval(at, first, run), vms, hosts);
    }

    /** VMs and hosts in it. */
    int subjects() {
        return vms.size() + hosts.size();
    }
}
