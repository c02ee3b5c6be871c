package org.stillwater.core.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;

/**
 * Durable history of VMs and hosts. Its connections are its own: a slow store delays no other work.
 * Thread-safe; calls block.
 *
 * <p>Samples are kept sparsely: a row is written when it differs from its subject's row before, and
 * holds in its interval and in every later one of the same {@link Interval#base base} and {@link
 * Interval#run run}, up to the subject's next row among them. Readers see none of that: {@link
 * #read} returns sampled values.
 */
public interface HistoryStore {

    /**
     * One number over a time, oldest first. A time without a point has no data.
     *
     * @param id the VM or host that the metric's subject names
     * @param from inclusive
     * @param to exclusive
     * @throws StoreUnavailable if the database does not answer now
     */
    List<HistoryPoint> read(
            HistoryMetric metric, UUID id, HistoryTier tier, Instant from, Instant to)
            throws StoreUnavailable;

    /**
     * Writes one interval's samples, all or nothing, once: a repeated interval has no effect.
     *
     * @param interval interval of the samples
     * @param vms rows of VMs that differ from their row before
     * @param hosts rows of hosts that do
     * @throws StoreUnavailable if it is not known to be durable; the same call may be made again
     */
    Recorded write(Interval interval, Samples vms, Samples hosts) throws StoreUnavailable;

    /**
     * Writes one closed hour, all or nothing. If the hour exists already, written by another one,
     * it is computed again from its samples, like its day if that exists.
     *
     * @param hour the hour; its base is the first sample that memory held of it
     * @throws StoreUnavailable if it is not known to be durable; the same call may be made again
     */
    Recorded writeHour(Interval hour, RollUps vms, RollUps hosts) throws StoreUnavailable;

    /**
     * Computes an hour from its samples, whether it exists or not, and its day if that exists.
     *
     * @throws StoreUnavailable if it is not known to be durable; the same call may be made again
     */
    void rollUpHour(Instant hour) throws StoreUnavailable;

    /**
     * Reads the sums of the samples in a part of an hour, for an engine that was started in it.
     *
     * @param from the hour
     * @param before exclusive
     * @throws StoreUnavailable if the database does not answer now; the sink may have received
     *     values by then
     */
    void readPart(Instant from, Instant before, PartSink sink) throws StoreUnavailable;

    /**
     * Rolls up, from durable samples, every hour that has samples and is not rolled up, and then
     * every day that has hours and is not. A finished roll-up never changes. Samples may be kept
     * for longer than hours, and hours for longer than days: what is too old for its tier is left
     * out.
     *
     * @param before exclusive: when the oldest hour begins that is rolled up in memory
     * @throws StoreUnavailable if not all of it is done; the same call continues
     */
    RolledUp rollUp(Instant before) throws StoreUnavailable;

    /**
     * Creates partitions for coming samples and drops those that are too old, by the database's
     * clock.
     *
     * @param from for samples from this time on there is room afterwards, however old they are
     * @param until up to this one; at most 8 days later
     * @throws StoreUnavailable if the database cannot do it now
     */
    Maintenance maintain(Instant from, Instant until, Retention retention) throws StoreUnavailable;

    /**
     * Interval that the written rows belong to.
     *
     * @param at when it begins, in UTC at a multiple of the interval's length
     * @param base the interval of the same hour and run that was written in full, after which rows
     *     contain only differences
     * @param run when the recording engine began, or its clock was set back; to the microsecond. It
     *     distinguishes a batch with a lost answer from one of another engine, or of a repeated
     *     time after a clock change
     */
    record Interval(Instant at, Instant base, Instant run) {}

    /** Outcome of writing a batch. */
    enum Recorded {
        /** It is durable now. */
        NOW,
        /** An earlier attempt had made it durable. */
        BEFORE,
        /** Another engine, or the same one before its clock was set back, wrote that time. */
        BY_ANOTHER
    }

    /** Rows of samples, by their number; read once, in order. */
    interface Samples {

        /** No rows. */
        Samples NONE =
                new Samples() {
                    @Override
                    public int size() {
                        return 0;
                    }

                    @Override
                    public long idUpper(int row) {
                        throw new IndexOutOfBoundsException(row);
                    }

                    @Override
                    public long idLower(int row) {
                        throw new IndexOutOfBoundsException(row);
                    }

                    @Override
                    public float value(int row, int metric) {
                        throw new IndexOutOfBoundsException(row);
                    }
                };

        /** Number of rows. */
        int size();

        /** Upper 64 bits of the subject's identity. */
        long idUpper(int row);

        /** Lower 64 bits of the subject's identity. */
        long idLower(int row);

        /**
         * A value; NaN if it is not known.
         *
         * @param metric {@link HistoryMetric#index()}
         */
        float value(int row, int metric);
    }

    /** Rows of a closed hour, by their number; read once, in order. */
    interface RollUps {

        /** Number of rows. */
        int size();

        /** Upper 64 bits of the subject's identity. */
        long idUpper(int row);

        /** Lower 64 bits of the subject's identity. */
        long idLower(int row);

        /** Samples in which the number was known, 0 to 360: the shortest interval is 10 s. */
        int count(int row, int metric);

        /** Least value; undefined if it was never known. */
        float min(int row, int metric);

        /** Mean of the samples; undefined if it was never known. */
        float mean(int row, int metric);

        /** Largest value; undefined if it was never known. */
        float max(int row, int metric);
    }

    /** Receives the sums of samples. */
    @FunctionalInterface
    interface PartSink {

        /**
         * Sums of one metric.
         *
         * @param count at least 1
         */
        void part(
                HistoryMetric metric,
                long idUpper,
                long idLower,
                float min,
                double sum,
                float max,
                int count);
    }

    /**
     * Numbers of completed roll-ups.
     *
     * @param hours number of hours
     * @param days number of days
     */
    record RolledUp(int hours, int days) {}

    /**
     * How long history is kept. A partition goes when all of it is older.
     *
     * @param minutes samples, at least 1 h
     * @param hours roll-ups of hours, at least 1 day
     * @param days roll-ups of days, at least 1 day
     */
    record Retention(Duration minutes, Duration hours, Duration days) {}

    /**
     * Result of maintenance.
     *
     * @param created partitions made
     * @param dropped partitions dropped
     * @param busy tables of which something is too old and stays, because they are being read
     */
    record Maintenance(int created, int dropped, int busy) {}
}
