package org.stillwater.core.store;

import java.time.Instant;
import java.util.Comparator;
import org.stillwater.core.host.HostWork;

/**
 * Work about a host that no command has taken over yet. Ordered by age, then key; the reason is
 * ignored.
 *
 * @param work the work
 * @param since when monitoring came to the conclusion; kept to the microsecond
 */
public record OpenHostWork(HostWork work, Instant since) {

    /** The oldest first. */
    public static final Comparator<OpenHostWork> OLDEST_FIRST =
            Comparator.comparing(OpenHostWork::since)
                    .thenComparing(open -> open.work().host())
                    .thenComparingInt(open -> open.work().kind().code())
                    .thenComparingLong(open -> open.work().episode())
                    .thenComparingInt(open -> open.work().attempt());
}
