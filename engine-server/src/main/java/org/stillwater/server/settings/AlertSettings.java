package org.stillwater.server.settings;

import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Delivery of alerts of rules and about findings of regressions.
 *
 * @param webhook URL that takes alerts in Alertmanager's webhook format by POST; empty for none
 * @param externalUrl URL of this engine as people reach it, for links in alerts; empty for none
 * @param queue alerts that may wait for each receiver; beyond it the oldest are dropped and
 *     counted, and sent when none waits any more
 * @param batch alerts in one request at most
 * @param timeout longest time for one request
 * @param firstRetry pause after a request or e-mail that failed; doubles up to {@code
 *     longest-retry}
 * @param longestRetry see {@code first-retry}
 */
@ConfigurationProperties("stillwater.alerts")
public record AlertSettings(
        @DefaultValue("") String webhook,
        @DefaultValue("") String externalUrl,
        @DefaultValue("1000") int queue,
        @DefaultValue("100") int batch,
        @DefaultValue("10s") Duration timeout,
        @DefaultValue("1s") Duration firstRetry,
        @DefaultValue("1m") Duration longestRetry) {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);

    public AlertSettings {
        checkUrl("alerts.webhook", webhook);
        checkUrl("alerts.external-url", externalUrl);
        Checks.number("alerts.queue", queue, 1, 1_000_000);
        Checks.number("alerts.batch", batch, 1, 10_000);
        Checks.duration("alerts.timeout", timeout, SHORTEST, Duration.ofMinutes(5));
        Checks.duration("alerts.first-retry", firstRetry, SHORTEST, HOUR);
        Checks.duration("alerts.longest-retry", longestRetry, firstRetry, HOUR);
    }

    private static void checkUrl(String name, String url) {
        if (url.isEmpty()) {
            return;
        }
        boolean fine;
        try {
            URI uri = URI.create(url);
            fine =
                    uri.getHost() != null
                            && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
        } catch (IllegalArgumentException _) {
            fine = false;
        }
        Checks.require(fine, name, "an http or https URL", "this");
    }
}
