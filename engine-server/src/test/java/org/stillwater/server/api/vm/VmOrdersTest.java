package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetChanges;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.FeedSettings;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumberColumn;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.rows.Page;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;
import org.stillwater.testkit.VirtualClock;
import tools.jackson.databind.json.JsonMapper;

/** The kept order of VMs equals a new sort, after any changes. */
class VmOrdersTest {

    private static final int VMS = 2_000;
    private static final Cluster CLUSTER = Cluster.DEFAULT;

    private final VirtualClock clock = new VirtualClock();
    private final VmRegistry registry = new VmRegistry(0);
    private final ChangeFeed feed = new ChangeFeed(FeedSettings.DEFAULT, 1);
    private final FleetReader fleet = mock(FleetReader.class);
    private final FleetChanges changes = mock(FleetChanges.class);
    private final Deque<Runnable> behind = new ArrayDeque<>();
    private final Random random = new Random(20_261_122);
    private final List<VmId> known = new ArrayList<>();
    private final Map<VmId, Long> numbers = new HashMap<>();
    private final Map<HostId, HostView> hosts = new HashMap<>();
    private String clusterName = "Default";
    private boolean wrapped = true;
    private VmOrders orders = orders(4);

    private VmOrders orders(int kept) {
        return new VmOrders(
                fleet,
                clock,
                Binder.get(new StandardEnvironment())
                        .bindOrCreate("stillwater.cycle", CycleSettings.class),
                new RestSettings(
                        100, 1000, 10_000, kept, DataSize.ofKilobytes(64), Duration.ofSeconds(1)),
                behind::add);
    }

    @BeforeEach
    void fleet() {
        when(fleet.readings())
                .thenAnswer(_ -> registry.readings().stream().map(this::counted).toList());
        when(fleet.revision()).thenAnswer(_ -> feed.revision());
        when(fleet.changes()).thenReturn(changes);
        when(changes.since(anyLong())).thenAnswer(call -> feed.since(call.getArgument(0)));
        when(fleet.reading(any()))
                .thenAnswer(call -> {
                    VmReading vm = registry.find(call.getArgument(0));
                    return vm == null ? null : counted(vm);
                });
        when(fleet.cluster(any()))
                .thenAnswer(_ ->
                        new Cluster(
                                CLUSTER.id(),
                                CLUSTER.dataCentre(),
                                clusterName,
                                CLUSTER.description(),
                                CLUSTER.requirements(),
                                CLUSTER.migrateOnError(),
                                CLUSTER.fencing(),
                                CLUSTER.memory()));
        for (int i = 0; i < VMS; i++) {
            add();
        }
    }

    private void add() {
        // Many share the lower half of their identity, on which VMs are first looked up.
        VmId id = new VmId(random.nextInt(), random.nextInt(VMS / 2));
        if (registry.find(id) != null) {
            return;
        }
        VmState state =
                new VmState(
                        VmRuntime.INITIAL.edit().set(RuntimeField.STATUS, status()).build(),
                        placement(),
                        0,
                        Instant.EPOCH,
                        0);
        registry.register(id, definition(), state, _ -> {});
        feed.vmAdded(manager(id));
        known.add(id);
    }

    private VmManager manager(VmId id) {
        VmManager vm = registry.find(id);
        assertThat(vm).isNotNull();
        return vm;
    }

    private VmStatic definition() {
        return new VmStatic(
                "vm-" + random.nextInt(300),
                VmOrigin.EXTERNAL,
                random.nextBoolean(),
                1024,
                512,
                1,
                1,
                1,
                List.of());
    }

    private VmStatus status() {
        return random.nextBoolean() ? VmStatus.UP : VmStatus.PAUSED;
    }

    private VmPlacement placement() {
        return VmPlacement.on(new HostId(new UUID(7, random.nextInt(9))));
    }

    private void happen() {
        VmId id = known.get(random.nextInt(known.size()));
        switch (random.nextInt(6)) {
            case 0 -> add();
            case 1 -> {
                VmManager gone = manager(id);
                registry.remove(gone, clock.nanoTime());
                feed.vmRemoved(gone, 0);
                known.remove(id);
            }
            case 2 -> {
                feed.vmRedefined(manager(id), definition());
                feed.vmTagged(manager(id));
            }
            default -> {
                VmState now = manager(id).state();
                feed.vmChanged(
                        manager(id),
                        new VmState(
                                now.runtime().edit().set(RuntimeField.STATUS, status()).build(),
                                placement(),
                                0,
                                Instant.EPOCH,
                                0),
                        RuntimeFields.of(RuntimeField.STATUS),
                        true);
            }
        }
    }

    private static Order<VmRow> order(String text) {
        return new Order<>(VmTable.COLUMNS, text);
    }

