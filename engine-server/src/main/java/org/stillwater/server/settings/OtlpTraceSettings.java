package org.stillwater.server.settings;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Push of traces to an OpenTelemetry collector: a sample of the statistics cycles of hosts and of
 * the operations, one trace each.
 *
 * @param enabled whether they are pushed
 * @param url the collector's address for traces over HTTP
 * @param cyclesInTenThousand statistics cycles of 10 000 that become traces
 * @param operationsInTenThousand operations of 10 000 that become traces
 * @param interval time from one push to the next; a host has at most one cycle in it
 * @param queue traces that may wait for a push; more are dropped and counted
 * @param timeout longest time for a push to connect, and to be answered
 * @param headers sent with each push, such as a credential
 */
@ConfigurationProperties("stillwater.otlp-traces")
public record OtlpTraceSettings(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("http://localhost:4318/v1/traces") URI url,
        @DefaultValue("100") int cyclesInTenThousand,
        @DefaultValue("10000") int operationsInTenThousand,
        @DefaultValue("5s") Duration interval,
        @DefaultValue("2000") int queue,
        @DefaultValue("10s") Duration timeout,
        @DefaultValue Map<String, String> headers) {

    private static final int ALL = 10_000;

    public OtlpTraceSettings {
        Checks.require(
                "http".equals(url.getScheme()) || "https".equals(url.getScheme()),
                "otlp-traces.url",
                "an http or https address",
                url.toString());
        Checks.number("otlp-traces.cycles-in-ten-thousand", cyclesInTenThousand, 0, ALL);
        Checks.number("otlp-traces.operations-in-ten-thousand", operationsInTenThousand, 0, ALL);
        Checks.duration(
                "otlp-traces.interval", interval, Duration.ofMillis(100), Duration.ofMinutes(10));
        Checks.number("otlp-traces.queue", queue, 1, 1_000_000);
        Checks.duration(
                "otlp-traces.timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(5));
        headers = Map.copyOf(headers);
    }

    /** A header's value may be a secret. */
    @Override
    public String toString() {
        return "OtlpTraceSettings[enabled="
                + enabled
                + ", url="
                + url
                + ", cyclesInTenThousand="
                + cyclesInTenThousand
                + ", operationsInTenThousand="
                + operationsInTenThousand
                + ", interval="
                + interval
                + "]";
    }
}
