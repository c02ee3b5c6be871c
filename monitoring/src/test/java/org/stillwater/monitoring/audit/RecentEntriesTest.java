package org.stillwater.monitoring.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEntry.Position;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.testkit.Samples;

class RecentEntriesTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final RecentEntries recent = new RecentEntries(3);

    private static AuditEntry entry(long id, long second) {
        return AuditEntry.of(
                id,
                START.plusSeconds(second),
                AuditEvent.VDS_DETECTED,
                null,
                null,
                Samples.host(1),
                "h",
                Map.of());
    }

    private List<Long> ids(int limit) {
        return recent.find(AuditFilter.ANY, null, limit).entries().stream()
                .map(AuditEntry::id)
                .toList();
    }

    @Test
    void theNewestComeFirst() {
        recent.add(entry(1, 1));
        recent.add(entry(2, 2));
        assertThat(ids(10)).containsExactly(2L, 1L);
        assertThat(ids(1)).containsExactly(2L);
        assertThat(recent.find(AuditFilter.ANY, null, 10).floor()).as("nothing missing").isNull();
    }

    @Test
    void theOldestMakesRoomAndIsKnownToBeMissing() {
        for (int i = 1; i <= 5; i++) {
            recent.add(entry(i, i));
        }
        assertThat(ids(10)).containsExactly(5L, 4L, 3L);
        assertThat(recent.find(AuditFilter.ANY, null, 10).floor())
                .isEqualTo(new Position(START.plusSeconds(2), 2));
    }

    @Test
    void anEntryOfAClockThatWasSetBackComesToItsPlace() {
        recent.add(entry(1, 10));
        recent.add(entry(2, 5));
        recent.add(entry(3, 20));
        assertThat(ids(10)).containsExactly(3L, 1L, 2L);
    }

    @Test
    void anEntryOlderThanAFullMemoryIsLeftOut() {
        for (int i = 1; i <= 3; i++) {
            recent.add(entry(i, 10 + i));
        }
        recent.add(entry(4, 1));
        assertThat(ids(10)).containsExactly(3L, 2L, 1L);
        assertThat(recent.find(AuditFilter.ANY, null, 10).floor())
                .isEqualTo(new Position(START.plusSeconds(1), 4));
    }

    @Test
    void aPageBeginsBelowAPlace() {
        for (int i = 1; i <= 3; i++) {
            recent.add(entry(i, i));
        }
        Position second = new Position(START.plusSeconds(2), 2);
        assertThat(recent.find(AuditFilter.ANY, second, 10).entries())
                .extracting(AuditEntry::id)
                .containsExactly(1L);
    }

    @Test
    void loadedEntriesMayHaveOlderOnesBelow() {
        recent.load(List.of(entry(7, 7), entry(6, 6)), true);
        assertThat(ids(10)).containsExactly(7L, 6L);
        assertThat(recent.find(AuditFilter.ANY, null, 10).floor())
                .isEqualTo(new Position(START.plusSeconds(6), 5));
        recent.add(entry(3, 3));
        assertThat(ids(10)).as("below the floor it would leave a gap").containsExactly(7L, 6L);
    }

    @Test
    void allThatIsLoadedIsAll() {
        recent.load(List.of(entry(7, 7)), false);
        assertThat(recent.find(AuditFilter.ANY, null, 10).floor()).isNull();
    }
}
