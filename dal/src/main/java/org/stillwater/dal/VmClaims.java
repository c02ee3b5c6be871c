package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.DefinitionTaken;
import org.stillwater.core.value.SqlType;

/**
 * Names and MAC addresses that only one VM of a data centre may have: the rows of {@code vm_claim}.
 * A VM keeps those that it had before this rule. Stateless.
 */
final class VmClaims {

    private static final int NAME = 1;
    private static final int MAC = 2;

    private VmClaims() {}

    /**
     * Something that belongs to one VM.
     *
     * @param kind kind of claim
     * @param value the claimed name or MAC address
     */
    record Claim(int kind, String value) {

        private String isTakenBy(String owner) {
            return kind == NAME
                    ? "there is already a VM " + value
                    : "the MAC address %s belongs to the VM %s".formatted(value, owner);
        }
    }

    private record Row(VmId vm, ClusterId cluster, Claim claim) {}

    private static final List<Column<Row>> COLUMNS =
            List.of(
                    Column.uuid("vm_guid", row -> row.vm().toUuid()),
                    Column.uuid("cluster_id", row -> row.cluster().value()),
                    Column.of("kind", SqlType.SMALLINT, row -> row.claim().kind()),
                    Column.text("value", row -> row.claim().value()));

    private static List<Row> rows(VmId vm, Definition definition) {
        Set<Claim> claims = new HashSet<>();
        claims.add(new Claim(NAME, definition.definition().name()));
        for (VmNic nic : definition.definition().nics()) {
            claims.add(new Claim(MAC, nic.mac().toLowerCase(Locale.ROOT)));
        }
        ClusterId cluster = definition.definition().cluster();
        return claims.stream().map(claim -> new Row(vm, cluster, claim)).toList();
    }

    /**
     * Claims of a VM before a change.
     *
     * @param claims claims that it has in its data centre and may keep there; none if it moves
     * @param moves whether it moves to another data centre
     */
    record Had(Set<Claim> claims, boolean moves) {

        /** A VM that is new. */
        static final Had NOTHING = new Had(Set.of(), false);
    }

    private static final String HAD =
            """
            WITH vm AS (
                SELECT s.vm_guid, s.vm_name, o.data_centre_id <> n.data_centre_id AS moves
                  FROM vm_static AS s
                  JOIN cluster AS o USING (cluster_id)
                  JOIN cluster AS n ON n.cluster_id = ?
                 WHERE s.vm_guid = ?
            )
            SELECT 1 AS kind, vm_name AS value, moves FROM vm
             UNION ALL
            SELECT 2, lower(i.mac_addr), moves FROM vm_interface AS i JOIN vm USING (vm_guid)
            """;

    /** Claims of a VM that it keeps if it stays in its data centre. */
    static Had had(Connection connection, VmId vm, ClusterId next) throws SQLException {
        Set<Claim> had = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(HAD)) {
            Sql.bind(statement, next.value(), vm.toUuid());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getBoolean("moves")) {
                        return new Had(Set.of(), true);
                    }
                    had.add(new Claim(row.getInt("kind"), row.getString("value")));
                }
            }
        }
        return new Had(had, false);
    }

    private static final String TAKEN =
            """
            SELECT o.kind, o.value, s.vm_name, d.name AS data_centre
              FROM %s
              JOIN cluster AS k USING (cluster_id)
              JOIN vm_claim AS o ON o.data_centre_id = k.data_centre_id AND o.kind = c.kind AND o.value = c.value
              JOIN data_centre AS d ON d.data_centre_id = k.data_centre_id
              JOIN vm_static AS s ON s.vm_guid = o.vm_guid
             WHERE o.vm_guid <> c.vm_guid
             ORDER BY o.kind, o.value
            """
                    .formatted(Column.unnest(COLUMNS, "c"));

    /**
     * Name or MAC address of a definition that belongs to another VM, one clause for people; null
     * for none.
     *
     * @param had earlier claims of the VM, which it may keep
     */
    static @Nullable String taken(Connection connection, VmId vm, Definition definition, Had had)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TAKEN)) {
            Column.bind(statement, COLUMNS, rows(vm, definition));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Claim claim = new Claim(row.getInt("kind"), row.getString("value"));
                    if (!had.claims().contains(claim)) {
                        String taken = claim.isTakenBy(row.getString("vm_name"));
                        return had.moves()
                                ? DefinitionTaken.inOtherDataCentre(
                                        row.getString("data_centre"), taken)
                                : taken;
                    }
                }
            }
        }
        return null;
    }

    /** The second one waits for the first, and finds that it is taken. */
    private static final String CLAIM =
            """
            INSERT INTO vm_claim (vm_guid, kind, value, cluster_id, data_centre_id)
            SELECT c.vm_guid, c.kind, c.value, k.cluster_id, k.data_centre_id
              FROM %s
              JOIN cluster AS k USING (cluster_id)
             ORDER BY c.kind, c.value
                ON CONFLICT DO NOTHING
            """
                    .formatted(Column.unnest(COLUMNS, "c"));

    /**
     * Replaces the claims of the VM. It keeps an earlier name or address that another VM has too,
     * without a claim to it.
     *
     * @return value that belongs to another VM, which undoes the change; null for none
     */
    static @Nullable String save(Connection connection, VmId vm, Definition definition, Had had)
            throws SQLException {
        int _ = Sql.update(connection, "DELETE FROM vm_claim WHERE vm_guid = ?", vm.toUuid());
        List<Row> rows = rows(vm, definition);
        try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
            Column.bind(statement, COLUMNS, rows);
            if (statement.executeUpdate() == rows.size()) {
                return null;
            }
        }
        return taken(connection, vm, definition, had);
    }
}
