package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.SteppedEngine;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.history.HistoryQuery;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.xapi.PoolKeeping;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryStores;
import org.stillwater.testkit.memory.InMemoryVmStore;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiEncoding;
import org.stillwater.xapi.host.PoolInventory;
import org.stillwater.xapi.host.PoolMessage;
import org.stillwater.xapi.host.XapiHosts;
import org.stillwater.xapi.host.XapiPool;

/**
 * An engine beside a pool for minutes, and the engine after it: the adapter, the inventory and the
 * monitoring are the real ones, on one thread and a virtual clock.
 */
class PoolEngineTest {

    private static final int HOSTS = 3;
    private static final int VMS = 12;
    private static final int MOST_TAGS = 100;
    private static final Duration STEP = Duration.ofSeconds(5);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Cycles of the engine in a minute. */
    private static final int CYCLES = 4;

    private final VirtualClock clock = VirtualClock.strict();
    private final PoolWorld world = new PoolWorld(new SplittableRandom(7), 7, HOSTS, VMS);
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hostStore = new InMemoryHostStore(vms);
    private final InMemoryDefinitionStore definitions = new InMemoryDefinitionStore(vms);
    private final Stores stores = InMemoryStores.of(hostStore, vms);
    private Run run;

    /** One life of an engine. */
    private final class Run implements PoolInventory {
        final XapiHosts hosts =
                XapiHosts.stepped(clock, Duration.ofSeconds(5), Duration.ofMinutes(2));
        final MonitoringEngine engine =
                new MonitoringEngine(
                        MonitoringSettings.DEFAULT,
                        hosts,
                        stores,
                        clock,
                        new SimpleMeterRegistry());
        final SteppedEngine stepped = new SteppedEngine(engine);
        final PoolKeeping keeping =
                new PoolKeeping(
                        engine.fleet(),
                        engine.administration(),
                        engine.commandAccess(),
                        vms,
                        definitions,
                        clock,
                        MOST_TAGS);
        final XapiPool pool =
                hosts.watch(
                        "pool",
                        80,
                        world.connection(XapiEncoding.JSON_RPC, clock),
                        this,
                        PoolWatch.Sync.EVENTS,
                        PoolWorld.TIMES);
        private boolean changed;

        @Override
        public void changed(XapiPool of) {
            changed = true;
        }

        @Override
        public void moving(VmId vm, HostId from, HostId to) {
            keeping.moving(vm, from, to);
        }

        @Override
        public void told(XapiPool of, PoolMessage message, boolean old) {}

        /** Takes in what the pool has, and does what follows. */
        void step() throws StoreUnavailable {
            pool.step(false);
            pool.step(true);
            do {
                if (changed) {
                    changed = false;
                    keeping.keep(pool);
                }
                while (stepped.pump()) {
                    // until nothing is left to do
                }
            } while (changed);
        }

        void pass(Duration time) throws StoreUnavailable {
            for (Duration passed = Duration.ZERO;
                    passed.compareTo(time) < 0;
                    passed = passed.plus(STEP)) {
                world.pass(STEP);
                clock.advance(STEP);
                step();
            }
        }

        VmState state(VmId vm) {
            return Objects.requireNonNull(engine.fleet().vm(vm)).state();
        }

        VmStatisticsView statistics(VmId vm) {
            return Objects.requireNonNull(engine.fleet().statistics(vm));
        }

        /** States of all VMs as the pool's truth is written. */
        Map<VmId, String> shown() {
            Map<VmId, String> shown = new TreeMap<>();
            engine.fleet()
                    .vms()
                    .forEach(vm ->
                            shown.put(
                                    vm.id(),
                                    vm.state().runtime().status()
                                            + " "
                                            + vm.state().placement().runOn()));
            return shown;
        }

        void end() {
            stepped.abandon();
            hosts.close();
        }
    }

    @BeforeEach
    void start() throws StoreUnavailable {
        run = new Run();
        run.stepped.start();
        run.step();
        run.pass(MINUTE);
    }

    @AfterEach
    void stop() {
        run.end();
        world.close();
    }

    private Map<VmId, String> truth() {
        Map<String, VmStatus> words =
                Map.of(
                        "Running", VmStatus.UP,
                        "Paused", VmStatus.PAUSED,
                        "Suspended", VmStatus.SUSPENDED,
                        "Halted", VmStatus.DOWN);
        Map<VmId, String> truth = new TreeMap<>();
        world.truth().forEach((id, vm) -> truth.put(id, words.get(vm.state()) + " " + vm.host()));
        return truth;
    }

