package org.stillwater.dal;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.secret.SecretStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Rows of fence agents. Password and options are one encrypted text, which belongs to its row: to
 * the host, the position, the program, the address, the port and the user. A change of any of these
 * in the database sends no password to another address. Rows of earlier versions hold both
 * readable, until {@link SealedRows#reseal}. Thread-safe.
 */
final class FenceAgentRows {

    private static final String PASSWORD = "password";
    private static final String OPTION = "option.";

    static final String COLUMNS =
            "host_id, position, type, address, port, user_name, password, agent_options, secret";

    private static final String LOAD =
            "SELECT " + COLUMNS + " FROM host_fence_agent WHERE host_id = ? ORDER BY position";

    private static final String SEAL =
            """
            UPDATE host_fence_agent
               SET secret = ?, password = NULL, agent_options = '{}'
             WHERE host_id = ?
               AND position = ?
            """;

    private final Transactions transactions;
    private final SecretBox box;

    FenceAgentRows(Transactions transactions, SecretBox box) {
        this.transactions = transactions;
        this.box = box;
    }

    /** A row without its secrets. */
    private record Place(
            UUID host,
            int position,
            String type,
            String address,
            @Nullable Integer port,
            @Nullable String user) {

        static Place of(ResultSet row) throws SQLException {
            return new Place(
                    row.getObject("host_id", UUID.class),
                    row.getInt("position"),
                    row.getString("type"),
                    row.getString("address"),
                    row.getObject("port", Integer.class),
                    row.getString("user_name"));
        }

        /** Context that binds the secret to its agent. No line holds a line break itself. */
        String context() {
            return String.join(
                    "\n",
                    "host_fence_agent",
                    host.toString(),
                    Integer.toString(position),
                    type,
                    address,
                    port == null ? "" : port.toString(),
                    user == null ? "" : user);
        }
    }

    /** Secret values of an agent. */
    private record Secret(@Nullable String password, Map<String, String> options) {

        boolean isEmpty() {
            return password == null && options.isEmpty();
        }

        String text() {
            Map<String, String> members = new TreeMap<>();
            options.forEach((name, value) -> members.put(OPTION + name, value));
            if (password != null) {
                members.put(PASSWORD, password);
            }
            return Json.ofTexts(members);
        }

        static Secret parse(String text) throws SQLException {
            Map<String, String> options = new TreeMap<>();
            Map<String, String> members = Json.texts(text);
            members.forEach((name, value) -> {
                if (name.startsWith(OPTION)) {
                    options.put(name.substring(OPTION.length()), value);
                }
            });
            return new Secret(members.get(PASSWORD), options);
        }

        /** Secrets that an earlier version stored readable. */
        static Secret readable(ResultSet row) throws SQLException {
            return new Secret(
                    row.getString("password"), Json.texts(row.getString("agent_options")));
        }
    }

    List<FenceAgent> load(HostId host) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    List<FenceAgent> agents = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(LOAD)) {
                        Sql.bind(statement, host.value());
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                agents.add(agent(row));
                            }
                        }
                    }
                    return agents;
                });
    }

    private FenceAgent agent(ResultSet row) throws SQLException {
        Place place = Place.of(row);
        String sealed = row.getString("secret");
        Secret secret;
        String trouble = null;
        if (sealed == null) {
            secret = Secret.readable(row);
        } else {
            try {
                secret = Secret.parse(box.open(sealed, place.context()));
            } catch (SecretBox.Unusable e) {
                secret = new Secret(null, Map.of());
                trouble = "its password cannot be decrypted: " + e.getMessage();
            }
        }
        return new FenceAgent(
                place.type(),
                place.address(),
                place.port(),
                place.user(),
                secret.password(),
                secret.options(),
                trouble);
    }

    private record Row(Place place, @Nullable String sealed) {}

    private static final List<Column<Row>> INSERTED =
            List.of(
                    Column.uuid("host_id", row -> row.place().host()),
                    Column.integer("position", row -> row.place().position()),
                    Column.text("type", row -> row.place().type()),
                    Column.text("address", row -> row.place().address()),
                    Column.integer("port", row -> row.place().port()),
                    Column.text("user_name", row -> row.place().user()),
                    Column.text("secret", Row::sealed));

    /** Replacements of the agents of a host wait for each other, so that they do not mix. */
    private static final String LOCK_HOST =
            "SELECT true FROM host_static WHERE host_id = ? FOR NO KEY UPDATE";

    /**
     * Replaces the agents of a host.
     *
     * @throws SecretBox.Unusable if there is a secret and no key
     */
    boolean save(HostId host, List<FenceAgent> agents) throws StoreUnavailable {
        List<Row> rows = new ArrayList<>();
        for (FenceAgent agent : agents) {
            Place place =
                    new Place(
                            host.value(),
                            rows.size(),
                            storable(agent.type()),
                            storable(agent.address()),
                            agent.port(),
                            agent.user() == null ? null : storable(agent.user()));
            Secret secret = new Secret(agent.password(), agent.options());
            rows.add(
                    new Row(
                            place,
                            secret.isEmpty() ? null : box.seal(secret.text(), place.context())));
        }
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    if (!Sql.isTrue(connection, LOCK_HOST, host.value())) {
                        return false;
                    }
                    int _ =
                            Sql.update(
                                    connection,
                                    "DELETE FROM host_fence_agent WHERE host_id = ?",
                                    host.value());
                    int _ = Sql.insert(connection, "host_fence_agent", INSERTED, rows);
                    return true;
                });
    }

    /** The secret is bound to the text in the form in which it is read again. */
    private static String storable(String text) {
        return Column.storable(text);
    }

    Set<HostId> hosts() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "SELECT DISTINCT host_id FROM host_fence_agent")) {
                        Set<HostId> hosts = new HashSet<>();
                        Sql.uuids(statement).forEach(id -> hosts.add(new HostId(id)));
                        return hosts;
                    }
                });
    }

    /**
     * How the secret of a row is stored.
     *
     * @return the name of its key, {@link SecretStore#READABLE}, or null if it has none
     */
    @Nullable String keyOf(ResultSet row) throws SQLException {
        String sealed = row.getString("secret");
        if (sealed != null) {
            return box.keyOf(sealed);
        }
        return Secret.readable(row).isEmpty() ? null : SecretStore.READABLE;
    }

    /** Stores the encrypted secret of a row. */
    static SealedRows.Change change(ResultSet row, String sealed) throws SQLException {
        Place place = Place.of(row);
        return connection -> Sql.update(connection, SEAL, sealed, place.host(), place.position());
    }

    /** The secret of a row by the newest key; null if it is so already, or there is none. */
    @Nullable String again(ResultSet row, String newest) throws SQLException {
        Place place = Place.of(row);
        String sealed = row.getString("secret");
        if (sealed == null) {
            Secret readable = Secret.readable(row);
            return readable.isEmpty() ? null : box.seal(readable.text(), place.context());
        }
        String text = box.open(sealed, place.context()); // fails here if no key opens it
        return box.keyOf(sealed).equals(newest) ? null : box.seal(text, place.context());
    }
}
