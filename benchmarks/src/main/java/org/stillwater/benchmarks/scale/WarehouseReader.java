package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads every view of samples once a minute, as the collector of a data warehouse does, so that the
 * engine dumps statistics. A thread of its own, from the first minute until it is closed.
 */
final class WarehouseReader implements AutoCloseable {

    /** Time between two samples of the collector. */
    private static final Duration INTERVAL = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final List<String> VIEWS =
            List.of(
                    "dwh_host_history_view",
                    "dwh_host_interface_history_view",
                    "dwh_vm_history_view",
                    "dwh_vm_interface_history_view",
                    "dwh_vm_disks_history_view");

    private final Connection connection;
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch stop = new CountDownLatch(1);
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread;

    private WarehouseReader(Connection connection) {
        this.connection = connection;
        this.thread = Thread.ofPlatform().name("warehouse-reader").daemon().unstarted(this::run);
    }

    /** Begins to read; the first sample has been read when it returns. */
    static WarehouseReader start(EngineProcess engine) throws IOException, InterruptedException {
        try {
            WarehouseReader reader = new WarehouseReader(engine.connectToDatabase());
            reader.thread.start();
            boolean _ = reader.first.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return reader;
        } catch (SQLException e) {
            throw new IOException("the warehouse cannot read: " + e.getMessage(), e);
        }
    }

    private void run() {
        try (connection) {
            do {
                for (String view : VIEWS) {
                    read(view);
                }
                first.countDown();
            } while (!stop.await(INTERVAL.toSeconds(), TimeUnit.SECONDS));
        } catch (SQLException | InterruptedException e) {
            failure.set(e);
        } finally {
            first.countDown();
        }
    }

    private void read(String view) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM " + view)) {
            while (row.next()) {
                // read, as the collector does, and not kept
            }
        }
    }

    /**
     * Ends the reading.
     *
     * @throws BenchFailure if it ended before by itself
     */
    @Override
    public void close() {
        stop.countDown();
        Exception ended = failure.get();
        if (ended != null) {
            throw new BenchFailure("the warehouse could not read: " + ended);
        }
    }
}
