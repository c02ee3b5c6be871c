package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.Silence;
import org.stillwater.core.store.AlertStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import tools.jackson.databind.json.JsonMapper;

/**
 * Alert rules, silences and alerts in PostgreSQL. Their JSON has the names of components and
 * constants. Thread-safe.
 */
final class JdbcAlertStore implements AlertStore {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcAlertStore.class);
    private static final JsonMapper MAPPER = Json.mapper().build();
    private static final int MOST_RULES = 10_000;

    private static final List<Column<Alert>> COLUMNS =
            List.of(
                    Column.uuid("alert_id", Alert::id),
                    Column.uuid("rule_id", Alert::rule),
                    Column.time("fired_at", Alert::firedAt),
                    Column.time("resolved_at", Alert::resolvedAt),
                    Column.json("details", MAPPER::writeValueAsString));

    private static final String SAVE =
            "INSERT INTO alert "
                    + Column.names(COLUMNS, "", "(", ")")
                    + " SELECT "
                    + Column.expressions(COLUMNS, "c")
                    + " FROM "
                    + Column.unnest(COLUMNS, "c")
                    + " ON CONFLICT (alert_id) DO UPDATE SET rule_id = excluded.rule_id,"
                    + " fired_at = excluded.fired_at, resolved_at = excluded.resolved_at,"
                    + " details = excluded.details";

    private static final String ALERTS =
            """
            SELECT details::text AS details
              FROM alert
             ORDER BY resolved_at IS NOT NULL, fired_at DESC, alert_id
             LIMIT ?
            """;

    private static final String RULES =
            "SELECT details::text AS details FROM alert_rule ORDER BY name COLLATE \"C\" LIMIT ?";

    private static final String SILENCES =
            """
            SELECT details::text AS details
              FROM alert_silence
             ORDER BY ends_at, silence_id
             LIMIT ?
            """;

    // A name that another rule has stops the statement from doing anything.
    private static final String SAVE_RULE =
            """
            INSERT INTO alert_rule (rule_id, name, details)
            SELECT ?, ?, ?::jsonb
             WHERE NOT EXISTS (SELECT FROM alert_rule WHERE name = ? AND rule_id <> ?)
                ON CONFLICT (rule_id) DO UPDATE SET name = excluded.name, details = excluded.details
            """;

    private static final String SAVE_SILENCE =
            """
            INSERT INTO alert_silence (silence_id, ends_at, details)
            VALUES (?, ?, ?::jsonb)
                ON CONFLICT (silence_id) DO UPDATE
               SET ends_at = excluded.ends_at, details = excluded.details
            """;

    private final Transactions transactions;

    JdbcAlertStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public List<AlertRule> rules() throws StoreUnavailable {
        return read(RULES, MOST_RULES, AlertRule.class);
    }

    @Override
    public List<Silence> silences() throws StoreUnavailable {
        return read(SILENCES, MOST_RULES, Silence.class);
    }

    @Override
    public List<Alert> alerts(int limit) throws StoreUnavailable {
        return read(ALERTS, limit, Alert.class);
    }

    /** A row that this engine cannot read hides no other one. */
    private <T> List<T> read(String sql, int limit, Class<T> type) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    List<T> found = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        statement.setInt(1, limit);
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                try {
                                    found.add(Json.read(MAPPER, row.getString("details"), type));
                                } catch (SQLDataException e) {
                                    LOG.warn("leaves out a row of alerts: {}", e.getMessage());
                                }
                            }
                        }
                    }
                    return found;
                });
    }

    @Override
    public boolean save(AlertRule rule) throws StoreUnavailable {
        return update(
                        SAVE_RULE,
                        rule.id(),
                        rule.alert(),
                        MAPPER.writeValueAsString(rule),
                        rule.alert(),
                        rule.id())
                > 0;
    }

    @Override
    public boolean removeRule(UUID id) throws StoreUnavailable {
        return update("DELETE FROM alert_rule WHERE rule_id = ?", id) > 0;
    }

    @Override
    public void save(Silence silence) throws StoreUnavailable {
        int _ =
                update(
                        SAVE_SILENCE,
                        silence.id(),
                        silence.endsAt().atOffset(ZoneOffset.UTC),
                        MAPPER.writeValueAsString(silence));
    }

    @Override
    public boolean removeSilence(UUID id) throws StoreUnavailable {
        return update("DELETE FROM alert_silence WHERE silence_id = ?", id) > 0;
    }

    private int update(String sql, Object... values) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS, connection -> execute(connection, sql, values));
    }

    private static int execute(java.sql.Connection connection, String sql, Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    @Override
    public WriteOutcome saveAlerts(List<Alert> alerts) {
        return transactions.write(
                SqlStage.REGRESSIONS,
                alerts,
                Alert::id,
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
                    Object before = time.atOffset(ZoneOffset.UTC);
                    return execute(connection, "DELETE FROM alert WHERE resolved_at < ?", before)
                            + execute(
                                    connection,
                                    "DELETE FROM alert_silence WHERE ends_at < ?",
                                    before);
                });
    }
}
