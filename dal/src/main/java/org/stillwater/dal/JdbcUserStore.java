package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.UserStore;

/** Users and tokens in PostgreSQL. Thread-safe. */
final class JdbcUserStore implements UserStore {

    private final Transactions transactions;

    JdbcUserStore(Transactions transactions) {
        this.transactions = transactions;
    }

    private static final String USERS =
            """
            SELECT u.user_id, u.name, u.password_hash, u.enabled, u.created_at, u.must_change_password, g.role, g.cluster_id, g.vm_guid
              FROM engine_user AS u
              LEFT JOIN user_grant AS g USING (user_id)
             ORDER BY u.name
            """;

    @Override
    public List<User> users() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.USERS,
                connection -> {
                    Map<UUID, User> users = new LinkedHashMap<>();
                    Map<UUID, Set<Grant>> grants = new LinkedHashMap<>();
                    try (PreparedStatement statement = connection.prepareStatement(USERS);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            User user = user(row);
                            users.put(user.id(), user);
                            Set<Grant> all =
                                    grants.computeIfAbsent(user.id(), _ -> new HashSet<>());
                            Grant grant = grant(row);
                            if (grant != null) {
                                all.add(grant);
                            }
                        }
                    }
                    return users.values().stream()
                            .map(user ->
                                    user.with(
                                            user.enabled(),
                                            grants.getOrDefault(user.id(), Set.of())))
                            .toList();
                });
    }

    private static User user(ResultSet row) throws SQLException {
        return new User(
                row.getObject("user_id", UUID.class),
                row.getString("name"),
                row.getString("password_hash"),
                row.getBoolean("enabled"),
                Set.of(),
                time(row, "created_at"),
                row.getBoolean("must_change_password"));
    }

    private static @Nullable Grant grant(ResultSet row) throws SQLException {
        String label = row.getString("role");
        Role role = label == null ? null : Role.ofLabel(label);
        if (role == null) {
            return null;
        }
        UUID cluster = row.getObject("cluster_id", UUID.class);
        UUID vm = row.getObject("vm_guid", UUID.class);
        Scope scope =
                cluster != null
                        ? new Scope.OfCluster(new ClusterId(cluster))
                        : vm != null ? new Scope.OfVm(VmId.of(vm)) : new Scope.Everything();
        return new Grant(role, scope);
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(Sql.instant(row, column));
    }

    private static final String TOKENS =
            """
            SELECT token_id, user_id, label, hash, roles, created_at, expires_at
              FROM api_token
             ORDER BY created_at, token_id
            """;

    @Override
    public List<ApiToken> tokens() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.USERS,
                connection -> {
                    List<ApiToken> tokens = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(TOKENS);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            tokens.add(token(row));
                        }
                    }
                    return tokens;
                });
    }

    private static ApiToken token(ResultSet row) throws SQLException {
        Set<Role> roles = new HashSet<>();
        for (String label : (String[]) row.getArray("roles").getArray()) {
            Role role = Role.ofLabel(label);
            if (role != null) {
                roles.add(role);
            }
        }
        return new ApiToken(
                row.getObject("token_id", UUID.class),
                row.getObject("user_id", UUID.class),
                row.getString("label"),
                row.getString("hash"),
                roles,
                time(row, "created_at"),
                Sql.instant(row, "expires_at"));
    }

    private static final String SAVE =
            """
            INSERT INTO engine_user (user_id, name, password_hash, enabled, created_at, must_change_password)
            VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (user_id) DO UPDATE
               SET name = excluded.name, password_hash = excluded.password_hash, enabled = excluded.enabled,
                   must_change_password = excluded.must_change_password
            """;

    private record Row(UUID user, Grant grant) {

        @Nullable UUID cluster() {
            return grant.scope() instanceof Scope.OfCluster(ClusterId id) ? id.value() : null;
        }

        @Nullable UUID vm() {
            return grant.scope() instanceof Scope.OfVm(VmId id) ? id.toUuid() : null;
        }
    }

    private static final List<Column<Row>> GRANT_COLUMNS =
            List.of(
                    Column.uuid("user_id", Row::user),
                    Column.text("role", row -> row.grant().role().label()),
                    Column.uuid("cluster_id", Row::cluster),
                    Column.uuid("vm_guid", Row::vm));

    @Override
    public Saved save(User user) throws StoreUnavailable {
        return Sql.saved(transactions, SqlStage.USERS, connection -> save(connection, user));
    }

    private static int save(Connection connection, User user) throws SQLException {
        int saved =
                Sql.update(
                        connection,
                        SAVE,
                        user.id(),
                        user.name(),
                        user.passwordHash(),
                        user.enabled(),
                        user.createdAt(),
                        user.mustChangePassword());
        int _ = Sql.update(connection, "DELETE FROM user_grant WHERE user_id = ?", user.id());
        int _ =
                Sql.insert(
                        connection,
                        "user_grant",
                        GRANT_COLUMNS,
                        user.grants().stream().map(grant -> new Row(user.id(), grant)).toList());
        return saved;
    }

    @Override
    public boolean remove(UUID user) throws StoreUnavailable {
        return change("DELETE FROM engine_user WHERE user_id = ?", user);
    }

    private static final List<Column<ApiToken>> TOKEN_COLUMNS =
            List.of(
                    Column.uuid("token_id", ApiToken::id),
                    Column.uuid("user_id", ApiToken::user),
                    Column.text("label", ApiToken::label),
                    Column.text("hash", ApiToken::hash),
                    Column.texts(
                            "roles",
                            token -> token.roles().stream().map(Role::label).sorted().toList()),
                    Column.time("created_at", ApiToken::createdAt),
                    Column.time("expires_at", ApiToken::expiresAt));

    @Override
    public Saved add(ApiToken token) throws StoreUnavailable {
        return Sql.saved(
                transactions,
                SqlStage.USERS,
                connection -> Sql.insert(connection, "api_token", TOKEN_COLUMNS, List.of(token)));
    }

    @Override
    public boolean removeToken(UUID token) throws StoreUnavailable {
        return change("DELETE FROM api_token WHERE token_id = ?", token);
    }

    private boolean change(String sql, UUID id) throws StoreUnavailable {
        return transactions.runOrUnavailable(
                        SqlStage.USERS, connection -> Sql.update(connection, sql, id))
                == 1;
    }
}
