package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.BeliefRule;

/** Transitions in PostgreSQL: one array statement for each kind of subject. Thread-safe. */
final class JdbcBeliefStore implements BeliefStore {

    private static final Map<String, BeliefRule> VM_RULES = rules(VmRule.values());
    private static final Map<String, BeliefRule> HOST_RULES = rules(HostTransition.values());

    private static final String APPEND_VMS = append("vm");
    private static final String APPEND_HOSTS = append("host");
    private static final String NEWEST_OF_VM = newest("vm");
    private static final String NEWEST_OF_HOST = newest("host");
    private static final String MAINTAIN =
            "SELECT created, dropped FROM maintain_beliefs(?, ?, ?::interval)";

    private final Transactions transactions;

    JdbcBeliefStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static Map<String, BeliefRule> rules(BeliefRule[] all) {
        Map<String, BeliefRule> rules = new HashMap<>();
        for (BeliefRule rule : all) {
            rules.put(rule.label(), rule);
        }
        return Map.copyOf(rules);
    }

    private static List<Column<Row>> columns(String subject) {
        return List.of(
                Column.uuid(subject + "_id", Row::id),
                Column.time("at", row -> row.belief().at()),
                Column.of("revision", SqlType.BIGINT, Row::revision),
                Column.time("received_at", row -> row.belief().receivedAt()),
                Column.of("cause", SqlType.SMALLINT, row -> row.belief().cause().code()),
                Column.uuid("reporter_id", row -> value(row.belief().reporter())),
                Column.of("host_stamp", SqlType.BIGINT, row -> row.belief().hostStampMillis()),
                Column.text("rule", row -> row.belief().rule().label()),
                Column.of("scenario", SqlType.SMALLINT, row -> row.belief().rule().scenario()),
                Column.of("before", SqlType.SMALLINT, row -> row.belief().before()),
                Column.of("status", SqlType.SMALLINT, row -> row.belief().status()),
                Column.uuid("run_on", row -> value(row.belief().host())),
                Column.uuid("migrating_to", row -> value(row.belief().target())),
                Column.integer("decided", row -> row.belief().decided()));
    }

    private static @Nullable UUID value(@Nullable HostId host) {
        return host == null ? null : host.value();
    }

    private static String append(String subject) {
        List<Column<Row>> columns = columns(subject);
        return "INSERT INTO "
                + subject
                + "_belief "
                + Column.names(columns, "", "(", ")")
                + " SELECT "
                + Column.expressions(columns, "c")
                + " FROM "
                + Column.unnest(columns, "c")
                + " ON CONFLICT DO NOTHING";
    }

    private static String newest(String subject) {
        return """
        SELECT at, received_at, cause, reporter_id, host_stamp, rule, scenario, before, status, run_on, migrating_to, decided
          FROM %1$s_belief
         WHERE %1$s_id = ? AND at <= ?
         ORDER BY at DESC, revision DESC
         LIMIT ?
        """
                .formatted(subject);
    }

    @Override
    public WriteOutcome append(List<Row> rows) {
        return transactions.write(
                SqlStage.BELIEFS,
                rows,
                row -> row.subject() + " " + row.id() + " " + row.belief().at(),
                (connection, batch) ->
                        append(connection, Subject.VM, APPEND_VMS, columns("vm"), batch)
                                + append(
                                        connection,
                                        Subject.HOST,
                                        APPEND_HOSTS,
                                        columns("host"),
                                        batch));
    }

    private static int append(
            Connection connection,
            Subject subject,
            String sql,
            List<Column<Row>> columns,
            List<Row> batch)
            throws SQLException {
        List<Row> own = batch.stream().filter(row -> row.subject() == subject).toList();
        if (own.isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Column.bind(statement, columns, own);
            return statement.executeUpdate();
        }
    }

    @Override
    public List<Belief> newest(Subject subject, UUID id, Instant until, int limit)
            throws StoreUnavailable {
        String sql =
                switch (subject) {
                    case VM -> NEWEST_OF_VM;
                    case HOST -> NEWEST_OF_HOST;
                };
        return transactions.runOrUnavailable(
                SqlStage.BELIEFS,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        statement.setObject(1, id);
                        statement.setObject(2, until.atOffset(ZoneOffset.UTC));
                        statement.setInt(3, limit);
                        try (ResultSet row = statement.executeQuery()) {
                            List<Belief> found = new ArrayList<>();
                            while (row.next()) {
                                found.add(belief(subject, row));
                            }
                            return found;
                        }
                    }
                });
    }

    private static Belief belief(Subject subject, ResultSet row) throws SQLException {
        long stamp = row.getLong("host_stamp");
        @Nullable Long known = row.wasNull() ? null : (Long) stamp;
        String label = row.getString("rule");
        BeliefRule rule =
                switch (subject) {
                    case VM -> VM_RULES.get(label);
                    case HOST -> HOST_RULES.get(label);
                };
        return new Belief(
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getObject("received_at", OffsetDateTime.class).toInstant(),
                BeliefCause.ofCode(row.getInt("cause")),
                host(row, "reporter_id"),
                known,
                rule == null ? new BeliefRule.Foreign(label, row.getInt("scenario")) : rule,
                row.getInt("before"),
                row.getInt("status"),
                host(row, "run_on"),
                host(row, "migrating_to"),
                row.getInt("decided"));
    }

    private static @Nullable HostId host(ResultSet row, String column) throws SQLException {
        @Nullable UUID id = row.getObject(column, UUID.class);
        return id == null ? null : new HostId(id);
    }

    @Override
    public Maintenance maintain(Instant from, Instant until, Duration retention)
            throws StoreUnavailable {
        return Transactions.PartitionDrops.untilFew(
                () -> maintainOnce(from, until, retention),
                Maintenance::dropped,
                (before, then) ->
                        new Maintenance(
                                before.created() + then.created(),
                                before.dropped() + then.dropped()));
    }

    private Maintenance maintainOnce(Instant from, Instant until, Duration retention)
            throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.BELIEFS,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(MAINTAIN)) {
                        statement.setObject(1, from.atOffset(ZoneOffset.UTC));
                        statement.setObject(2, until.atOffset(ZoneOffset.UTC));
                        statement.setString(3, retention.toString());
                        try (ResultSet row = statement.executeQuery()) {
                            row.next();
                            return new Maintenance(row.getInt(1), row.getInt(2));
                        }
                    }
                });
    }
}
