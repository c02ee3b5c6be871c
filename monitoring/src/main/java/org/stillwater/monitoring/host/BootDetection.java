package org.stillwater.monitoring.host;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Which boot of a host its reports are of: stamps of two boots cannot be compared, because a host's
 * monotonic clock starts again. A boot shows by another boot id or another boot time; of a host
 * that reports no boot id, a new connection may be to another boot. Used by the host's thread only.
 */
final class BootDetection {

    /** A new boot moves a host's boot time by more than its rounding. */
    private static final long TOLERANCE_SECONDS = 5;

    /** Conclusion from a host's report of its boot id or boot time. */
    enum Boot {
        /** The boot that was known. */
        SAME,
        /** Perhaps another boot: until now the host did not report a boot id. */
        UNCERTAIN,
        /** Another boot. */
        ANOTHER
    }

    private final AtomicInteger uniqueNumbers;
    private int number;
    private @Nullable String id;
    private @Nullable Long timeSeconds;
    private int sessionOfStamps;

    /**
     * An unknown boot.
     *
     * @param uniqueNumbers gives each boot of any host its own number
     */
    BootDetection(AtomicInteger uniqueNumbers) {
        this.uniqueNumbers = uniqueNumbers;
        this.number = uniqueNumbers.incrementAndGet();
    }

    /** Number of the present boot; stamps are compared within one number only. */
    int number() {
        return number;
    }

    /**
     * The host reported its boot id.
     *
     * @param session counts connections and their losses; 1 is the first connection
     */
    Boot idTold(String reported, int session) {
        Boot boot = Boot.SAME;
        if (id == null && session > 1) {
            boot = Boot.UNCERTAIN;
        } else if (id != null && !id.equals(reported)) {
            boot = Boot.ANOTHER;
            timeSeconds = null; // the new boot time belongs to this boot
        }
        id = reported;
        return numbered(boot);
    }

    /** The host reported when it booted, in seconds since the epoch. */
    Boot timeTold(long reportedSeconds) {
        Boot boot = Boot.SAME;
        if (timeSeconds != null && Math.abs(reportedSeconds - timeSeconds) > TOLERANCE_SECONDS) {
            boot = Boot.ANOTHER;
            id = null; // the next boot id belongs to this boot
        }
        timeSeconds = reportedSeconds;
        return numbered(boot);
    }

    private Boot numbered(Boot boot) {
        if (boot != Boot.SAME) {
            number = uniqueNumbers.incrementAndGet();
        }
        return boot;
    }

    /**
     * The host became up or non-operational. It may have booted meanwhile, unless it reports its
     * boot id, which decides, or its connection stood all the time.
     *
     * @param session counts connections and their losses
     */
    void becameUsable(int session) {
        if (id == null && session != sessionOfStamps) {
            number = uniqueNumbers.incrementAndGet();
        }
        sessionOfStamps = session;
    }
}
