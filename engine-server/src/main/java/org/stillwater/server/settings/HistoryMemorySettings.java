package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * History of every VM and host in memory, a sample per statistics cycle.
 *
 * @param span time for which a sample is kept; 0 for no samples in memory
 * @param size most memory that the samples of one VM or host take; when it is used up, the oldest
 *     go early. The default holds an hour of a VM whose numbers all change in every cycle; an idle
 *     VM takes about a hundred bytes
 */
@ConfigurationProperties("stillwater.history.memory")
public record HistoryMemorySettings(
        @DefaultValue("1h") Duration span, @DefaultValue("3KB") DataSize size) {

    private static final Duration LEAST = Duration.ofMinutes(1);
    private static final Duration MOST = Duration.ofHours(17);

    public HistoryMemorySettings {
        Checks.require(
                span.isZero() || (span.compareTo(LEAST) >= 0 && span.compareTo(MOST) <= 0),
                "history.memory.span",
                "0 (none), or " + Checks.text(LEAST) + " to " + Checks.text(MOST),
                Checks.text(span));
        Checks.size("history.memory.size", size, DataSize.ofBytes(256), DataSize.ofKilobytes(32));
    }
}
