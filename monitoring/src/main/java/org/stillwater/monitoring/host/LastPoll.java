package org.stillwater.monitoring.host;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.VmReports;
import org.stillwater.monitoring.host.HostHealth.AnalysisTrouble;

/** The newest complete poll of a host. Written by the host's thread, read by any. */
final class LastPoll {

    private volatile long receivedNanos;
    private volatile long fetchedNanos;
    private volatile @Nullable Instant at;
    private volatile @Nullable AnalysisTrouble trouble;

    /**
     * A complete poll has been analysed.
     *
     * @param failed VMs with reports that were not processed
     * @param reason the first of them and the exception; empty for none
     */
    void analysed(VmReports reports, Instant now, int failed, String reason) {
        receivedNanos = reports.receivedNanos();
        fetchedNanos = reports.fetchedNanos();
        at = now;
        AnalysisTrouble before = trouble;
        trouble =
                failed == 0
                        ? null
                        : new AnalysisTrouble(
                                failed, reason, before == null ? now : before.since());
    }

    /** VMs with reports that were not processed; null for none. */
    @Nullable AnalysisTrouble trouble() {
        return trouble;
    }

    /** When it was analysed; null before the first. */
    @Nullable Instant at() {
        return at;
    }

    /** When its answer arrived, monotonic; meaningless before the first. */
    long receivedNanos() {
        return receivedNanos;
    }

    /** When it was requested, monotonic; meaningless before the first. */
    long requestedNanos() {
        return fetchedNanos;
    }

    /** Whether a poll that was requested after this time has been analysed. */
    boolean isSince(long nanos) {
        return at != null && fetchedNanos - nanos > 0;
    }

    /** Its age in seconds; NaN before the first. */
    double ageSeconds(long nowNanos) {
        return at == null ? Double.NaN : (nowNanos - receivedNanos) / 1e9;
    }
}
