package org.stillwater.dal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.AuditStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.value.SqlType;

/**
 * The audit log in PostgreSQL: one array statement appends a batch, one statement reads a page, one
 * function of the owner maintains partitions. Thread-safe.
 */
final class JdbcAuditStore implements AuditStore {

    private final Transactions transactions;

    JdbcAuditStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static final List<Column<AuditEntry>> COLUMNS =
            List.of(
                    Column.of("audit_log_id", SqlType.BIGINT, AuditEntry::id),
                    Column.of("log_time", SqlType.TIMESTAMPTZ, AuditEntry::at),
                    Column.integer("log_type", row -> row.event().code()),
                    Column.text("log_type_name", row -> row.event().name()),
                    Column.of("severity", SqlType.SMALLINT, row -> row.event().severity().code()),
                    Column.text("message", AuditEntry::text),
                    Column.uuid("vm_id", row -> row.vmId() == null ? null : row.vmId().toUuid()),
                    Column.text("vm_name", AuditEntry::vmName),
                    Column.uuid(
                            "vds_id", row -> row.hostId() == null ? null : row.hostId().value()),
                    Column.text("vds_name", AuditEntry::hostName),
                    Column.texts(
                            "names", row -> List.copyOf(new TreeMap<>(row.details()).keySet())),
                    Column.texts(
                            "texts", row -> List.copyOf(new TreeMap<>(row.details()).values())));

    private static final String APPEND =
            """
            INSERT INTO audit_log (audit_log_id, log_time, log_type, log_type_name, severity, message, vm_id, vm_name,
                                   vds_id, vds_name, custom_data)
            SELECT c.audit_log_id, c.log_time, c.log_type, c.log_type_name, c.severity, c.message, c.vm_id, c.vm_name,
                   c.vds_id, c.vds_name, jsonb_object(c.names::text[], c.texts::text[])
              FROM %s
            ON CONFLICT DO NOTHING
            """
                    .formatted(Column.unnest(COLUMNS, "c"));

    @Override
    public WriteOutcome append(List<AuditEntry> entries) {
        return transactions.write(
                SqlStage.AUDIT,
                entries,
                AuditEntry::id,
                (connection, rows) -> {
                    try (PreparedStatement statement = connection.prepareStatement(APPEND)) {
                        Column.bind(statement, COLUMNS, rows);
                        return statement.executeUpdate();
                    }
                });
    }

    /** Events that this engine knows; a database may hold others, of a later one. */
    private static final Integer[] KNOWN =
            Arrays.stream(AuditEvent.values()).map(AuditEvent::code).toArray(Integer[]::new);

    private static final String SELECT =
            """
            SELECT audit_log_id, log_time, log_type, message, vm_id, vm_name, vds_id, vds_name,
                   ARRAY(SELECT d.key FROM jsonb_each_text(custom_data) AS d ORDER BY d.key) AS names,
                   ARRAY(SELECT d.value FROM jsonb_each_text(custom_data) AS d ORDER BY d.key) AS texts
              FROM audit_log
             WHERE\
            """;

    private static final String NEWEST_FIRST = " ORDER BY log_time DESC, audit_log_id DESC LIMIT ?";

    /**
     * Conditions and their values: only those of the query, so that each form of query has its
     * plan.
     */
    private static final class Question {
        private final List<String> conditions = new ArrayList<>();
        private final List<Object> values = new ArrayList<>();

        Question and(String condition, Object... bound) {
            conditions.add(condition);
            values.addAll(Arrays.asList(bound));
            return this;
        }

        String sql() {
            return SELECT + " " + String.join(" AND ", conditions) + NEWEST_FIRST;
        }
    }

    static String sql(AuditFilter filter, AuditEntry.@Nullable Position before) {
        return question(filter, before).sql();
    }

