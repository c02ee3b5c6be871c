package org.stillwater.dal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.XapiPoolDefinition;
import org.stillwater.core.connection.XapiPoolStore;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;

/**
 * XAPI pools in PostgreSQL: one statement a call. The encrypted password belongs to its row: to the
 * identity, the addresses, the port, the user and the authorities. A change of any of these in the
 * database sends no password to another address. Thread-safe.
 */
final class JdbcXapiPoolStore implements XapiPoolStore {

    private static final String COLUMNS =
            "name, addresses, port, user_name, secret, trust, encodings, pool_id";

    private static final String LOAD =
            "SELECT removing, " + COLUMNS + " FROM xapi_pool ORDER BY name";

    private static final String ADD =
            "INSERT INTO xapi_pool (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

    private static final String UPDATE =
            """
            UPDATE xapi_pool
               SET name = ?, addresses = ?, port = ?, user_name = ?, secret = ?, trust = ?, encodings = ?
             WHERE pool_id = ?
               AND NOT removing
            """;

    private static final String BEGIN_REMOVAL =
            "UPDATE xapi_pool SET removing = true WHERE pool_id = ?";

    private static final String REMOVE = "DELETE FROM xapi_pool WHERE pool_id = ?";

    private static final String SEAL = "UPDATE xapi_pool SET secret = ? WHERE pool_id = ?";

    private final Transactions transactions;
    private final SecretBox box;

    JdbcXapiPoolStore(Transactions transactions, SecretBox box) {
        this.transactions = transactions;
        this.box = box;
    }

    @Override
    public List<Stored> load() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    List<Stored> all = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            all.add(stored(row));
                        }
                    }
                    return all;
                });
    }

    private Stored stored(ResultSet row) throws SQLException {
        String password = "";
        String trouble = null;
        try {
            password = box.open(row.getString("secret"), context(row));
        } catch (SecretBox.Unusable e) {
            trouble = "its password cannot be decrypted: " + e.getMessage();
        }
        return new Stored(
                new XapiPoolDefinition(
                        new ClusterId(row.getObject("pool_id", UUID.class)),
                        row.getString("name"),
                        texts(row, "addresses"),
                        row.getInt("port"),
                        row.getString("user_name"),
                        password,
                        row.getString("trust"),
                        texts(row, "encodings")),
                row.getBoolean("removing"),
                trouble);
    }

    private static List<String> texts(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }

    @Override
    public Saved add(XapiPoolDefinition pool) throws StoreUnavailable {
        String sealed = sealed(pool);
        return Sql.saved(
                transactions,
                SqlStage.DEFINITIONS,
                connection -> write(connection, ADD, pool, sealed));
    }

    @Override
    public boolean update(XapiPoolDefinition pool) throws StoreUnavailable {
        String sealed = sealed(pool);
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS, connection -> write(connection, UPDATE, pool, sealed) == 1);
    }

    private static int write(
            Connection connection, String sql, XapiPoolDefinition pool, String sealed)
            throws SQLException {
        Array addresses = array(connection, pool.addresses());
        Array encodings = array(connection, pool.encodings());
        try {
            return Sql.update(
                    connection,
                    sql,
                    pool.name(),
                    addresses,
                    pool.port(),
                    pool.user(),
                    sealed,
                    pool.trust(),
                    encodings,
                    pool.id().value());
        } finally {
            addresses.free();
            encodings.free();
        }
    }

    private static Array array(Connection connection, List<String> texts) throws SQLException {
        return connection.createArrayOf(
                "text", texts.stream().map(Column::storable).toArray(String[]::new));
    }

    @Override
    public boolean beginRemoval(ClusterId pool) throws StoreUnavailable {
        return changes(BEGIN_REMOVAL, pool);
    }

    @Override
    public boolean remove(ClusterId pool) throws StoreUnavailable {
        return changes(REMOVE, pool);
    }

    private boolean changes(String sql, ClusterId pool) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS, connection -> Sql.update(connection, sql, pool.value()) == 1);
    }

    // ------------------------------------------------------------------------------- secrets

    private String sealed(XapiPoolDefinition pool) {
        return box.seal(
                pool.password(),
                context(
                        pool.id().value(),
                        pool.addresses(),
                        pool.port(),
                        pool.user(),
                        pool.trust()));
    }

    /** The password of a row by the newest key; null if it is so already. */
    @Nullable String again(ResultSet row, String newest) throws SQLException {
        String sealed = row.getString("secret");
        String context =
                context(
                        row.getObject("host_id", UUID.class),
                        texts(row, "addresses"),
                        row.getInt("port"),
                        row.getString("user_name"),
                        row.getString("trust"));
        String text = box.open(sealed, context); // fails here if no key opens it
        return box.keyOf(sealed).equals(newest) ? null : box.seal(text, context);
    }

    /** Stores the encrypted password of a row of {@link SealedRows}. */
    static SealedRows.Change change(ResultSet row, String sealed) throws SQLException {
        UUID pool = row.getObject("host_id", UUID.class);
        return connection -> Sql.update(connection, SEAL, sealed, pool);
    }

    private static String context(ResultSet row) throws SQLException {
        return context(
                row.getObject("pool_id", UUID.class),
                texts(row, "addresses"),
                row.getInt("port"),
                row.getString("user_name"),
                row.getString("trust"));
    }

    /**
     * Context that binds the password to its pool. Only the authorities, which come last, may hold
     * line breaks.
     */
    private static String context(
            UUID id, List<String> addresses, int port, String user, @Nullable String trust) {
        return String.join(
                "\n",
                "xapi_pool",
                id.toString(),
                Integer.toString(addresses.size()),
                Column.storable(String.join("\n", addresses)),
                Integer.toString(port),
                Column.storable(user),
                trust == null ? "" : Column.storable(trust));
    }
}
