package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.stillwater.monitoring.history.durable.DurableHistorySettings;

/**
 * Durable history of VMs and hosts: samples, hours and days in the database.
 *
 * @param enabled whether it is recorded; recorded history stays readable either way
 * @param interval time between two samples; an hour must be a multiple of it
 * @param minutes time for which samples are kept; an hour of them goes at once when all of it is
 *     older
 * @param hours time for which roll-ups of hours are kept; a month of them goes at once
 * @param days time for which roll-ups of days are kept; a year of them goes at once
 * @param ahead time ahead for which partitions exist
 * @param backlog intervals that may wait in memory while the database is unavailable; later ones
 *     are dropped
 * @param hourBacklog closed hours that may wait likewise; beyond it the oldest is dropped and
 *     computed from its samples
 * @param readers most connections of history queries; history's own pool holds one more for writing
 * @param connectTimeout longest wait for a connection
 * @param statementTimeout longest time that the server may work on one statement
 * @param networkTimeout longest silence of the server before a connection is closed; more than
 *     statement-timeout
 */
@ConfigurationProperties("stillwater.history.store")
public record HistoryStoreSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("1m") Duration interval,
        @DefaultValue("24h") Duration minutes,
        @DefaultValue("1440h") Duration hours,
        @DefaultValue("43824h") Duration days,
        @DefaultValue("3h") Duration ahead,
        @DefaultValue("10") int backlog,
        @DefaultValue("3") int hourBacklog,
        @DefaultValue("2") int readers,
        @DefaultValue("5s") Duration connectTimeout,
        @DefaultValue("2m") Duration statementTimeout,
        @DefaultValue("130s") Duration networkTimeout) {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    public HistoryStoreSettings {
        Checks.require(
                DurableHistorySettings.dividesAnHour(interval),
                "history.store.interval",
                "10s to 1h, and an hour a multiple of it",
                Checks.text(interval));
        Checks.duration(
                "history.store.minutes", minutes, HOUR.multipliedBy(2), DAY.multipliedBy(366));
        Checks.duration("history.store.hours", hours, DAY.multipliedBy(2), DAY.multipliedBy(3_660));
        Checks.duration("history.store.days", days, DAY.multipliedBy(2), DAY.multipliedBy(36_600));
        Checks.duration("history.store.ahead", ahead, HOUR, DAY.multipliedBy(7));
        Checks.number("history.store.backlog", backlog, 1, 1_000);
        Checks.number("history.store.hour-backlog", hourBacklog, 1, 100);
        Checks.number("history.store.readers", readers, 1, 100);
        Checks.duration("history.store.connect-timeout", connectTimeout, SECOND, HOUR);
        Checks.duration("history.store.statement-timeout", statementTimeout, SECOND, HOUR);
        Checks.duration(
                "history.store.network-timeout",
                networkTimeout,
                statementTimeout.plus(SECOND),
                HOUR.multipliedBy(2));
    }
}
