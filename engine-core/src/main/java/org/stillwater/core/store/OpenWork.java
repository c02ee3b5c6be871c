package org.stillwater.core.store;

import java.time.Instant;
import java.util.Comparator;
import org.stillwater.core.vm.PendingWork;

/**
 * Work that no command has taken over yet. Ordered by age, then key; host and reason are ignored.
 *
 * @param work the work
 * @param since when monitoring came to the conclusion; kept to the microsecond
 */
public record OpenWork(PendingWork work, Instant since) {

    /** The oldest first. */
    public static final Comparator<OpenWork> OLDEST_FIRST =
            Comparator.comparing(OpenWork::since)
                    .thenComparing(open -> open.work().vmId())
                    .thenComparingInt(open -> open.work().kind().code())
                    .thenComparingLong(open -> open.work().generation());
}
