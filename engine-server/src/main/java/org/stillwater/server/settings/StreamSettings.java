package org.stillwater.server.settings;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of the event stream {@code /api/v1/stream}, and of the same over WebSocket.
 *
 * @param maxSubscribers streams open at the same time, of both kinds; one more is answered 503
 * @param maxPerUser streams of one user at the same time, however the user logged in; one more is
 *     answered 429
 * @param maxPerAddress streams from one address (of IPv6, one /64 network) at the same time; one
 *     more is answered 429
 * @param heartBeat pause after which a comment is sent, so that both sides notice a dead
 *     connection; at most 20s, because the console gives up a stream after 25 s of silence
 * @param spacing shortest time between two messages to a reader with 500 or more readers,
 *     proportionally less with fewer: changes in between form one message, so that many readers
 *     cost few wake-ups; a change after a pause is sent at once
 * @param snapshotChunk entities in one snapshot event; VMs by columns four times as many
 * @param snapshotTurns readers of the whole fleet that receive their snapshots at the same time;
 *     further ones wait for their turn and get heart-beats. After two seconds the next reader
 *     begins beside a slow one
 * @param retry pause for clients before they connect again
 * @param firstMessage wait for the subscription of a WebSocket without a query; then the engine
 *     sends everything
 * @param sendTimeout how long a WebSocket may take to receive one message; then it is closed.
 *     {@code server.tomcat.connection-timeout} limits readers of server-sent events
 * @param allowedOrigins origins, separated by commas, of pages that may open a WebSocket, besides
 *     the engine's own, such as https://console.example.org; * for all
 * @param accessCheck interval of the access check of open streams, in memory; a stream ends without
 *     access
 */
@ConfigurationProperties("stillwater.stream")
public record StreamSettings(
        @DefaultValue("1000") int maxSubscribers,
        @DefaultValue("100") int maxPerUser,
        @DefaultValue("200") int maxPerAddress,
        @DefaultValue("10s") Duration heartBeat,
        @DefaultValue("20ms") Duration spacing,
        @DefaultValue("500") int snapshotChunk,
        @DefaultValue("4") int snapshotTurns,
        @DefaultValue("2s") Duration retry,
        @DefaultValue("500ms") Duration firstMessage,
        @DefaultValue("20s") Duration sendTimeout,
        @DefaultValue List<String> allowedOrigins,
        @DefaultValue("1s") Duration accessCheck) {

    public StreamSettings {
        Checks.number("stream.max-subscribers", maxSubscribers, 1, 10_000);
        Checks.number("stream.max-per-user", maxPerUser, 1, 10_000);
        Checks.number("stream.max-per-address", maxPerAddress, 1, 10_000);
        Checks.duration(
                "stream.heart-beat", heartBeat, Duration.ofMillis(100), Duration.ofSeconds(20));
        Checks.duration("stream.spacing", spacing, Duration.ZERO, Duration.ofSeconds(5));
        Checks.number("stream.snapshot-chunk", snapshotChunk, 1, 10_000);
        Checks.number("stream.snapshot-turns", snapshotTurns, 1, 1_000);
        Checks.duration("stream.retry", retry, Duration.ofMillis(100), Duration.ofMinutes(5));
        Checks.duration(
                "stream.first-message", firstMessage, Duration.ofMillis(10), Duration.ofMinutes(1));
        Checks.duration(
                "stream.send-timeout", sendTimeout, Duration.ofMillis(10), Duration.ofMinutes(5));
        Checks.duration(
                "stream.access-check", accessCheck, Duration.ofMillis(10), Duration.ofSeconds(30));
        allowedOrigins = List.copyOf(allowedOrigins);
    }
}
