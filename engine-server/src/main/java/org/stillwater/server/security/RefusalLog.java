package org.stillwater.server.security;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.http.RequestPath;

/**
 * Counts requests that the guards of origin and host refuse, and records in log and audit log the
 * first one of each kind, then at most one per interval. Thread-safe.
 */
@Component
class RefusalLog {

    private static final Logger log = LoggerFactory.getLogger(RefusalLog.class);
    private static final Duration QUIET = Duration.ofMinutes(1);
    private static final int LONGEST = 128;

    private final SecurityAudit audit;
    private final ThrottledLog warnings;
    private final Counter origins;
    private final Counter hosts;

    RefusalLog(SecurityAudit audit, EngineClock clock, MeterRegistry meters) {
        this.audit = audit;
        this.warnings = new ThrottledLog(log, clock, QUIET, "requests");
        this.origins = counter(meters, "origin");
        this.hosts = counter(meters, "host");
    }

    private static Counter counter(MeterRegistry meters, String reason) {
        return Counter.builder("stillwater.http.refused")
                .description("requests refused for the origin of their page or for Host")
                .tag("reason", reason)
                .register(meters);
    }

    /** A page of another origin. */
    void origin(HttpServletRequest request) {
        origins.increment();
        String from =
                printable(request.getHeader(HttpHeaders.ORIGIN), "an origin that is not named");
        warnings.about(
                "refused for the origin of the page",
                "%s to %s %s from %s"
                        .formatted(
                                from,
                                printable(request.getMethod(), ""),
                                printable(RequestPath.of(request), ""),
                                ClientAddress.of(request)));
        audit.originRefused(from, ClientAddress.of(request));
    }

    /** Another host's name. */
    void host(HttpServletRequest request) {
        hosts.increment();
        String host = printable(request.getServerName(), "none");
        warnings.about(
                "refused for the header Host",
                "%s from %s".formatted(host, ClientAddress.of(request)));
        audit.hostRefused(host, ClientAddress.of(request));
    }

    private static String printable(@Nullable String text, String none) {
        if (text == null) {
            return none;
        }
        StringBuilder clean = new StringBuilder();
        text.codePoints()
                .limit(LONGEST)
                .forEach(c -> clean.append(c >= ' ' && c < 0x7f ? (char) c : '?'));
        return clean.toString();
    }
}
