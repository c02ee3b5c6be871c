package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.TagStore;

/** Tags in PostgreSQL. Thread-safe. */
final class JdbcTagStore implements TagStore {

    /** Each tag with those that have it, in one statement. */
    private static final String LOAD =
            """
            SELECT tag_id, name, description, parent_id,
                   ARRAY(SELECT vm_guid FROM tag_vm AS v WHERE v.tag_id = t.tag_id) AS vms,
                   ARRAY(SELECT host_id FROM tag_host AS h WHERE h.tag_id = t.tag_id) AS hosts
              FROM tag AS t
            """;

    private static final String SAVE =
            """
            INSERT INTO tag (tag_id, name, description, parent_id)
            VALUES (?, ?, ?, ?)
                ON CONFLICT (tag_id) DO UPDATE
               SET name = excluded.name, description = excluded.description, parent_id = excluded.parent_id,
                   changed_at = CASE WHEN (tag.name, tag.description, tag.parent_id)
                                          IS DISTINCT FROM (excluded.name, excluded.description, excluded.parent_id)
                                     THEN clock_timestamp() ELSE tag.changed_at END
            """;

    // The second part finds existing rows, which the first one leaves out.
    private static final String ATTACH_VM =
            """
            WITH added AS (
                INSERT INTO tag_vm (tag_id, vm_guid)
                SELECT t.tag_id, v.vm_guid
                  FROM tag AS t, vm_static AS v
                 WHERE t.tag_id = ? AND v.vm_guid = ?
                    ON CONFLICT DO NOTHING
                RETURNING tag_id)
            SELECT EXISTS (SELECT FROM added)
                OR EXISTS (SELECT FROM tag_vm WHERE tag_id = ? AND vm_guid = ?)
            """;

    private static final String ATTACH_HOST =
            """
            WITH added AS (
                INSERT INTO tag_host (tag_id, host_id)
                SELECT t.tag_id, h.host_id
                  FROM tag AS t, host_static AS h
                 WHERE t.tag_id = ? AND h.host_id = ?
                    ON CONFLICT DO NOTHING
                RETURNING tag_id)
            SELECT EXISTS (SELECT FROM added)
                OR EXISTS (SELECT FROM tag_host WHERE tag_id = ? AND host_id = ?)
            """;

    private final Transactions transactions;

    JdbcTagStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public Kept load() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    List<Tag> tags = new ArrayList<>();
                    Map<VmId, Set<UUID>> vms = new HashMap<>();
                    Map<HostId, Set<UUID>> hosts = new HashMap<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            Tag tag = tag(row);
                            tags.add(tag);
                            owners(row, "vms", VmId::of, tag, vms);
                            owners(row, "hosts", HostId::new, tag, hosts);
                        }
                    }
                    return new Kept(tags, vms, hosts);
                });
    }

    private static Tag tag(ResultSet row) throws SQLException {
        return new Tag(
                row.getObject("tag_id", UUID.class),
                row.getString("name"),
                row.getString("description"),
                row.getObject("parent_id", UUID.class));
    }

    private static <T> void owners(
            ResultSet row, String column, Function<UUID, T> owner, Tag tag, Map<T, Set<UUID>> found)
            throws SQLException {
        for (UUID id : (UUID[]) row.getArray(column).getArray()) {
            found.computeIfAbsent(owner.apply(id), _ -> new HashSet<>()).add(tag.id());
        }
    }

    @Override
    public Saved save(Tag tag) throws StoreUnavailable {
        return Sql.saved(
                transactions,
                SqlStage.DEFINITIONS,
                connection ->
                        Sql.update(
                                connection,
                                SAVE,
                                tag.id(),
                                tag.name(),
                                tag.description(),
                                tag.parent()));
    }

    @Override
    public boolean remove(UUID tag) throws StoreUnavailable {
        return changed("DELETE FROM tag WHERE tag_id = ?", tag);
    }

    @Override
    public boolean attach(UUID tag, VmId vm) throws StoreUnavailable {
        return attached(ATTACH_VM, tag, vm.toUuid());
    }

    @Override
    public boolean attach(UUID tag, HostId host) throws StoreUnavailable {
        return attached(ATTACH_HOST, tag, host.value());
    }

    @Override
    public boolean detach(UUID tag, VmId vm) throws StoreUnavailable {
        return changed("DELETE FROM tag_vm WHERE tag_id = ? AND vm_guid = ?", tag, vm.toUuid());
    }

    @Override
    public boolean detach(UUID tag, HostId host) throws StoreUnavailable {
        return changed("DELETE FROM tag_host WHERE tag_id = ? AND host_id = ?", tag, host.value());
    }

    private boolean attached(String sql, UUID tag, UUID owner) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> Sql.isTrue(connection, sql, tag, owner, tag, owner));
    }

    private boolean changed(String sql, @Nullable Object... values) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                        SqlStage.DEFINITIONS, connection -> Sql.update(connection, sql, values))
                > 0;
    }
}
