package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of the event stream {@code /api/v1/stream}.
 *
 * @param maxSubscribers streams open at the same time; one more is answered 503
 * @param heartBeat pause after which a comment is sent, so that both sides notice a dead connection
 * @param snapshotChunk entities in one snapshot event
 * @param retry pause that clients are told to wait before they connect again
 */
@ConfigurationProperties("stillwater.stream")
public record StreamSettings(
        @DefaultValue("200") int maxSubscribers,
        @DefaultValue("10s") Duration heartBeat,
        @DefaultValue("500") int snapshotChunk,
        @DefaultValue("2s") Duration retry) {

    public StreamSettings {
        Checks.number("stream.max-subscribers", maxSubscribers, 1, 10_000);
        Checks.duration(
                "stream.heart-beat", heartBeat, Duration.ofMillis(100), Duration.ofMinutes(5));
        Checks.number("stream.snapshot-chunk", snapshotChunk, 1, 10_000);
        Checks.duration("stream.retry", retry, Duration.ofMillis(100), Duration.ofMinutes(5));
    }
}
