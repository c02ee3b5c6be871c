package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.secret.SecretStore;
import org.stillwater.core.secret.SecretStore.Resealed;
import org.stillwater.testkit.LabelledSecretBox;
import org.stillwater.testkit.Samples;

/** The secrets of fence agents are never readable in the database, and belong to their rows. */
class FenceAgentSecretsIT {

    private static final String PASSWORD = "s3cret of a board";
    private static final String COMMUNITY = "not-public";
    private static final HostId HOST = Samples.host(1);
    private static final FenceAgent AGENT =
            new FenceAgent(
                    "apc_snmp",
                    "192.0.2.9",
                    161,
                    "admin",
                    PASSWORD,
                    Map.of("community", COMMUNITY, "plug", "4"));

    private static TestDatabase server;

    private final LabelledSecretBox box = new LabelledSecretBox("k1");
    private Database database;

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
        server.execute("TRUNCATE host_static CASCADE");
        server.execute(
                "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'h1', 'h1', 54321), ('%s', 'h2', 'h2', 54321)"
                        .formatted(HOST.value(), Samples.host(2).value()));
        database = server.open(box);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static String everything() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT string_agg(to_jsonb(a)::text, ' ') FROM host_fence_agent"
                                        + " AS a")) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    @Test
    void nothingSecretIsReadableInTheDatabase() throws Exception {
        assertThat(database.definitions().saveFenceAgents(HOST, List.of(AGENT))).isTrue();
        assertThat(everything()).contains("192.0.2.9").doesNotContain(PASSWORD, COMMUNITY);
        assertThat(database.definitions().fenceAgents(HOST)).containsExactly(AGENT);
        assertThat(database.secrets().byKey()).containsExactly(Map.entry("k1", 1));
    }

    @Test
    void plainSecretsOfAnEarlierVersionAreEncryptedAtOnce() throws Exception {
        readable(HOST, PASSWORD);
        assertThat(database.definitions().fenceAgents(HOST)).containsExactly(AGENT);
        assertThat(database.secrets().byKey()).containsExactly(Map.entry(SecretStore.READABLE, 1));
        assertThat(database.secrets().reseal()).isEqualTo(new Resealed(1, Map.of()));
        assertThat(everything()).doesNotContain(PASSWORD, COMMUNITY);
        assertThat(database.definitions().fenceAgents(HOST)).containsExactly(AGENT);
        assertThat(database.secrets().reseal()).isEqualTo(new Resealed(0, Map.of()));
    }

    private static void readable(HostId host, String password) throws SQLException {
        server.execute(
                """
                INSERT INTO host_fence_agent (host_id, position, type, address, port, user_name, password, agent_options)
                VALUES ('%s', 0, 'apc_snmp', '192.0.2.9', 161, 'admin', '%s', '{"community": "%s", "plug": "4"}')
                """
                        .formatted(host.value(), password, COMMUNITY));
    }

    @Test
    void withoutAKeyNothingIsStoredReadableInstead() throws Exception {
        box.keys();
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> database.definitions().saveFenceAgents(HOST, List.of(AGENT)));
        assertThat(everything()).isNull();
        readable(HOST, PASSWORD);
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> database.secrets().reseal());
        assertThat(everything()).contains(PASSWORD); // as it was: nothing is lost
        FenceAgent plain = new FenceAgent("apc", "192.0.2.9", null, null, null, Map.of());
        assertThat(database.definitions().saveFenceAgents(HOST, List.of(plain))).isTrue();
        assertThat(database.definitions().fenceAgents(HOST)).containsExactly(plain);
    }

    @Test
    void anAgentWithAMissingKeyNamesItAndIsKept() throws Exception {
        assertThat(database.definitions().saveFenceAgents(HOST, List.of(AGENT))).isTrue();
        box.keys("k2");
        FenceAgent kept = database.definitions().fenceAgents(HOST).getFirst();
        assertThat(kept.trouble()).contains("the key k1 is missing");
        assertThat(kept.password()).isNull();
        assertThat(kept.options()).isEmpty();
        assertThat(database.secrets().reseal())
                .isEqualTo(new Resealed(0, Map.of("the key k1 is missing", 1)));
        box.keys("k2", "k1");
        assertThat(database.definitions().fenceAgents(HOST)).containsExactly(AGENT);
    }

    @Test
    void aNewKeyEncryptsEverythingAndReplacesTheOldOne() throws Exception {
        assertThat(database.definitions().saveFenceAgents(HOST, List.of(AGENT, AGENT))).isTrue();
        box.keys("k2", "k1");
        assertThat(database.secrets().reseal()).isEqualTo(new Resealed(2, Map.of()));
        assertThat(database.secrets().byKey()).containsExactly(Map.entry("k2", 2));
        box.keys("k2");
        assertThat(database.definitions().fenceAgents(HOST)).containsExactly(AGENT, AGENT);
    }

    /** A writer of the database must not be able to redirect a password. */
    @Test
    void aSecretBelongsToItsRow() throws Exception {
        for (String change :
                List.of(
                        "address = '198.51.100.6'",
                        "type = 'apc'",
                        "port = 162",
                        "user_name = 'root'",
                        "position = 5",
                        "host_id = (SELECT host_id FROM host_static WHERE host_name = 'h2')")) {
            server.execute("DELETE FROM host_fence_agent");
            assertThat(database.definitions().saveFenceAgents(HOST, List.of(AGENT))).isTrue();
            server.execute("UPDATE host_fence_agent SET " + change);
            HostId now = database.definitions().hostsWithFenceAgents().iterator().next();
            FenceAgent moved = database.definitions().fenceAgents(now).getFirst();
            assertThat(moved.password()).as(change).isNull();
            assertThat(moved.trouble()).as(change).contains("belongs to another row");
        }
    }

    @Test
    void aRowIsNeverReadableAndEncryptedAtOnce() throws Exception {
        assertThat(database.definitions().saveFenceAgents(HOST, List.of(AGENT))).isTrue();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> server.execute("UPDATE host_fence_agent SET password = 'x'"));
    }
}
