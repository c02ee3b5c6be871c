package org.stillwater.dal;

import java.time.Duration;

/**
 * History's own connections. Immutable.
 *
 * @param readers connections that questions use at most; the pool holds one more, for writing
 * @param connectTimeout longest wait for a connection, to the server or from the pool
 * @param statementTimeout longest time the server may work on one statement, a roll-up of all VMs
 *     included
 * @param networkTimeout longest silence of the server before a connection is given up; more than
 *     statementTimeout
 */
public record HistoryPoolSettings(
        int readers, Duration connectTimeout, Duration statementTimeout, Duration networkTimeout) {

    /** 2 readers, 5 s to connect, 2 min for a statement, 130 s of silence. */
    public static final HistoryPoolSettings DEFAULT =
            new HistoryPoolSettings(
                    2, Duration.ofSeconds(5), Duration.ofMinutes(2), Duration.ofSeconds(130));

    public HistoryPoolSettings {
        if (readers < 1) {
            throw new IllegalArgumentException("readers must be at least 1: " + readers);
        }
        DatabaseSettings.requireSeconds(connectTimeout, "connectTimeout");
        DatabaseSettings.requireSeconds(statementTimeout, "statementTimeout");
        if (networkTimeout.compareTo(statementTimeout) <= 0) {
            throw new IllegalArgumentException(
                    "networkTimeout must be longer than statementTimeout");
        }
    }
}
