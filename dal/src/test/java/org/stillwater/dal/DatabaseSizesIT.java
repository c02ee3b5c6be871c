package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DatabaseSizesIT {

    @Test
    void theEnginesRoleSeesSizesAndHistoryCountsWithItsPartitions() throws Exception {
        try (TestDatabase server = TestDatabase.migrated();
                Database database = server.open()) {
            DatabaseSizes.Sizes before = database.sizes();
            assertThat(before.historyBytes()).isLessThan(before.bytes());
            server.execute(
                    "SELECT maintain_history('2026-11-20T00:30Z', '2026-11-20T02:00Z',"
                            + " '100 years', '100 years', '100 years')",
                    """
                    INSERT INTO vm_samples (vm_id, at)
                    SELECT gen_random_uuid(), '2026-11-20T00:30Z' FROM generate_series(1, 20000)
                    """);
            DatabaseSizes.Sizes after = database.sizes();
            long grown = after.historyBytes() - before.historyBytes();
            assertThat(grown).isGreaterThan(1_000_000);
            assertThat(after.bytes() - before.bytes()).isGreaterThanOrEqualTo(grown);
            assertThat(DatabaseSizes.text(server.settings())).contains("vm_samples", "KiB");
        }
    }
}
