package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.store.BenchmarkStore;
import org.stillwater.core.store.StoreUnavailable;
import tools.jackson.databind.json.JsonMapper;

/** Benchmark runs in PostgreSQL. Their JSON has the names of components. Thread-safe. */
final class JdbcBenchmarkStore implements BenchmarkStore {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcBenchmarkStore.class);
    private static final JsonMapper MAPPER = Json.mapper().build();

    private static final String NEWEST =
            """
            SELECT details::text AS details
              FROM benchmark_run
             ORDER BY started_at DESC, run_id DESC
             LIMIT ?
            """;

    private static final String FIND =
            "SELECT details::text AS details FROM benchmark_run WHERE run_id = ?";

    private static final String ADD =
            """
            INSERT INTO benchmark_run (run_id, started_at, subject, details)
            VALUES (?, ?, ?, ?::jsonb)
                ON CONFLICT (run_id) DO NOTHING
            """;

    private final Transactions transactions;

    JdbcBenchmarkStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public List<BenchmarkRun> newest(int limit) throws StoreUnavailable {
        return read(NEWEST, limit);
    }

    @Override
    public @Nullable BenchmarkRun find(UUID id) throws StoreUnavailable {
        List<BenchmarkRun> found = read(FIND, id);
        return found.isEmpty() ? null : found.getFirst();
    }

    /** A row that this engine cannot read hides no other one. */
    private List<BenchmarkRun> read(String sql, Object value) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    List<BenchmarkRun> found = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        statement.setObject(1, value);
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                try {
                                    found.add(
                                            Json.read(
                                                    MAPPER,
                                                    row.getString("details"),
                                                    BenchmarkRun.class));
                                } catch (SQLDataException e) {
                                    LOG.warn("leaves out a benchmark run: {}", e.getMessage());
                                }
                            }
                        }
                    }
                    return found;
                });
    }

    @Override
    public boolean add(BenchmarkRun run) throws StoreUnavailable {
        return update(
                        ADD,
                        run.id(),
                        run.startedAt().atOffset(ZoneOffset.UTC),
                        run.subject().key(),
                        MAPPER.writeValueAsString(run))
                > 0;
    }

    @Override
    public boolean remove(UUID id) throws StoreUnavailable {
        return update("DELETE FROM benchmark_run WHERE run_id = ?", id) > 0;
    }

    @Override
    public int removeBefore(Instant time) throws StoreUnavailable {
        return update(
                "DELETE FROM benchmark_run WHERE started_at < ?", time.atOffset(ZoneOffset.UTC));
    }

    private int update(String sql, Object... values) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS, connection -> execute(connection, sql, values));
    }

    private static int execute(Connection connection, String sql, Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
