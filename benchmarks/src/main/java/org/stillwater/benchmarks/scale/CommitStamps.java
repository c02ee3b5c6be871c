package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** When rows of VMs were committed, by PostgreSQL's own stamps. */
public final class CommitStamps {

    private CommitStamps() {}

    /**
     * The last commit of each VM's state, in milliseconds of the harness's monotonic clock. Commits
     * are stamped by the wall clock, which is compared with the monotonic one here.
     */
    public static Map<String, Double> millis(
            EngineProcess engine, Collection<String> vms, HarnessClock clock) throws IOException {
        Map<String, Double> commits = new HashMap<>();
        try (Connection connection = engine.connectToDatabase();
                PreparedStatement query =
                        connection.prepareStatement(
                                """
                                SELECT vm_guid::text,
                                       extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000
                                  FROM vm_dynamic
                                 WHERE vm_guid = ANY (?::uuid[])
                                """)) {
            Array ids = connection.createArrayOf("text", vms.toArray());
            query.setArray(1, ids);
            double monotonicMinusWallMillis = clock.monotonicMinusWallMillis();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    commits.put(rows.getString(1), rows.getDouble(2) + monotonicMinusWallMillis);
                }
            }
        } catch (SQLException e) {
            throw new BenchFailure("cannot ask the database for commits: " + e.getMessage(), e);
        }
        return commits;
    }
}
