package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.NumaStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.value.SqlType;

/** NUMA nodes of hosts in PostgreSQL. Thread-safe. */
final class JdbcNumaStore implements NumaStore {

    private record Row(HostId host, HostNumaNode node) {}

    private static final List<Column<Row>> COLUMNS =
            List.of(
                    Column.uuid("host_id", row -> row.host().value()),
                    Column.integer("node_index", row -> row.node().index()),
                    Column.of("mem_total_mb", SqlType.BIGINT, row -> row.node().memoryMebibytes()),
                    Column.text("cpu_ids", row -> literal(row.node().cpus())),
                    Column.text("distances", row -> literal(row.node().distances())));

    private static final String WRITE =
            """
            INSERT INTO numa_node AS n (host_id, node_index, mem_total_mb, cpu_ids, distances)
            SELECT c.host_id, c.node_index, c.mem_total_mb, c.cpu_ids::integer[], c.distances::integer[]
              FROM %s
              JOIN host_static USING (host_id)
             ORDER BY c.host_id, c.node_index
                ON CONFLICT (host_id, node_index) DO UPDATE
               SET mem_total_mb = excluded.mem_total_mb, cpu_ids = excluded.cpu_ids, distances = excluded.distances
             WHERE (n.mem_total_mb, n.cpu_ids, n.distances)
                   IS DISTINCT FROM (excluded.mem_total_mb, excluded.cpu_ids, excluded.distances)
            """
                    .formatted(Column.unnest(COLUMNS, "c"));

    private static final String DELETE_OTHERS =
            """
            DELETE FROM numa_node AS n
             USING unnest(?::uuid[]) AS h(host_id)
             WHERE n.host_id = h.host_id
               AND NOT EXISTS (
                   SELECT
                     FROM unnest(?::uuid[], ?::integer[]) AS c(host_id, node_index)
                    WHERE c.host_id = n.host_id AND c.node_index = n.node_index)
            """;

    private final Transactions transactions;

    JdbcNumaStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public WriteOutcome replace(List<HostNuma> hosts) {
        return transactions.write(SqlStage.NUMA, hosts, HostNuma::host, JdbcNumaStore::write);
    }

    private static int write(Connection connection, List<HostNuma> hosts) throws SQLException {
        List<Row> rows =
                hosts.stream()
                        .flatMap(host -> host.nodes().stream().map(n -> new Row(host.host(), n)))
                        .toList();
        int touched = deleteOthers(connection, hosts, rows);
        if (!rows.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
                Column.bind(statement, COLUMNS, rows);
                touched += statement.executeUpdate();
            }
        }
        return touched;
    }

    private static int deleteOthers(Connection connection, List<HostNuma> hosts, List<Row> rows)
            throws SQLException {
        UUID[] all = hosts.stream().map(host -> host.host().value()).toArray(UUID[]::new);
        UUID[] kept = rows.stream().map(row -> row.host().value()).toArray(UUID[]::new);
        Integer[] indexes = rows.stream().map(row -> row.node().index()).toArray(Integer[]::new);
        try (PreparedStatement statement = connection.prepareStatement(DELETE_OTHERS)) {
            statement.setArray(1, connection.createArrayOf("uuid", all));
            statement.setArray(2, connection.createArrayOf("uuid", kept));
            statement.setArray(3, connection.createArrayOf("int4", indexes));
            return statement.executeUpdate();
        }
    }

    private static String literal(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }
}
