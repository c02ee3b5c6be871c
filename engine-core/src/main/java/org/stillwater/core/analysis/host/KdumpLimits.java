package org.stillwater.core.analysis.host;

import java.time.Duration;

/**
 * Times that a silent host gets to report a kernel dump, and to write it (monitoring specification
 * §3.6). All are positive.
 *
 * @param first how long a host that is to be fenced is listened to before it counts as one that
 *     writes no dump
 * @param quiet time without a message after which a dump is over; several times the pause between
 *     messages, which is 10 s unless fence_kdump_send is set otherwise
 * @param longest longest time for which a dump holds fencing back
 */
public record KdumpLimits(Duration first, Duration quiet, Duration longest) {

    /** Values of the specification; a dump may take as long as one attempt to fence. */
    public static final KdumpLimits DEFAULT =
            new KdumpLimits(Duration.ofSeconds(30), Duration.ofSeconds(90), Duration.ofMinutes(8));

    public KdumpLimits {
        for (Duration limit : new Duration[] {first, quiet, longest}) {
            if (!limit.isPositive()) {
                throw new IllegalArgumentException("times of kernel dumps are positive");
            }
        }
    }
}
