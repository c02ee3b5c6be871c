package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.stillwater.monitoring.Lab.hostId;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.host.Stall;
import org.stillwater.monitoring.host.WatchdogSettings;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryStores;
import org.stillwater.testkit.memory.InMemoryVmStore;

class EngineThreadsTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final EngineClock clock = new RealClock();
    private final InMemoryHostStore hosts = new InMemoryHostStore();
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final ScriptedConnector connector = new ScriptedConnector(clock);
    private final MonitoringEngine engine = engine(MonitoringSettings.DEFAULT);

    private MonitoringEngine engine(MonitoringSettings settings) {
        return new MonitoringEngine(
                settings,
                connector,
                InMemoryStores.of(hosts, vms),
                clock,
                new SimpleMeterRegistry());
    }

    private record RealClock() implements EngineClock {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Instant now() {
            return Instant.now();
        }
    }

    @Test
    void stopLeavesNoThread(@TempDir Path folder) throws Exception {
        engine.start();
        for (int i = 1; i <= 5; i++) {
            add(hostId(i));
        }
        assertThat(monitoringThreads(folder.resolve("before.txt"))).hasSize(8);

        engine.close();

        assertThat(monitoringThreads(folder.resolve("after.txt"))).isEmpty();
        for (int i = 1; i <= 5; i++) {
            assertThat(connector.host(hostId(i)).isClosed()).isTrue();
        }
    }

    @Test
    void aStuckHostDelaysNoOther() throws Exception {
        engine.start();
        Subscription subscription = engine.fleet().changes().subscribe(null, false);
        HostId stuck = hostId(1);
        HostId well = hostId(2);
        add(stuck);
        add(well);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        connector.host(stuck).listener().vmsChanged(new Stuck(entered, letGo, null));
        assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();

        connector
                .host(well)
                .listener()
                .vmsChanged(
                        ScriptedReports.event(clock.nanoTime())
                                .running(Lab.VM, 1, Lab.status(VmStatus.UP)));
        connector.host(well).connect();
        HostStatus status = HostStatus.UNASSIGNED;
        while (status != HostStatus.UP) {
            connector.host(well).answerCapabilities("boot-1");
            connector.host(well).answerStatistics();
            for (Delta delta : subscription.next(Duration.ofMillis(20)).deltas()) {
                if (delta instanceof Delta.HostChanged changed && changed.hostId().equals(well)) {
                    status = changed.state().status();
                }
            }
        }

        letGo.countDown();
        engine.close();
        assertThat(status).isEqualTo(HostStatus.UP);
    }

    @Test
    @DisplayName("T37 S104 a monitor that is stuck is interrupted, what it locked is free again")
    void aStuckMonitorIsReplaced() throws Exception {
        MonitoringSettings settings = MonitoringSettings.DEFAULT;
        MonitoringEngine watched =
                engine(
                        settings.withHosts(
                                settings.hosts()
                                        .withWatchdog(
                                                new WatchdogSettings(
                                                        Duration.ofMillis(20),
                                                        Duration.ofMillis(200),
                                                        Duration.ofMinutes(20)))));
        HostId stuck = hostId(1);
        vms.put(
                new StoredVm(
                        Lab.VM,
                        Lab.defined(Lab.VM, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(stuck)));
        hosts.put(new HostDefinition(stuck, "thread-test-1", "192.0.2.1", 1), HostStatus.UP);
        watched.start();
        await(() -> connector.opened().contains(stuck));
        ScriptedHost before = connector.host(stuck);
        CountDownLatch entered = new CountDownLatch(1);

        before.listener().vmsChanged(new Stuck(entered, new CountDownLatch(1), Lab.VM));
        assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
        await(() -> connector.host(stuck) != before);

        assertThat(before.isClosed()).isTrue();
        Stall stall =
                Objects.requireNonNull(
                        watched.fleet().hostHealth().getFirst().lastStall(), "no stall");
        assertThat(stall.task()).isEqualTo("Event");
        assertThat(stall.stack()).contains("EngineThreadsTest$Stuck.decode");
        connector
                .host(stuck)
                .listener()
                .vmsChanged(
                        ScriptedReports.event(clock.nanoTime())
                                .running(Lab.VM, 1, Lab.status(VmStatus.PAUSED)));
        await(() ->
                Objects.requireNonNull(watched.fleet().vm(Lab.VM)).state().runtime().status()
                        == VmStatus.PAUSED);
        watched.close();
    }

    @Test
    void anErrorCostsAHostOneMessageAndLeavesNothingLocked() throws Exception {
        HostId host = hostId(1);
        vms.put(
                new StoredVm(
                        Lab.VM,
                        Lab.defined(Lab.VM, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(host)));
        hosts.put(new HostDefinition(host, "thread-test-1", "192.0.2.1", 1), HostStatus.UP);
        engine.start();
        await(() -> connector.opened().contains(host));
        ScriptedHost watched = connector.host(host);

        watched.listener().vmsChanged(new Undecodable(new OutOfMemoryError("full"), Lab.VM));
        watched.listener().vmsChanged(new Undecodable(new AssertionError("a bug"), Lab.VM));
        watched.listener()
                .vmsChanged(
                        ScriptedReports.event(clock.nanoTime())
                                .running(Lab.VM, 1, Lab.status(VmStatus.PAUSED)));

        await(() ->
                Objects.requireNonNull(engine.fleet().vm(Lab.VM)).state().runtime().status()
                        == VmStatus.PAUSED);
        assertThat(connector.host(host)).as("the same watching").isSameAs(watched);
        engine.close();
    }

    @Test
    @DisplayName("T41 a listener that connects a host's storage may block: monitoring continues")
    void aSlowListenerDelaysNothing() throws Exception {
        HostId host = hostId(1);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        engine.onHostSignals((_, _, _) -> {
            entered.countDown();
            try {
                letGo.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
        engine.start();
        add(host);
        connector.host(host).connect();
        while (entered.getCount() > 0) {
            connector.host(host).answerCapabilities("boot-1");
            connector.host(host).answerStatistics();
            Thread.onSpinWait();
        }

        connector.host(host).disconnect(new HostFailure.Unreachable("reset"));

        await(() -> hosts.status(host) == HostStatus.CONNECTING);
        letGo.countDown();
        engine.close();
    }

    @Test
    @DisplayName("S103 a removal without a waiting caller leaves the host watched")
    void aRemovalThatCameTooLateIsNone() throws Exception {
        HostId host = hostId(1);
        engine.start();
        add(host);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        connector.host(host).listener().vmsChanged(new Stuck(entered, letGo, null));
        assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();

        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> engine.administration().removeHost(host, Duration.ofMillis(10)));
        letGo.countDown();
        connector.host(host).connect();

        await(() -> Objects.requireNonNull(engine.fleet().host(host)).connected());
        engine.close();
    }

    @Test
    @DisplayName("T42 the memory of a host's VMs is added up while VMs come and go")
    void memoryIsAddedUpWhileVmsComeAndGo() throws Exception {
        HostId host = hostId(1);
        hosts.put(new HostDefinition(host, "thread-test-1", "192.0.2.1", 1), HostStatus.UP);
        engine.start();
        await(() -> connector.opened().contains(host));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        Thread reader =
                Thread.ofVirtual()
                        .start(() -> {
                            while (!done.get()) {
                                try {
                                    Objects.requireNonNull(engine.fleet().host(host))
                                            .committedMemoryMebibytes();
                                } catch (RuntimeException e) {
                                    failure.set(e);
                                    return;
                                }
                            }
                        });
        for (int i = 1; i <= 2_000; i++) {
            VmId id = Lab.vmId(i);
            engine.commandAccess()
                    .added(
                            new StoredVm(
                                    id,
                                    Lab.defined(id, VmOrigin.OVIRT),
                                    VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                                    VmPlacement.on(host)));
            if (i % 2 == 0) {
                engine.commandAccess().forget(id);
            }
        }
        done.set(true);
        reader.join();

        assertThat(failure.get()).isNull();
        long each = Lab.defined(Lab.VM, VmOrigin.OVIRT).memoryWithOverheadMebibytes();
        assertThat(Objects.requireNonNull(engine.fleet().host(host)).committedMemoryMebibytes())
                .isEqualTo(1_000 * each);
        engine.close();
    }

    private void await(BooleanSupplier condition) {
        long deadline = clock.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(clock.nanoTime() - deadline).as("in time").isNegative();
            Thread.onSpinWait();
        }
    }

    private void add(HostId id) throws Exception {
        engine.administration()
                .addHost(new HostDefinition(id, "thread-test-" + id, id + ".example", 1));
        long deadline = clock.nanoTime() + LONG.toNanos();
        while (!connector.opened().contains(id) && clock.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    private static List<String> monitoringThreads(Path dump) throws Exception {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        return Files.readAllLines(dump).stream()
                .filter(line ->
                        line.contains("\"host-thread-test-")
                                || line.contains("\"host-watchdog\"")
                                || line.contains("\"host-signals\"")
                                || line.contains("\"batch-writer\""))
                .toList();
    }

    /** An event of which some is decoded when an error strikes. */
    private record Undecodable(Error error, VmId locked) implements VmReports {
        @Override
        public Kind kind() {
            return Kind.EVENT;
        }

        @Override
        public long fetchedNanos() {
            return 0;
        }

        @Override
        public long receivedNanos() {
            return 0;
        }

        @Override
        public int sizeBytes() {
            return 0;
        }

        @Override
        public int decode(VmReportSink sink) {
            sink.known(locked, new VmSample());
            throw error;
        }

        @Override
        public void close() {}
    }

    /** A message whose decoding hangs. */
    private record Stuck(CountDownLatch entered, CountDownLatch letGo, @Nullable VmId locked)
            implements VmReports {
        @Override
        public Kind kind() {
            return Kind.EVENT;
        }

        @Override
        public long fetchedNanos() {
            return 0;
        }

        @Override
        public long receivedNanos() {
            return 0;
        }

        @Override
        public int sizeBytes() {
            return 0;
        }

        @Override
        public int decode(VmReportSink sink) {
            if (locked != null) {
                sink.known(locked, new VmSample());
            }
            entered.countDown();
            try {
                letGo.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            return 0;
        }

        @Override
        public void close() {}
    }
}
