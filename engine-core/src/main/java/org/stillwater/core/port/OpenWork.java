package org.stillwater.core.port;

import java.time.Instant;
import org.stillwater.core.model.PendingWork;

/**
 * Work that no command has taken over yet.
 *
 * @param work what is to be done
 * @param since when monitoring came to the conclusion; kept to the microsecond
 */
public record OpenWork(PendingWork work, Instant since) {}
