package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits on the requests of one client. A client is a user, or an address without a login. Streams
 * are not counted here; they have a limit of their own.
 *
 * @param atOnce requests of one client in progress at the same time; more wait
 * @param waiting requests of one client that wait; more are refused with 429
 * @param patience longest wait of a request before it is refused
 * @param maxQuery longest query of an address
 * @param perSecond requests of one client per second, on average; 0 for any number. More are
 *     refused with 429 at once
 * @param burst requests of one client that may come at once after a pause, where perSecond is set
 */
@ConfigurationProperties("stillwater.admission")
public record AdmissionSettings(
        @DefaultValue("64") int atOnce,
        @DefaultValue("10000") int waiting,
        @DefaultValue("10s") Duration patience,
        @DefaultValue("8192") int maxQuery,
        @DefaultValue("0") int perSecond,
        @DefaultValue("200") int burst) {

    public AdmissionSettings {
        Checks.number("admission.at-once", atOnce, 1, 100_000);
        Checks.number("admission.waiting", waiting, 0, 100_000);
        Checks.duration("admission.patience", patience, Duration.ZERO, Duration.ofMinutes(1));
        Checks.number("admission.max-query", maxQuery, 256, 65_536);
        Checks.number("admission.per-second", perSecond, 0, 1_000_000);
        Checks.number("admission.burst", burst, 1, 1_000_000);
    }
}
