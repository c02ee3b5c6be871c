package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;

/** Pools in PostgreSQL: one statement a call. Thread-safe. */
final class JdbcPoolStore implements PoolStore {

    private final Transactions transactions;

    JdbcPoolStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static final String LOAD =
            """
            SELECT p.pool_id, p.name, p.description, p.cluster_id, p.stateful, p.size, p.prestarted, p.per_user,
                   p.template, m.vm_guid, m.user_name
              FROM vm_pool AS p
              LEFT JOIN vm_pool_member AS m USING (pool_id)
             ORDER BY p.pool_id
            """;

    @Override
    public List<VmPool> load() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.POOLS,
                connection -> {
                    List<VmPool> pools = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        VmPool pool = null;
                        TreeMap<VmId, @Nullable String> members = new TreeMap<>();
                        while (row.next()) {
                            if (pool != null && !pool.id().equals(id(row, "pool_id"))) {
                                pools.add(pool.with(members));
                                members.clear();
                                pool = null;
                            }
                            pool = pool == null ? pool(row) : pool;
                            UUID vm = row.getObject("vm_guid", UUID.class);
                            if (vm != null) {
                                members.put(VmId.of(vm), row.getString("user_name"));
                            }
                        }
                        if (pool != null) {
                            pools.add(pool.with(members));
                        }
                    }
                    return pools;
                });
    }

    private static VmPool pool(ResultSet row) throws SQLException {
        return new VmPool(
                id(row, "pool_id"),
                row.getString("name"),
                row.getString("description"),
                new ClusterId(id(row, "cluster_id")),
                row.getBoolean("stateful"),
                row.getInt("size"),
                row.getInt("prestarted"),
                row.getInt("per_user"),
                row.getString("template"),
                new TreeMap<>());
    }

    private static UUID id(ResultSet row, String column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    private static final String SAVE =
            """
            INSERT INTO vm_pool (pool_id, name, description, cluster_id, stateful, size, prestarted, per_user, template)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (pool_id) DO UPDATE
               SET name = excluded.name, description = excluded.description, cluster_id = excluded.cluster_id,
                   stateful = excluded.stateful, size = excluded.size, prestarted = excluded.prestarted,
                   per_user = excluded.per_user, template = excluded.template
            """;

    @Override
    public Saved save(VmPool pool, @Nullable List<VmId> members) throws StoreUnavailable {
        return Sql.saved(
                transactions,
                SqlStage.POOLS,
                connection -> {
                    int saved =
                            Sql.update(
                                    connection,
                                    SAVE,
                                    pool.id(),
                                    pool.name(),
                                    pool.description(),
                                    pool.cluster().value(),
                                    pool.stateful(),
                                    pool.size(),
                                    pool.prestarted(),
                                    pool.mostPerUser(),
                                    pool.template());
                    if (members != null) {
                        Object[] kept = members.stream().map(VmId::toUuid).toArray();
                        int _ =
                                Sql.update(
                                        connection,
                                        KEEP_MEMBERS,
                                        pool.id(),
                                        connection.createArrayOf("uuid", kept));
                        int _ = change(connection, ADD_MEMBERS, pool.id(), members);
                    }
                    return saved;
                });
    }

    @Override
    public boolean remove(UUID pool) throws StoreUnavailable {
        return change("DELETE FROM vm_pool WHERE pool_id = ?", pool) == 1;
    }

    private record Member(UUID pool, VmId vm) {}

    private static final List<Column<Member>> MEMBER_COLUMNS =
            List.of(
                    Column.uuid("pool_id", Member::pool),
                    Column.uuid("vm_guid", row -> row.vm().toUuid()));

    private static final String ADD_MEMBERS =
            """
            INSERT INTO vm_pool_member (pool_id, vm_guid)
            SELECT DISTINCT p.pool_id, v.vm_guid
              FROM %s
              JOIN vm_pool AS p USING (pool_id)
              JOIN vm_static AS v USING (vm_guid)
             ORDER BY v.vm_guid
                ON CONFLICT (vm_guid) DO NOTHING
            """
                    .formatted(Column.unnest(MEMBER_COLUMNS, "c"));

    @Override
    public int addMembers(UUID pool, List<VmId> vms) throws StoreUnavailable {
        return change(ADD_MEMBERS, pool, vms);
    }

    private static final String KEEP_MEMBERS =
            "DELETE FROM vm_pool_member WHERE pool_id = ? AND vm_guid <> ALL (?)";

    private static final String REMOVE_MEMBERS =
            """
            DELETE FROM vm_pool_member AS m
             USING %s
             WHERE m.pool_id = c.pool_id AND m.vm_guid = c.vm_guid
            """
                    .formatted(Column.unnest(MEMBER_COLUMNS, "c"));

    @Override
    public void removeMembers(UUID pool, List<VmId> vms) throws StoreUnavailable {
        int _ = change(REMOVE_MEMBERS, pool, vms);
    }

    private int change(String sql, UUID pool, List<VmId> vms) throws StoreUnavailable {
        return vms.isEmpty()
                ? 0
                : transactions.runOrUnavailable(
                        SqlStage.POOLS, connection -> change(connection, sql, pool, vms));
    }

    private static int change(Connection connection, String sql, UUID pool, List<VmId> vms)
            throws SQLException {
        if (vms.isEmpty()) {
            return 0;
        }
        List<Member> members = vms.stream().sorted().map(vm -> new Member(pool, vm)).toList();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Column.bind(statement, MEMBER_COLUMNS, members);
            return statement.executeUpdate();
        }
    }

    private static final String ASSIGN =
            """
            UPDATE vm_pool_member
               SET user_name = ?
             WHERE vm_guid = ? AND (user_name IS NULL OR user_name = ?)
            """;

    private static final String TAKE_BACK =
            "UPDATE vm_pool_member SET user_name = NULL WHERE vm_guid = ?";

    @Override
    public boolean assign(VmId vm, @Nullable String user) throws StoreUnavailable {
        return (user == null
                        ? change(TAKE_BACK, vm.toUuid())
                        : change(ASSIGN, user, vm.toUuid(), user))
                == 1;
    }

    private int change(String sql, Object... values) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.POOLS, connection -> Sql.update(connection, sql, values));
    }
}
