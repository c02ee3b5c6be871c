package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of answers about history.
 *
 * @param points approximate number of points of an answer without a given step
 * @param maxValues most points of time times metrics in an answer
 */
@ConfigurationProperties("stillwater.history.query")
public record HistoryQuerySettings(
        @DefaultValue("500") int points, @DefaultValue("20000") int maxValues) {

    public HistoryQuerySettings {
        Checks.number("history.query.max-values", maxValues, 100, 10_000_000);
        Checks.number("history.query.points", points, 1, maxValues);
    }
}
