package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.value.SqlType;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.JobState;
import org.stillwater.core.vm.JobType;
import org.stillwater.core.vm.VmJob;
import org.stillwater.core.vm.VmStatus;

/** Jobs in PostgreSQL. Thread-safe. */
final class JdbcJobStore implements JobStore {

    private static final List<Column<VmJob>> COLUMNS =
            List.of(
                    Column.uuid("vm_id", job -> job.vmId().toUuid()),
                    Column.uuid("vm_job_id", VmJob::id),
                    Column.of("job_state", SqlType.SMALLINT, job -> job.state().code()),
                    Column.of("job_type", SqlType.SMALLINT, job -> job.type().code()),
                    Column.of("block_job_type", SqlType.SMALLINT, job -> job.blockType().code()),
                    Column.of("bandwidth", SqlType.BIGINT, VmJob::bandwidthMebibytesPerSecond),
                    Column.of("cursor_cur", SqlType.BIGINT, VmJob::cursorCurrent),
                    Column.of("cursor_end", SqlType.BIGINT, VmJob::cursorEnd),
                    Column.uuid("image_group_id", VmJob::imageGroupId));

    private static final List<Column<VmJob>> VALUES = COLUMNS.subList(2, COLUMNS.size());

    private static final String SAVE =
            """
            INSERT INTO vm_jobs AS j %s
            SELECT %s
              FROM %s
              JOIN vm_static AS s ON s.vm_guid = c.vm_id
             ORDER BY c.vm_id, c.vm_job_id
                ON CONFLICT (vm_id, vm_job_id) DO UPDATE
               SET %s = %s
             WHERE %s IS DISTINCT FROM %s
            """
                    .formatted(
                            Column.names(COLUMNS, "", "(", ")"),
                            Column.names(COLUMNS, "c.", "", ""),
                            Column.unnest(COLUMNS, "c"),
                            Column.names(VALUES, "", "(", ")"),
                            Column.names(VALUES, "excluded.", "(", ")"),
                            Column.names(VALUES, "j.", "(", ")"),
                            Column.names(VALUES, "excluded.", "(", ")"));

    private static final String DELETE =
            """
            DELETE FROM vm_jobs AS j
             USING unnest(?::uuid[], ?::uuid[]) AS c(vm_id, vm_job_id)
             WHERE j.vm_id = c.vm_id
               AND j.vm_job_id = c.vm_job_id
            """;

    private static final String LOAD =
            """
            SELECT j.vm_job_id, j.vm_id, j.job_state, j.job_type, j.block_job_type, j.bandwidth, j.cursor_cur,
                   j.cursor_end, j.image_group_id, d.status
              FROM vm_jobs AS j
              JOIN vm_dynamic AS d ON d.vm_guid = j.vm_id
             ORDER BY j.vm_id, j.vm_job_id
            """;

    private final Transactions transactions;

    JdbcJobStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public WriteOutcome save(List<VmJob> jobs) {
        return transactions.write(
                SqlStage.JOBS,
                jobs,
                VmJob::key,
                (connection, rows) -> {
                    try (PreparedStatement statement = connection.prepareStatement(SAVE)) {
                        Column.bind(statement, COLUMNS, rows);
                        return statement.executeUpdate();
                    }
                });
    }

    @Override
    public WriteOutcome delete(List<VmJob.Key> jobs) {
        return transactions.write(
                SqlStage.JOBS,
                jobs,
                Function.identity(),
                (connection, rows) -> {
                    try (PreparedStatement statement = connection.prepareStatement(DELETE)) {
                        statement.setArray(
                                1,
                                connection.createArrayOf(
                                        "uuid",
                                        rows.stream().map(row -> row.vmId().toUuid()).toArray()));
                        statement.setArray(
                                2,
                                connection.createArrayOf(
                                        "uuid", rows.stream().map(VmJob.Key::id).toArray()));
                        return statement.executeUpdate();
                    }
                });
    }

    @Override
    public List<StoredJob> loadAll() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.LOAD,
                connection -> {
                    List<StoredJob> jobs = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            jobs.add(
                                    new StoredJob(
                                            new VmJob(
                                                    row.getObject(1, UUID.class),
                                                    VmId.of(row.getObject(2, UUID.class)),
                                                    JobState.ofCode(row.getInt(3)),
                                                    JobType.ofCode(row.getInt(4)),
                                                    BlockJobType.ofCode(row.getInt(5)),
                                                    row.getLong(6),
                                                    row.getLong(7),
                                                    row.getLong(8),
                                                    row.getObject(9, UUID.class)),
                                            status(row.getInt(10))));
                        }
                    }
                    return jobs;
                });
    }

    /** A status that this program does not know is unknown, as in the list of VMs. */
    private static VmStatus status(int code) {
        try {
            return VmStatus.ofCode(code);
        } catch (IllegalArgumentException _) {
            return VmStatus.UNKNOWN;
        }
    }
}