    private VmId running() {
        return world.truth().entrySet().stream()
                .filter(each -> each.getValue().state().equals("Running"))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    private void order(VmId vm, String action, Map<String, String> arguments) {
        world.pool.order("VM", vm.toString(), action, arguments);
    }

    /** Samples in memory of a metric in each of some minutes; 0 without any. */
    private List<Integer> samples(VmId vm, HistoryMetric metric, Instant from, Instant to)
            throws Exception {
        HistoryAnswer answer =
                run.engine
                        .fleet()
                        .history(
                                new HistoryQuery(
                                        Subject.VM,
                                        vm.toUuid(),
                                        List.of(metric),
                                        from,
                                        to,
                                        MINUTE,
                                        true));
        return answer.series().getFirst().points().stream()
                .map((HistoryPoint point) -> point == null ? 0 : point.count())
                .toList();
    }

    @Test
    @DisplayName("X44 a VM that migrates has one host, and no gap or double sample in its series")
    void migration() throws Exception {
        VmId vm = running();
        HostId from = run.state(vm).placement().runOn();
        HostId to =
                run.engine.fleet().hosts().stream()
                        .map(each -> each.state().definition().id())
                        .filter(each -> !each.equals(from))
                        .findFirst()
                        .orElseThrow();
        assertThat(from).isNotNull();
        run.pass(MINUTE);
        Instant begin = clock.now().truncatedTo(ChronoUnit.MINUTES).plus(MINUTE);
        run.pass(Duration.ofMinutes(2));
        Map<VmStatus, HostId> seen = new HashMap<>();
        long received = 0;
        order(vm, "migrate", Map.of("host", to.toString()));
        for (int i = 0; i < 60; i++) {
            run.step();
            long holders =
                    run.engine.fleet().hosts().stream()
                            .map(each -> each.state().definition().id())
                            .filter(each -> run.stepped.indexedOn(each).contains(vm))
                            .count();
            assertThat(holders).as("hosts that have it after %d steps", i).isEqualTo(1);
            seen.put(run.state(vm).runtime().status(), run.state(vm).placement().runOn());
            Long total = run.statistics(vm).nics().getFirst().receivedBytes();
            if (total != null) {
                assertThat(total).as("traffic after %d steps", i).isGreaterThanOrEqualTo(received);
                received = total;
            }
            world.pass(STEP);
            clock.advance(STEP);
        }
        assertThat(seen)
                .containsEntry(VmStatus.MIGRATING_FROM, from)
                .containsEntry(VmStatus.UP, to)
                .containsOnlyKeys(VmStatus.MIGRATING_FROM, VmStatus.UP);
        assertThat(received).isPositive();
        Instant end = begin.plus(Duration.ofMinutes(6));
        for (HistoryMetric metric :
                List.of(HistoryMetric.VM_CPU_USAGE, HistoryMetric.VM_MEMORY_USAGE)) {
            // Each host has its own cycles, so one sample may fall into the next minute.
            List<Integer> counts = samples(vm, metric, begin, end);
            assertThat(counts)
                    .as(metric.label())
                    .hasSize(6)
                    .allMatch(count -> Math.abs(count - CYCLES) <= 1);
            assertThat(counts.stream().mapToInt(Integer::intValue).sum())
                    .as(metric.label())
                    .isBetween(6 * CYCLES - 1, 6 * CYCLES + 1);
        }
    }

    @Test
    @DisplayName("X56 a VM that is paused for minutes shows the memory that it had")
    void paused() throws Exception {
        VmId vm = running();
        Integer before = run.statistics(vm).usageMemoryPercent();
        assertThat(before).isPositive();
        order(vm, "pause", Map.of());
        run.pass(Duration.ofMinutes(2));
        assertThat(run.state(vm).runtime().status()).isEqualTo(VmStatus.PAUSED);
        assertThat(run.statistics(vm).usageMemoryPercent()).isPositive();
        assertThat(run.statistics(vm).memoryFreeKibibytes()).isPositive();
        order(vm, "unpause", Map.of());
        run.pass(MINUTE);
        assertThat(run.state(vm).runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(run.statistics(vm).usageMemoryPercent()).isPositive();
    }

    @Test
    @DisplayName("X33 a stable pool costs no call to the database in ten minutes")
    void stable() throws Exception {
        assertThat(run.shown()).isEqualTo(truth());
        int ofVms = vms.calls();
        int ofHosts = hostStore.calls();
        for (int minute = 0; minute < 10; minute++) {
            world.pool.order(
                    "pool", world.pool.itself().text("uuid"), "storm", Map.of("changes", "50"));
            run.pass(MINUTE);
        }
        assertThat(vms.calls() - ofVms).as("calls for VMs").isZero();
        assertThat(hostStore.calls() - ofHosts).as("calls for hosts").isZero();
        assertThat(run.shown()).isEqualTo(truth());
    }

    @Test
    @DisplayName(
            "X60 after a restart the pool's states are shown without the database, and old rows go")
    void restart() throws Exception {
        VmId stopped = running();
        assertThat(run.shown()).isEqualTo(truth());
        run.end();
        order(stopped, "hard_shutdown", Map.of());
        VmId removed =
                world.truth().entrySet().stream()
                        .filter(each -> each.getValue().state().equals("Halted"))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElseThrow();
        order(removed, "destroy", Map.of());
        world.pass(MINUTE);
        clock.advance(MINUTE);

        run = new Run();
        run.stepped.start(); // it reads its rows
        assertThat(run.state(stopped).runtime().status()).isEqualTo(VmStatus.UP);
        vms.unavailable("away");
        for (int i = 0; i < 12; i++) {
            try {
                run.step();
            } catch (StoreUnavailable _) {
                run.changed = true; // the inventory's worker tries again
            }
            world.pass(STEP);
            clock.advance(STEP);
        }
        Map<VmId, String> shown = run.shown();
        shown.remove(removed);
        assertThat(shown).as("without the database").isEqualTo(truth());

        vms.unavailable(null);
        run.pass(MINUTE);
        assertThat(run.shown()).isEqualTo(truth());
        assertThat(vms.vm(removed)).isNull();
        assertThat(Objects.requireNonNull(vms.vm(stopped)).runtime().status())
                .isEqualTo(VmStatus.DOWN);
    }
}
