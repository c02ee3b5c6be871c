package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.xapi.client.RrdUpdates.Row;

/**
 * Metrics of one host and of the VMs on it. Each call gives the rows since the last one, by the
 * host's own clock, none of them twice. Not thread-safe: one for each host.
 */
public final class HostMetrics {

    /** Finest archive. Source: rrdd, protocol page §1.8. */
    public static final int STEP_SECONDS = 5;

    /**
     * Replies without rows from an old server after which its clock may have been set back: a
     * server without a new row gives one such reply, or two.
     */
    private static final int MOST_WITHOUT_ROWS = 3;

    /**
     * Before the last update of the host, at any second of a step: exactly one row has come since.
     * Source: rrd_updates.ml: rows are at multiples of a step, updates are not.
     */
    private static final String NEWEST_ROW = Integer.toString(1 - STEP_SECONDS);

    private final PoolConnection connection;
    private final String address;
    private final Duration timeout;
    private final RrdDecoder decoder;
    private long lastSeconds;

    /** Replies without rows from an old server, in a row. */
    private int withoutRows;

    /**
     * Everything that a host measures.
     *
     * @param address its own, not the coordinator's
     */
    public HostMetrics(PoolConnection connection, String address, Duration timeout) {
        this(connection, address, timeout, new RrdDecoder());
    }

    private HostMetrics(
            PoolConnection connection, String address, Duration timeout, RrdDecoder decoder) {
        this.connection = connection;
        this.address = address;
        this.timeout = timeout;
        this.decoder = decoder;
    }

    /**
     * Metrics limited to the columns that the engine shows.
     *
     * @param address the host's own, not the coordinator's
     * @param turn for reading a legend that is new
     */
    public static HostMetrics shown(
            PoolConnection connection, String address, Duration timeout, CpuTurn turn) {
        return new HostMetrics(
                connection, address, timeout, new RrdDecoder(RrdColumn::isShown, turn));
    }

    /**
     * Rows since the last call; the first call gives the newest. A relative start serves at first,
     * so that the host's clock does not matter, and again after that clock was set back.
     *
     * @throws XapiException.Protocol if the host has no metrics
     */
    public RrdUpdates poll() throws IOException {
        String start =
                lastSeconds == 0 || withoutRows >= MOST_WITHOUT_ROWS
                        ? NEWEST_ROW
                        : Long.toString(lastSeconds + 1);
        Transport.Answer response =
                connection.metrics(
                        address,
                        "&start="
                                + start
                                + "&interval="
                                + STEP_SECONDS
                                + "&cf=AVERAGE&host=true&json=true",
                        timeout);
        try (InputStream body = response.body()) {
            int status = response.status();
            if (status == 200) {
                withoutRows = 0;
                return fresh(decoder.decode(body));
            }
            if (status == 500 && lastSeconds != 0 && withoutRows < MOST_WITHOUT_ROWS) {
                // Servers before 2023 fail while there is no row yet; from the newest row on there
                // is always one.
                withoutRows++;
                return new RrdUpdates(STEP_SECONDS, lastSeconds, List.of(), List.of());
            }
            throw new XapiException.Protocol(address + " has no metrics: " + status, null);
        }
    }

    /**
     * The step marks rows of a coarser archive. Of these only the end counts, after which the next
     * call begins: on a host with a VM that is paused for long, a relative start is long ago.
     */
    private RrdUpdates fresh(RrdUpdates updates) {
        if (updates.stepSeconds() != STEP_SECONDS) {
            lastSeconds = updates.endSeconds();
            return updates;
        }
        if (updates.endSeconds() < lastSeconds) {
            lastSeconds = 0; // the host's clock was set back: no row comes after the last one
        }
        List<Row> rows = new ArrayList<>();
        for (Row each : updates.rows()) {
            if (each.seconds() > lastSeconds) {
                rows.add(each);
            }
        }
        if (!rows.isEmpty()) {
            lastSeconds = rows.getFirst().seconds();
        }
        return new RrdUpdates(
                updates.stepSeconds(), updates.endSeconds(), updates.columns(), List.copyOf(rows));
    }
}