    private static Question question(AuditFilter filter, AuditEntry.@Nullable Position before) {
        Question question = new Question();
        AuditEvent event = filter.event();
        if (event == null) {
            question.and("log_type = ANY (?)", (Object) KNOWN);
        } else {
            question.and("log_type = ?", event.code());
        }
        VmId vmId = filter.vmId();
        if (vmId != null) {
            question.and("vm_id = ?", vmId.toUuid());
        }
        HostId hostId = filter.hostId();
        if (hostId != null) {
            question.and("vds_id = ?", hostId.value());
        }
        if (filter.atLeast() != AuditSeverity.NORMAL) {
            // The first condition is that of the partial index.
            question.and("severity > 0 AND severity >= ?", filter.atLeast().code());
        }
        Instant since = filter.since();
        if (since != null) {
            question.and("log_time >= ?", time(since));
        }
        Instant until = filter.until();
        if (until != null) {
            question.and("log_time < ?", time(until));
        }
        if (before != null) {
            question.and("(log_time, audit_log_id) < (?, ?)", time(before.at()), before.id());
        }
        return question;
    }

    private static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    @Override
    public List<AuditEntry> newest(
            AuditFilter filter, AuditEntry.@Nullable Position before, int limit)
            throws StoreUnavailable {
        Question question = question(filter, before);
        return transactions.runOrUnavailable(
                SqlStage.AUDIT,
                connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(question.sql())) {
                        bind(connection, statement, question, limit);
                        try (ResultSet row = statement.executeQuery()) {
                            List<AuditEntry> entries = new ArrayList<>();
                            while (row.next()) {
                                entries.add(entry(row));
                            }
                            return entries;
                        }
                    }
                });
    }

    private static void bind(
            Connection connection, PreparedStatement statement, Question question, int limit)
            throws SQLException {
        int index = 0;
        for (Object value : question.values) {
            index++;
            if (value instanceof Integer[] codes) {
                statement.setArray(index, connection.createArrayOf("int4", codes));
            } else {
                statement.setObject(index, value);
            }
        }
        statement.setInt(index + 1, limit);
    }

    private static AuditEntry entry(ResultSet row) throws SQLException {
        @Nullable UUID vm = row.getObject("vm_id", UUID.class);
        @Nullable UUID host = row.getObject("vds_id", UUID.class);
        return new AuditEntry(
                row.getLong("audit_log_id"),
                row.getObject("log_time", OffsetDateTime.class).toInstant(),
                AuditEvent.ofCode(row.getInt("log_type")),
                vm == null ? null : VmId.of(vm),
                row.getString("vm_name"),
                host == null ? null : new HostId(host),
                row.getString("vds_name"),
                details(row),
                row.getString("message"));
    }

    private static Map<String, String> details(ResultSet row) throws SQLException {
        String[] names = texts(row, "names");
        String[] values = texts(row, "texts");
        Map<String, String> details = HashMap.newHashMap(names.length);
        for (int i = 0; i < names.length; i++) {
            details.put(names[i], values[i]);
        }
        return details;
    }

    private static String[] texts(ResultSet row, String column) throws SQLException {
        Array array = row.getArray(column);
        try {
            return (String[]) array.getArray();
        } finally {
            array.free();
        }
    }

    private static final String MAINTAIN =
            "SELECT created, dropped FROM maintain_audit_log(?, ?, ?)";

    @Override
    public Maintenance maintain(Instant from, Instant until, Instant keepFrom)
            throws StoreUnavailable {
        return Transactions.PartitionDrops.untilFew(
                () -> maintainOnce(from, until, keepFrom),
                Maintenance::dropped,
                (before, then) ->
                        new Maintenance(
                                before.created() + then.created(),
                                before.dropped() + then.dropped()));
    }

    private Maintenance maintainOnce(Instant from, Instant until, Instant keepFrom)
            throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.AUDIT,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(MAINTAIN)) {
                        statement.setObject(1, time(from));
                        statement.setObject(2, time(until));
                        statement.setObject(3, time(keepFrom));
                        try (ResultSet row = statement.executeQuery()) {
                            row.next();
                            return new Maintenance(row.getInt(1), row.getInt(2));
                        }
                    }
                });
    }
}