    private VmOrders.Kept kept(String text) {
        VmOrders.Kept kept = orders.of(order(text));
        for (int i = 0; i < 3 && kept == null; i++) {
            clock.advance(Duration.ofMinutes(1));
            while (!behind.isEmpty()) {
                behind.remove().run();
            }
            kept = orders.of(order(text));
        }
        assertThat(kept).isNotNull();
        return kept;
    }

    /** A VM with numbers of which many are alike, and some unknown. */
    private record Counted(VmReading vm, Map<VmId, Long> numbers) implements VmReading {
        @Override
        public VmId id() {
            return vm.id();
        }

        @Override
        public VmStatic definition() {
            return vm.definition();
        }

        @Override
        public VmState state() {
            return vm.state();
        }

        @Override
        public long lastReportEpochMillis() {
            return vm.lastReportEpochMillis();
        }

        @Override
        public void numbers(VmNumbers into) {
            throw new IllegalStateException("a pass over many reads no numbers but the one");
        }

        @Override
        public long whole(VmNumber number) {
            return numbers.getOrDefault(vm.id(), VmNumbers.UNKNOWN);
        }

        @Override
        public double fraction(VmNumber number) {
            long number100 = whole(number);
            return number100 == VmNumbers.UNKNOWN ? Double.NaN : (number100 - 2) / 2.0;
        }

        @Override
        public long deviceDigest() {
            return 0;
        }

        @Override
        public long observedEpochMillis() {
            return 0;
        }
    }

    private VmReading counted(VmReading vm) {
        return wrapped ? new Counted(vm, numbers) : vm;
    }

