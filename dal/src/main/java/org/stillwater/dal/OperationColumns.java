package org.stillwater.dal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.value.SqlType;

/** The columns of {@code operation}, written and read. Stateless. */
final class OperationColumns {

    static final Column<Operation> KEY = Column.uuid("operation_id", Operation::id);

    /** Columns that change while an operation is under way, and when it ends. */
    static final List<Column<Operation>> PROGRESS =
            List.of(
                    Column.of("state", SqlType.SMALLINT, row -> row.state().code()),
                    Column.text("step", Operation::step),
                    Column.of("progress", SqlType.SMALLINT, Operation::progress),
                    Column.uuid("target_host", row -> uuid(row.target())),
                    Column.uuids(
                            "tried_hosts", row -> row.tried().stream().map(HostId::value).toList()),
                    Column.texts(
                            "tried_answers",
                            row -> row.attempts().stream().map(Operation.Attempt::answer).toList()),
                    Column.text("explanation", Operation::explanation),
                    Column.text("failure_code", row -> ofFailure(row, f -> f.code().label())),
                    Column.text("failure_reason", row -> ofFailure(row, OperationFailure::reason)),
                    Column.time("started_at", Operation::startedAt),
                    Column.time("ended_at", Operation::endedAt));

    /** Columns that never change. */
    private static final List<Column<Operation>> FIXED =
            List.of(
                    KEY,
                    Column.of("kind", SqlType.SMALLINT, row -> row.kind().code()),
                    Column.uuid("vm_guid", row -> row.vm() == null ? null : row.vm().toUuid()),
                    Column.uuid("host_id", row -> uuid(row.host())),
                    Column.text("requested_by", row -> row.origin().requestedBy()),
                    Column.text("correlation", row -> row.origin().correlation()),
                    Column.uuid("batch_id", row -> row.origin().batch()),
                    Column.integer("batch_position", row -> row.origin().position()),
                    Column.json("parameters", row -> ParametersJson.write(row.parameters())),
                    Column.of("generation", SqlType.BIGINT, Operation::generation),
                    Column.time("created_at", Operation::createdAt));

    static final List<Column<Operation>> ALL =
            Stream.concat(FIXED.stream(), PROGRESS.stream()).toList();

    static final String NAMES = Column.names(ALL, "", "", "");

    private OperationColumns() {}

    static Operation read(ResultSet row) throws SQLException {
        UUID vm = row.getObject("vm_guid", UUID.class);
        String failure = row.getString("failure_code");
        return new Operation(
                row.getObject("operation_id", UUID.class),
                OperationKind.ofCode(row.getInt("kind")),
                vm == null ? null : VmId.of(vm),
                host(row.getObject("host_id", UUID.class)),
                new Operation.Origin(
                        row.getString("requested_by"),
                        row.getString("correlation"),
                        row.getObject("batch_id", UUID.class),
                        row.getInt("batch_position")),
                ParametersJson.read(row.getString("parameters")),
                row.getLong("generation"),
                OperationState.ofCode(row.getInt("state")),
                row.getString("step"),
                row.getInt("progress"),
                host(row.getObject("target_host", UUID.class)),
                attempts(row),
                row.getString("explanation"),
                failure == null
                        ? null
                        : new OperationFailure(code(failure), row.getString("failure_reason")),
                time(row, "created_at"),
                Sql.instant(row, "started_at"),
                Sql.instant(row, "ended_at"));
    }

    /** Attempts of an earlier version have no answers. */
    private static List<Operation.Attempt> attempts(ResultSet row) throws SQLException {
        UUID[] hosts = (UUID[]) row.getArray("tried_hosts").getArray();
        String[] answers = (String[]) row.getArray("tried_answers").getArray();
        List<Operation.Attempt> all = new ArrayList<>(hosts.length);
        for (int i = 0; i < hosts.length; i++) {
            String answer = answers.length == hosts.length ? answers[i] : "";
            all.add(new Operation.Attempt(new HostId(hosts[i]), answer));
        }
        return all;
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(Sql.instant(row, column));
    }

    /** A code from a newer engine is a fault as far as this one knows. */
    private static OperationFailure.Code code(String label) {
        String name = label.toUpperCase(Locale.ROOT);
        return Arrays.stream(OperationFailure.Code.values())
                .filter(code -> code.name().equals(name))
                .findFirst()
                .orElse(OperationFailure.Code.INTERNAL);
    }

    private static @Nullable String ofFailure(
            Operation operation, Function<OperationFailure, String> value) {
        OperationFailure failure = operation.failure();
        return failure == null ? null : value.apply(failure);
    }

    private static @Nullable HostId host(@Nullable UUID id) {
        return id == null ? null : new HostId(id);
    }

    private static @Nullable UUID uuid(@Nullable HostId host) {
        return host == null ? null : host.value();
    }
}
