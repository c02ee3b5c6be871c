package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.UserStore;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.UserStoreContract;

class JdbcUserStoreIT extends UserStoreContract {

    private static TestDatabase server;
    private static Database database;

    @BeforeAll
    static void open() throws StoreUnavailable {
        server = TestDatabase.migrated();
        database = server.open();
    }

    @AfterAll
    static void close() {
        database.close();
        server.close();
    }

    private static void execute(String sql) {
        try {
            server.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected UserStore emptyUsers() throws StoreUnavailable {
        execute("TRUNCATE engine_user, vm_static, host_static CASCADE");
        database.vms().add(List.of(Samples.storedVm(1)));
        return database.users();
    }

    @Override
    protected void forgetVm() {
        execute("DELETE FROM vm_static WHERE vm_guid = '" + VM + "'");
    }

    @Test
    void aGrantOfAnyScopeIsHeldOnce() throws Exception {
        emptyUsers();
        UUID user = new UUID(7, 7);
        UUID other = new UUID(7, 8);
        for (UUID each : List.of(user, other)) {
            server.execute(
                    "INSERT INTO engine_user (user_id, name, enabled, created_at) VALUES ('%1$s', '%1$s', true, now())"
                            .formatted(each));
        }
        List<String> scopes =
                List.of(
                        "NULL, NULL",
                        "(SELECT min(cluster_id::text)::uuid FROM cluster), NULL",
                        "NULL, '" + VM + "'");
        for (String scope : scopes) {
            server.execute(grant(user, "reader", scope));
            assertThatExceptionOfType(SQLException.class)
                    .as(scope)
                    .isThrownBy(() -> server.execute(grant(user, "reader", scope)))
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("23505"));
            server.execute(grant(user, "operator", scope), grant(other, "reader", scope));
        }
    }

    private static String grant(UUID user, String role, String scope) {
        return "INSERT INTO user_grant (user_id, role, cluster_id, vm_guid) VALUES ('%s', '%s', %s)"
                .formatted(user, role, scope);
    }
}