    private List<VmId> paged(String text, int limit, Predicate<VmRow> wanted, boolean counting) {
        List<VmId> ids = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            Order<VmRow> order = order(text);
            Page<VmRow, VmRow.Pinned> page =
                    new Page<>(order, cursor, limit, new JsonMapper(), VmRow::pinned, VmRow.IDS);
            VmRanking ranking = VmRanking.of(order, orders);
            assertThat(ranking).isNotNull();
            VmRow row = new VmRow(fleet, clock.now(), Duration.ofSeconds(30));
            int total = ranking.fill(page, wanted, row, counting);
            if (counting) {
                assertThat(total).isEqualTo(wantedOf(wanted));
            }
            List<VmRow.Pinned> rows = page.rows();
            assertThat(rows).hasSizeLessThanOrEqualTo(limit);
            rows.forEach(pinned -> ids.add(pinned.vm().id()));
            cursor = page.next();
        }
        return ids;
    }

    private int wantedOf(Predicate<VmRow> wanted) {
        VmRow row = new VmRow(fleet, clock.now(), Duration.ofSeconds(30));
        return (int)
                registry.readings().stream()
                        .filter(vm -> wanted.test(row.scan(counted(vm))))
                        .count();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-cpu,name",
                "cpu",
                "-memory,host,-name",
                "network,-id",
                "statistics.cpuUserPercent,name",
                "-statistics.cpuUserPercent,status,-id"
            })
    void aNumberBeforeAnOrderThatIsKeptIsTheOrderThatASortMakes(String text) {
        String rest = text.contains(",") ? text.substring(text.indexOf(',') + 1) : "id";
        for (int round = 0; round < 12; round++) {
            numbers.clear();
            // At first nothing is known, as after a start.
            for (VmId id : round == 0 ? List.<VmId>of() : known) {
                int number = random.nextInt(round < 6 ? 6 : 5_000);
                if (number > 0) {
                    numbers.put(id, (long) number);
                }
            }
            for (int i = 0; i < random.nextInt(40); i++) {
                happen();
            }
            kept(rest);
            int limit = 1 + random.nextInt(700);
            assertThat(paged(text, limit, _ -> true, false)).isEqualTo(sorted(text));
            VmRow row = new VmRow(fleet, clock.now(), Duration.ofSeconds(30));
            Predicate<VmRow> wanted = vm -> vm.definition().highlyAvailable();
            assertThat(paged(text, limit, wanted, round % 2 == 0))
                    .isEqualTo(
                            sorted(text).stream()
                                    .filter(id -> wanted.test(row.scan(manager(id))))
                                    .toList());
        }
    }

    /** Numbers that are copied beside the VMs are those of the VMs at each request. */
    @ParameterizedTest
    @ValueSource(strings = {"-cpu,name", "statistics.cpuUserPercent,name", "-memory,status,-id"})
    void aColumnOfNumbersFollowsTheVms(String text) {
        wrapped = false;
        VmNumber number = VmTable.number(order(text).first());
        String rest = text.substring(text.indexOf(',') + 1);
        VmSample sample = new VmSample();
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < random.nextInt(400); i++) {
                VmManager vm = manager(known.get(random.nextInt(known.size())));
                sample.clear();
                if (random.nextInt(8) > 0) {
                    sample.cpuUserPercent = random.nextInt(100);
                    sample.cpuSystemPercent = random.nextInt(5);
                    sample.memoryUsagePercent = random.nextInt(100);
                }
                vm.statistics().update(sample, 1 + round, 1);
            }
            for (int i = 0; i < (round % 4 == 3 ? random.nextInt(40) : 0); i++) {
                happen(); // some of the VMs stop, come or go
            }
            kept(rest);
            assertThat(paged(text, 1_999, _ -> true, round % 2 == 0)).isEqualTo(sorted(text));
            VmNumberColumn column = kept(rest).column(number);
            assertThat(column).isNotNull();
            assertThat(column.tryHold()).isTrue();
            column.release();
        }
    }

    @Test
    void aColumnIsMadeWhenTheSameNumberIsRequestedTwiceInARow() {
        wrapped = false;
        VmOrders.Kept kept = kept("name");
        assertThat(kept.column(VmNumber.CPU_USER)).isNull();
        VmNumberColumn column = kept.column(VmNumber.CPU_USER);
        assertThat(column).isNotNull();
        feed.vmTagged(manager(known.getFirst()));
        assertThat(kept("name")).as("as new as the change").isNotSameAs(kept);
        assertThat(kept("name").column(VmNumber.CPU_USER)).isSameAs(column);
        assertThat(kept("name").column(VmNumber.ELAPSED)).isNull();
        assertThat(kept("name").column(VmNumber.CPU_USER)).isNull();
        add();
        assertThat(kept("name").column(VmNumber.CPU_USER)).as("of other VMs").isNull();
    }

    @Test
    void aNumberBehindAnotherNumberOrInFrontOfAnOrderThatIsNotKeptIsNotRanked() {
        kept("name");
        assertThat(VmRanking.of(order("cpu,memory"), orders)).isNull();
        assertThat(VmRanking.of(order("cpu,status"), orders)).isNull();
        assertThat(VmRanking.of(order("name"), orders)).isNull();
        assertThat(VmRanking.of(order("statistics.stale,name"), orders)).isNull();
        assertThat(VmRanking.of(order("cpu,name"), orders)).isNotNull();
    }

    private List<VmId> sorted(String text) {
        Order<VmRow> order = order(text);
        VmRow row = new VmRow(fleet, clock.now(), Duration.ofSeconds(30));
        Map<VmId, Order.Place> places = new HashMap<>();
        for (VmReading vm : registry.readings()) {
            VmId id = vm.id();
            places.put(
                    id,
                    order.place(
                            row.scan(counted(vm)),
                            id.mostSignificantBits(),
                            id.leastSignificantBits()));
        }
        return places.entrySet().stream()
                .sorted((one, other) -> order.compare(one.getValue(), other.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<VmId> ids(VmOrders.Kept kept) {
        List<VmId> ids = new ArrayList<>();
        for (int i = 0; i < kept.size(); i++) {
            ids.add(kept.vm(i).id());
        }
        return ids;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name",
                "-name",
                "id",
                "-id",
                "status,-name",
                "host,-name",
                "-host,cluster,name,-id"
            })
    void isTheOrderThatASortMakes(String text) {
        assertThat(ids(kept(text))).isEqualTo(sorted(text));
        for (int round = 0; round < 60; round++) {
            int events = round % 20 == 19 ? 1_200 : random.nextInt(40);
            for (int i = 0; i < events; i++) {
                happen();
            }
            VmOrders.Kept now = kept(text);
            assertThat(ids(now)).as("round %d", round).isEqualTo(sorted(text));
            for (int i = 0; i < now.size(); i += 97) {
                assertThat(now.after(order(text), now.place(i))).isEqualTo(i + 1);
            }
        }
    }

    private void hostIs(int number, HostStatus status) {
        HostId id = new HostId(new UUID(7, number));
        HostState state =
                HostState.unheard(
                        new HostDefinition(id, "host-" + number, "127.0.0.1", 54_321),
                        HostCondition.of(status),
                        Instant.EPOCH);
        HostView view = mock(HostView.class);
        when(view.state()).thenReturn(state);
        boolean added = hosts.put(id, view) == null;
        HostState _ =
                added ? feed.hostAdded(state, 0) : feed.hostChanged(state, ClusterId.DEFAULT, 0);
    }

    private @Nullable List<VmId> firstRows(int limit) {
        Order<VmRow> order = order("trouble,name");
        Page<VmRow, VmRow.Pinned> page =
                new Page<>(order, "", limit, new JsonMapper(), VmRow::pinned, VmRow.IDS);
        VmRow row = new VmRow(fleet, clock.now(), Duration.ofSeconds(30));
        if (!orders.firstRows().fill(page, order, row)) {
            return null;
        }
        assertThat(page.next()).isNotNull();
        return page.rows().stream().map(pinned -> pinned.vm().id()).toList();
    }

    private void refreshFirstRows() {
        clock.advance(Duration.ofMinutes(1));
        orders.firstRows().refresh();
    }

    @Test
    void theFirstRowsEqualASortAfterAnyChange() {
        when(fleet.vmCount()).thenAnswer(_ -> registry.size());
        when(fleet.hosts()).thenAnswer(_ -> List.copyOf(hosts.values()));
        when(fleet.host(any())).thenAnswer(call -> hosts.get(call.<HostId>getArgument(0)));
        when(fleet.readingsOn(any()))
                .thenAnswer(call ->
                        registry.readings().stream()
                                .filter(vm ->
                                        call.getArgument(0).equals(vm.state().placement().runOn()))
                                .map(this::counted)
                                .toList());
        for (int number = 0; number < 9; number++) {
            hostIs(number, HostStatus.UP);
        }
        assertThat(firstRows(60)).as("before the first look at all").isNull();
        refreshFirstRows();
        int answered = 0;
        for (int round = 0; round < 150; round++) {
            int events = round % 50 == 49 ? 1_200 : random.nextInt(40);
            for (int i = 0; i < events; i++) {
                happen();
            }
            if (round % 7 == 0) {
                hostIs(
                        random.nextInt(9),
                        random.nextBoolean() ? HostStatus.UP : HostStatus.NON_RESPONSIVE);
            }
            if (round % 3 == 0) {
                refreshFirstRows();
            }
            int limit = 1 + random.nextInt(100);
            List<VmId> rows = firstRows(limit);
            if (rows != null) {
                answered++;
                assertThat(rows)
                        .as("round %d", round)
                        .isEqualTo(sorted("trouble,name").subList(0, limit));
            }
        }
        assertThat(answered).isGreaterThan(100);
    }

    @Test
    void theFirstRowsAreNotKeptOfFewVmsNorForOtherOrders() {
        when(fleet.vmCount()).thenReturn(999);
        refreshFirstRows();
        assertThat(firstRows(10)).isNull();
        when(fleet.vmCount()).thenReturn(1_000);
        refreshFirstRows();
        assertThat(firstRows(10)).isNotNull();
        assertThat(firstRows(1_000)).as("more than are kept").isNull();
        Page<VmRow, VmRow.Pinned> page =
                new Page<>(
                        order("trouble,-name"), "", 10, new JsonMapper(), VmRow::pinned, VmRow.IDS);
        VmRow row = new VmRow(fleet, clock.now(), Duration.ofSeconds(30));
        assertThat(orders.firstRows().fill(page, order("trouble,-name"), row)).isFalse();
    }

    @Test
    void isMadeBehindRequestsAtTheSecondOneAndNotTooOften() {
        assertThat(orders.of(order("name"))).isNull();
        assertThat(behind).isEmpty();
        assertThat(orders.of(order("name"))).isNull();
        assertThat(orders.of(order("name"))).isNull();
        assertThat(orders.of(order("-name"))).isNull();
        assertThat(orders.of(order("-name"))).isNull();
        assertThat(behind).as("one at a time").hasSize(1);
        behind.remove().run();
        assertThat(orders.of(order("name"))).isNotNull();
    }

    @Test
    void aClusterOfAnotherNameChangesTheOrder() {
        assertThat(kept("cluster,name").size()).isEqualTo(registry.size());
        clusterName = "Renamed";
        assertThat(orders.of(order("cluster,name"))).isNull();
        assertThat(ids(kept("cluster,name"))).isEqualTo(sorted("cluster,name"));
    }

    @Test
    void ordersByNumbersAndOfFewVmsAreNotKeptNorMoreThanTheSettingAllows() {
        kept("name");
        assertThat(orders.of(order("-cpu"))).isNull();
        assertThat(orders.of(order("-cpu"))).isNull();
        assertThat(behind).isEmpty();
        for (String other : List.of("-name", "id", "-id", "status")) {
            kept(other);
        }
        assertThat(orders.of(order("name"))).as("asked for least").isNull();
        orders = orders(0);
        assertThat(orders.of(order("name"))).isNull();
        assertThat(orders.of(order("name"))).isNull();
        assertThat(behind).isEmpty();
    }

    @Test
    void clustersThatAreUnknownAreOrderedByTheirIdentity() {
        when(fleet.cluster(any(ClusterId.class))).thenReturn(null);
        assertThat(ids(kept("cluster,name"))).isEqualTo(sorted("cluster,name"));
    }
}
