package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ConfigurationStore;
import org.stillwater.core.store.StoreUnavailable;

/** Versions of definitions in PostgreSQL, where a trigger keeps them. Thread-safe. */
final class JdbcConfigurationStore implements ConfigurationStore {

    private static final String OF_VM =
            """
            SELECT version, valid_from, valid_until, vm_name, origin, cluster_id, auto_startup, mem_size_mb,
                   min_allocated_mem, num_of_sockets, cpu_per_socket, threads_per_cpu, priority, lease_sd_id, cpu_pinning
              FROM vm_configuration
             WHERE vm_guid = ? AND version < ?
             ORDER BY version DESC
             LIMIT ?
            """;

    private static final String OF_HOST =
            """
            SELECT version, valid_from, valid_until, host_name, address, port, cluster_id
              FROM host_configuration
             WHERE host_id = ? AND version < ?
             ORDER BY version DESC
             LIMIT ?
            """;

    private final Transactions transactions;

    JdbcConfigurationStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public List<VmConfiguration> ofVm(VmId vm, int before, int limit) throws StoreUnavailable {
        return read(OF_VM, vm.toUuid(), before, limit, JdbcConfigurationStore::vm);
    }

    @Override
    public List<HostConfiguration> ofHost(HostId host, int before, int limit)
            throws StoreUnavailable {
        return read(OF_HOST, host.value(), before, limit, JdbcConfigurationStore::host);
    }

    private interface Reader<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> List<T> read(String sql, UUID subject, int before, int limit, Reader<T> reader)
            throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.CONFIGURATION,
                connection -> {
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        statement.setObject(1, subject);
                        statement.setInt(2, before);
                        statement.setInt(3, limit);
                        List<T> versions = new ArrayList<>();
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                versions.add(reader.of(row));
                            }
                        }
                        return versions;
                    }
                });
    }

    private static VmConfiguration vm(ResultSet row) throws SQLException {
        return new VmConfiguration(
                row.getInt("version"),
                row.getObject("valid_from", OffsetDateTime.class).toInstant(),
                instant(row.getObject("valid_until", OffsetDateTime.class)),
                row.getString("vm_name"),
                VmOrigin.ofCode(row.getInt("origin")),
                new ClusterId(row.getObject("cluster_id", UUID.class)),
                row.getBoolean("auto_startup"),
                row.getInt("mem_size_mb"),
                row.getInt("min_allocated_mem"),
                row.getInt("num_of_sockets"),
                row.getInt("cpu_per_socket"),
                row.getInt("threads_per_cpu"),
                row.getInt("priority"),
                row.getObject("lease_sd_id", UUID.class),
                row.getString("cpu_pinning"));
    }

    private static HostConfiguration host(ResultSet row) throws SQLException {
        return new HostConfiguration(
                row.getInt("version"),
                row.getObject("valid_from", OffsetDateTime.class).toInstant(),
                instant(row.getObject("valid_until", OffsetDateTime.class)),
                row.getString("host_name"),
                row.getString("address"),
                row.getInt("port"),
                new ClusterId(row.getObject("cluster_id", UUID.class)));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
