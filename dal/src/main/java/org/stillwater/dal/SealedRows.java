package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.secret.SecretStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * The encrypted rows of all tables: fence agents and XAPI pools. One statement reads them, because
 * each start does. Thread-safe.
 */
final class SealedRows implements SecretStore {

    /** The query of both tables; each part is locked apart, since a union cannot be. */
    private static final String LOAD =
            """
            SELECT *
              FROM (SELECT false AS is_pool, %s, NULL::text[] AS addresses, NULL::text AS trust
                      FROM host_fence_agent
                     ORDER BY host_id, position
                       %%1$s) AS agent
             UNION ALL
            SELECT *
              FROM (SELECT true, pool_id, 0, '', '', port, user_name, NULL::text, '{}'::jsonb, secret, addresses, trust
                      FROM xapi_pool
                     ORDER BY pool_id
                       %%1$s) AS pool
            """
                    .formatted(FenceAgentRows.COLUMNS);

    private static final String READ = LOAD.formatted("");
    private static final String LOCK = LOAD.formatted("FOR UPDATE");

    private final Transactions transactions;
    private final SecretBox box;
    private final FenceAgentRows agents;
    private final JdbcXapiPoolStore pools;

    SealedRows(
            Transactions transactions,
            SecretBox box,
            FenceAgentRows agents,
            JdbcXapiPoolStore pools) {
        this.transactions = transactions;
        this.box = box;
        this.agents = agents;
        this.pools = pools;
    }

    /** A write of an encrypted secret. */
    @FunctionalInterface
    interface Change {

        /** Number of changed rows. */
        int write(Connection connection) throws SQLException;
    }

    @Override
    public Map<String, Integer> byKey() throws StoreUnavailable {
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS,
                connection -> {
                    Map<String, Integer> counts = new TreeMap<>();
                    try (PreparedStatement statement = connection.prepareStatement(READ);
                            ResultSet row = statement.executeQuery()) {
                        while (row.next()) {
                            String key =
                                    row.getBoolean("is_pool")
                                            ? box.keyOf(row.getString("secret"))
                                            : agents.keyOf(row);
                            if (key != null) {
                                counts.merge(key, 1, Integer::sum);
                            }
                        }
                    }
                    return counts;
                });
    }

    @Override
    public Resealed reseal() throws StoreUnavailable {
        String newest = box.newestKey();
        return transactions.runOrUnavailable(
                SqlStage.DEFINITIONS, connection -> reseal(connection, newest));
    }

    private Resealed reseal(Connection connection, String newest) throws SQLException {
        Map<String, Integer> unreadable = new HashMap<>();
        List<Change> changes = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(LOCK);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                try {
                    Change change = change(row, newest);
                    if (change != null) {
                        changes.add(change);
                    }
                } catch (SecretBox.Unusable e) {
                    unreadable.merge(String.valueOf(e.getMessage()), 1, Integer::sum);
                }
            }
        }
        int changed = 0;
        for (Change each : changes) {
            changed += each.write(connection);
        }
        return new Resealed(changed, unreadable);
    }

    private @Nullable Change change(ResultSet row, String newest) throws SQLException {
        if (row.getBoolean("is_pool")) {
            String sealed = pools.again(row, newest);
            return sealed == null ? null : JdbcXapiPoolStore.change(row, sealed);
        }
        String sealed = agents.again(row, newest);
        return sealed == null ? null : FenceAgentRows.change(row, sealed);
    }
}
