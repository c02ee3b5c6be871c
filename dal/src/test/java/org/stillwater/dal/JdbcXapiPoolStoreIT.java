package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.XapiPoolDefinition;
import org.stillwater.core.connection.XapiPoolStore;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.secret.SecretStore.Resealed;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.testkit.LabelledSecretBox;
import org.stillwater.testkit.Samples;

/** XAPI pools in PostgreSQL, and their passwords, which are never readable there. */
class JdbcXapiPoolStoreIT {

    private static final String PASSWORD = "s3cret of a pool";
    private static final ClusterId LAB = Samples.cluster(1).id();
    private static final ClusterId STORE = Samples.cluster(2).id();

    private static TestDatabase server;

    private final LabelledSecretBox box = new LabelledSecretBox("k1");
    private Database database;
    private XapiPoolStore pools;

    @BeforeAll
    static void migrate() throws Exception {
        server = TestDatabase.migrated();
    }

    @AfterAll
    static void drop() {
        server.close();
    }

    @BeforeEach
    void open() throws Exception {
        server.execute("TRUNCATE xapi_pool, host_static CASCADE");
        server.execute("DELETE FROM cluster WHERE name LIKE 'cluster-%'");
        database = server.open(box);
        ClusterStore clusters = database.stores().clusters();
        assertThat(clusters.add(Samples.cluster(1))).isEqualTo(Saved.SAVED);
        assertThat(clusters.add(Samples.cluster(2))).isEqualTo(Saved.SAVED);
        pools = database.xapiPools();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static XapiPoolDefinition pool(ClusterId id, String name, String password) {
        return new XapiPoolDefinition(
                id,
                name,
                List.of("192.0.2.1", "xcp-2.example.org"),
                443,
                "stillwater",
                password,
                "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n",
                List.of("json-rpc", "xml-rpc"));
    }

    private static XapiPoolStore.Stored stored(XapiPoolDefinition pool) {
        return new XapiPoolStore.Stored(pool, false, null);
    }

    private static String everything() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT string_agg(to_jsonb(p)::text, ' ') FROM xapi_pool AS p")) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    @Test
    void aPoolIsLoadedAsItWasAddedAndItsPasswordIsNotReadable() throws Exception {
        XapiPoolDefinition lab = pool(LAB, "lab", PASSWORD);
        XapiPoolDefinition store = pool(STORE, "store", "other");
        assertThat(pools.add(store)).isEqualTo(Saved.SAVED);
        assertThat(pools.add(lab)).isEqualTo(Saved.SAVED);
        assertThat(pools.load()).containsExactly(stored(lab), stored(store));
        assertThat(everything()).contains("192.0.2.1", "stillwater").doesNotContain(PASSWORD);
        assertThat(lab.toString()).doesNotContain(PASSWORD);
    }

    @Test
    void namesAndIdentitiesAreUniqueAndAClusterIsNeeded() throws Exception {
        assertThat(pools.add(pool(LAB, "lab", PASSWORD))).isEqualTo(Saved.SAVED);
        assertThat(pools.add(pool(LAB, "other", PASSWORD))).isEqualTo(Saved.TAKEN);
        assertThat(pools.add(pool(STORE, "lab", PASSWORD))).isEqualTo(Saved.TAKEN);
        assertThat(pools.add(pool(new ClusterId(new UUID(7, 3)), "third", PASSWORD)))
                .isEqualTo(Saved.UNKNOWN);
        assertThat(pools.load()).hasSize(1);
        assertThat(database.stores().clusters().remove(LAB)).isEqualTo(ClusterStore.Removal.IN_USE);
    }

    @Test
    void aPoolIsReplacedUntilItsRemovalBegins() throws Exception {
        assertThat(pools.add(pool(LAB, "lab", PASSWORD))).isEqualTo(Saved.SAVED);
        XapiPoolDefinition moved =
                new XapiPoolDefinition(
                        LAB, "lab", List.of("192.0.2.7"), 8443, "other", "n", null, List.of("a"));
        assertThat(pools.update(moved)).isTrue();
        assertThat(pools.load()).containsExactly(stored(moved));
        assertThat(pools.beginRemoval(LAB)).isTrue();
        assertThat(pools.update(pool(LAB, "lab", PASSWORD))).isFalse();
        assertThat(pools.load()).containsExactly(new XapiPoolStore.Stored(moved, true, null));
        assertThat(pools.remove(LAB)).isTrue();
        assertThat(pools.remove(LAB)).isFalse();
        assertThat(pools.beginRemoval(LAB)).isFalse();
        assertThat(pools.load()).isEmpty();
    }

    @Test
    void aPasswordBelongsToItsAddresses() throws Exception {
        assertThat(pools.add(pool(LAB, "lab", PASSWORD))).isEqualTo(Saved.SAVED);
        for (String change :
                List.of(
                        "addresses = '{198.51.100.1}'",
                        "port = 444",
                        "user_name = 'root'",
                        "trust = NULL")) {
            server.execute("CREATE TABLE kept AS SELECT * FROM xapi_pool");
            server.execute("UPDATE xapi_pool SET " + change);
            XapiPoolStore.Stored found = pools.load().getFirst();
            assertThat(found.trouble()).as(change).contains("it belongs to another row");
            assertThat(found.pool().password()).isEmpty();
            assertThat(database.secrets().reseal())
                    .as(change)
                    .isEqualTo(new Resealed(0, Map.of("it belongs to another row", 1)));
            server.execute(
                    "DELETE FROM xapi_pool",
                    "INSERT INTO xapi_pool SELECT * FROM kept",
                    "DROP TABLE kept");
        }
        assertThat(pools.load()).containsExactly(stored(pool(LAB, "lab", PASSWORD)));
    }

    @Test
    void aNewKeyEncryptsPoolsAndFenceAgents() throws Exception {
        server.execute(
                "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'h1', 'h1', 54321)"
                        .formatted(Samples.host(1).value()));
        FenceAgent agent = new FenceAgent("apc", "192.0.2.9", null, "admin", "board", Map.of());
        assertThat(database.definitions().saveFenceAgents(Samples.host(1), List.of(agent)))
                .isTrue();
        assertThat(pools.add(pool(LAB, "lab", PASSWORD))).isEqualTo(Saved.SAVED);
        assertThat(database.secrets().byKey()).isEqualTo(Map.of("k1", 2));

        box.keys("k2", "k1");
        assertThat(database.secrets().reseal()).isEqualTo(new Resealed(2, Map.of()));
        assertThat(database.secrets().byKey()).isEqualTo(Map.of("k2", 2));
        assertThat(database.secrets().reseal()).isEqualTo(new Resealed(0, Map.of()));
        box.keys("k2");
        assertThat(pools.load()).containsExactly(stored(pool(LAB, "lab", PASSWORD)));
        assertThat(database.definitions().fenceAgents(Samples.host(1))).containsExactly(agent);

        box.keys("k3");
        assertThat(pools.load().getFirst().trouble()).contains("the key k2 is missing");
        assertThat(database.secrets().reseal())
                .isEqualTo(new Resealed(0, Map.of("the key k2 is missing", 2)));
        box.keys();
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> pools.add(pool(STORE, "store", PASSWORD)));
    }

    @Test
    void theSecretsOfBothTablesAreReadByOneStatement() throws Exception {
        long before = database.statements().statements();
        assertThat(database.secrets().byKey()).isEmpty();
        assertThat(database.statements().statements() - before).isOne();
        assertThat(database.secrets().reseal()).isEqualTo(new Resealed(0, Map.of()));
        assertThat(database.statements().statements() - before).isEqualTo(2);
    }
}
