package org.stillwater.server.settings;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Push of the engine's own meters to an OpenTelemetry collector.
 *
 * @param enabled whether they are pushed
 * @param url the collector's address for metrics over HTTP
 * @param interval time from one push to the next
 * @param timeout longest time for a push to connect, and to be answered
 * @param headers sent with each push, such as a credential
 */
@ConfigurationProperties("stillwater.otlp")
public record OtlpSettings(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("http://localhost:4318/v1/metrics") URI url,
        @DefaultValue("1m") Duration interval,
        @DefaultValue("10s") Duration timeout,
        @DefaultValue Map<String, String> headers) {

    public OtlpSettings {
        Checks.require(
                "http".equals(url.getScheme()) || "https".equals(url.getScheme()),
                "otlp.url",
                "an http or https address",
                url.toString());
        Checks.duration("otlp.interval", interval, Duration.ofMillis(100), Duration.ofHours(1));
        Checks.duration("otlp.timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(5));
        headers = Map.copyOf(headers);
    }

    /** A header's value may be a secret. */
    @Override
    public String toString() {
        return "OtlpSettings[enabled=" + enabled + ", url=" + url + ", interval=" + interval + "]";
    }
}
