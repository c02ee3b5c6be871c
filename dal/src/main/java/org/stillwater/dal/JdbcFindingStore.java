package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.store.FindingStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import tools.jackson.databind.json.JsonMapper;

/** Findings in PostgreSQL. Their JSON has the names of components and constants. Thread-safe. */
final class JdbcFindingStore implements FindingStore {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcFindingStore.class);
    private static final JsonMapper MAPPER = Json.mapper().build();

    private static final List<Column<Finding>> COLUMNS =
            List.of(
                    Column.uuid("finding_id", Finding::id),
                    Column.time("detected_at", Finding::detectedAt),
                    Column.time("begins_at", Finding::begin),
                    Column.time("ended_at", Finding::endedAt),
                    Column.text("level", finding -> finding.where().level()),
                    Column.text("subject", finding -> finding.where().name()),
                    Column.json("details", MAPPER::writeValueAsString));

    private static final String SAVE =
            "INSERT INTO finding "
                    + Column.names(COLUMNS, "", "(", ")")
                    + " SELECT "
                    + Column.expressions(COLUMNS, "c")
                    + " FROM "
                    + Column.unnest(COLUMNS, "c")
                    + " ON CONFLICT (finding_id) DO UPDATE SET detected_at = excluded.detected_at,"
                    + " begins_at = excluded.begins_at, ended_at = excluded.ended_at,"
                    + " level = excluded.level, subject = excluded.subject,"
                    + " details = excluded.details";

    private static final String NEWEST =
            """
            SELECT details::text AS details
              FROM finding
             ORDER BY ended_at IS NOT NULL, detected_at DESC, finding_id
             LIMIT ?
            """;

    private static final String REMOVE = "DELETE FROM finding WHERE ended_at < ?";

    private final Transactions transactions;

    JdbcFindingStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public List<Finding> newest(int limit) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    List<Finding> found = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(NEWEST)) {
                        statement.setInt(1, limit);
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                read(row.getString("details"), found);
                            }
                        }
                    }
                    return found;
                });
    }

    /** A row that this engine cannot read hides no other one. */
    private static void read(String details, List<Finding> found) {
        try {
            found.add(Json.read(MAPPER, details, Finding.class));
        } catch (SQLDataException e) {
            LOG.warn("leaves out a finding: {}", e.getMessage());
        }
    }

    @Override
    public WriteOutcome save(List<Finding> findings) {
        return transactions.write(
                SqlStage.REGRESSIONS,
                findings,
                Finding::id,
                (connection, batch) -> {
                    try (PreparedStatement statement = connection.prepareStatement(SAVE)) {
                        Column.bind(statement, COLUMNS, batch);
                        return statement.executeUpdate();
                    }
                });
    }

    @Override
    public int removeEndedBefore(Instant time) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(REMOVE)) {
                        statement.setObject(1, time.atOffset(ZoneOffset.UTC));
                        return statement.executeUpdate();
                    }
                });
    }
}
