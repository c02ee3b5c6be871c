package org.stillwater.monitoring.host;

import java.time.Instant;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.vm.ReportSource;

/**
 * The message with the reports under analysis, or with a parked report. Shared by the parts that
 * analyse it. Used by the host's thread only.
 */
final class ReportMessage {

    /** Source of the message. */
    ReportSource source;

    /** When it arrived, monotonic. */
    long receivedNanos;

    /** When it is analysed. */
    Instant now = Instant.EPOCH;

    /** The same, in milliseconds since the epoch. */
    long nowEpochMillis;

    /** Number of the complete poll; 0 for anything else. */
    int poll;

    /** No message yet. */
    ReportMessage(HostId host) {
        this.source = new ReportSource(host, 0, 0, false, 0);
    }

    /** Whether it is a complete poll. */
    boolean isPoll() {
        return poll != 0;
    }

    /** It is analysed now. */
    void analysedNow(EngineClock clock) {
        now = clock.now();
        nowEpochMillis = now.toEpochMilli();
    }
}
