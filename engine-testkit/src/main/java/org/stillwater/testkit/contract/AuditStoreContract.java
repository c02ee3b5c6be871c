package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.AuditStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;

/** Contract of every {@link AuditStore}. A subclass hands out an empty store before each test. */
public abstract class AuditStoreContract {

    /** Real days: a database may refuse to drop rows that are young by its own clock. */
    private final Instant today = Instant.now().truncatedTo(ChronoUnit.DAYS);

    private final Instant start = today.minus(Duration.ofDays(2)).plusNanos(123_456_000);

    private AuditStore store;

    /** An empty audit log. */
    protected abstract AuditStore emptyLog() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyLog();
    }

    private AuditEntry entry(
            int id, Instant at, AuditEvent event, @Nullable VmId vm, @Nullable HostId host) {
        return AuditEntry.of(
                id,
                at,
                event,
                vm,
                vm == null ? null : "vm " + Samples.AWKWARD,
                host,
                host == null ? null : "host",
                Map.of("exitMessage", Samples.AWKWARD, "user", "", "q\"uo,te", "{a,\"b\"}"));
    }

    private AuditEntry entry(int id) {
        return entry(
                id, start.plusSeconds(id), AuditEvent.VM_DOWN, Samples.vm(id), Samples.host(id));
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }

    @Test
    void appendedEntriesAreReadNewestFirst() throws StoreUnavailable {
        List<AuditEntry> batch = List.of(entry(1), entry(2), entry(3));
        assertThat(store.append(batch)).isEqualTo(written(3));
        assertThat(store.newest(AuditFilter.ANY, null, 10)).isEqualTo(batch.reversed());
    }

    @Test
    void anEntryNeedsNeitherVmNorHostNorDetails() throws StoreUnavailable {
        AuditEntry bare =
                AuditEntry.of(1, start, AuditEvent.VM_DOWN, null, null, null, null, Map.of());
        store.append(List.of(bare));
        assertThat(store.newest(AuditFilter.ANY, null, 10)).containsExactly(bare);
    }

    @Test
    void aBatchHandedInTwiceIsThereOnce() throws StoreUnavailable {
        List<AuditEntry> batch = List.of(entry(1), entry(2));
        store.append(batch);
        assertThat(store.append(List.of(entry(1), entry(2), entry(3)))).isEqualTo(written(1));
        assertThat(store.newest(AuditFilter.ANY, null, 10)).hasSize(3);
    }

    @Test
    void anEmptyBatchIsNothing() {
        assertThat(store.append(List.of())).isEqualTo(written(0));
    }

    @Test
    void entriesOfOneMomentAreOrderedByTheirNumber() throws StoreUnavailable {
        List<AuditEntry> batch =
                IntStream.range(0, 5)
                        .mapToObj(id -> entry(id, start, AuditEvent.VM_DOWN, null, null))
                        .toList();
        store.append(batch);
        assertThat(store.newest(AuditFilter.ANY, batch.get(3).position(), 2))
                .containsExactly(batch.get(2), batch.get(1));
    }

    @Test
    void pagesNeitherRepeatNorSkip() throws StoreUnavailable {
        List<AuditEntry> batch = IntStream.range(0, 50).mapToObj(this::entry).toList();
        store.append(batch);
        List<AuditEntry> read = new ArrayList<>();
        AuditEntry.Position before = null;
        List<AuditEntry> page = store.newest(AuditFilter.ANY, before, 7);
        while (!page.isEmpty()) {
            read.addAll(page);
            before = page.getLast().position();
            page = store.newest(AuditFilter.ANY, before, 7);
        }
        assertThat(read).isEqualTo(batch.reversed());
    }

    @Test
    void filtersAreMetByEveryEntryAndByNoOther() throws StoreUnavailable {
        VmId vm = Samples.vm(1);
        HostId host = Samples.host(1);
        List<AuditEntry> all = new ArrayList<>();
        int id = 0;
        for (AuditEvent event : AuditEvent.values()) {
            for (VmId about : new VmId[] {vm, Samples.vm(2)}) {
                for (HostId on : new HostId[] {host, Samples.host(2)}) {
                    all.add(entry(++id, start.plusSeconds(id), event, about, on));
                }
            }
        }
        store.append(all);
        Instant middle = start.plusSeconds(id / 2);
        for (AuditFilter filter :
                List.of(
                        AuditFilter.ANY,
                        new AuditFilter(vm, null, AuditSeverity.NORMAL, null, null, null),
                        new AuditFilter(null, host, AuditSeverity.NORMAL, null, null, null),
                        new AuditFilter(null, null, AuditSeverity.WARNING, null, null, null),
                        new AuditFilter(null, null, AuditSeverity.ERROR, null, null, null),
                        new AuditFilter(null, null, AuditSeverity.ALERT, null, null, null),
                        new AuditFilter(
                                null, null, AuditSeverity.NORMAL, AuditEvent.VM_PAUSED, null, null),
                        new AuditFilter(null, null, AuditSeverity.NORMAL, null, middle, null),
                        new AuditFilter(null, null, AuditSeverity.NORMAL, null, null, middle),
                        new AuditFilter(
                                null,
                                null,
                                AuditSeverity.NORMAL,
                                null,
                                start.plusSeconds(3),
                                start.plusSeconds(9)),
                        new AuditFilter(
                                vm,
                                host,
                                AuditSeverity.ERROR,
                                AuditEvent.VM_DOWN_ERROR,
                                start,
                                today))) {
            assertThat(store.newest(filter, null, 1_000))
                    .as(filter.toString())
                    .isEqualTo(all.reversed().stream().filter(filter::matches).toList());
        }
    }

    @Test
    void unexpectedTimesAreStoredAsWell() throws StoreUnavailable {
        AuditEntry longAgo =
                entry(1, Instant.parse("1999-12-31T23:59:59Z"), AuditEvent.VM_DOWN, null, null);
        AuditEntry farAhead =
                entry(2, Instant.parse("2099-12-31T23:59:59Z"), AuditEvent.VM_DOWN, null, null);
        assertThat(store.append(List.of(longAgo, farAhead))).isEqualTo(written(2));
        assertThat(store.newest(AuditFilter.ANY, null, 10)).containsExactly(farAhead, longAgo);
    }

    @Test
    void maintenanceDropsOldEntriesAndKeepsTheRest() throws StoreUnavailable {
        AuditEntry old = entry(1, today.minus(Duration.ofDays(60)), AuditEvent.VM_DOWN, null, null);
        AuditEntry aged =
                entry(2, today.minus(Duration.ofDays(29)), AuditEvent.VM_DOWN, null, null);
        AuditEntry fresh = entry(3, today, AuditEvent.VM_DOWN, null, null);
        AuditEntry ahead = entry(4, today.plus(Duration.ofDays(9)), AuditEvent.VM_DOWN, null, null);
        store.append(List.of(old, aged, fresh, ahead));
        maintain();
        assertThat(store.newest(AuditFilter.ANY, null, 10)).containsExactly(ahead, fresh, aged);
        maintain();
        AuditEntry next = entry(5, today, AuditEvent.VM_DOWN, null, null);
        assertThat(store.append(List.of(fresh, next))).isEqualTo(written(1));
        assertThat(store.newest(AuditFilter.ANY, null, 10))
                .containsExactly(ahead, next, fresh, aged);
    }

    private void maintain() throws StoreUnavailable {
        store.maintain(today, today.plus(Duration.ofDays(28)), today.minus(Duration.ofDays(30)));
    }
}
