package org.stillwater.benchmarks.replay;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.simulate.SimulatedMonitoring;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.SteppedEngine;
import org.stillwater.monitoring.belief.BeliefSettings;
import org.stillwater.monitoring.host.HostMonitorSettings;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryBeliefStore;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryExternalDataStore;
import org.stillwater.testkit.memory.InMemoryHistoryStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryJobStore;
import org.stillwater.testkit.memory.InMemoryLunStore;
import org.stillwater.testkit.memory.InMemoryNumaStore;
import org.stillwater.testkit.memory.InMemoryStatisticsStore;
import org.stillwater.testkit.memory.InMemoryVmStore;
import org.stillwater.vdsm.client.RecordedConnector;
import org.stillwater.vdsm.client.recording.Recorded;
import org.stillwater.vdsm.client.recording.RecordedHost;
import org.stillwater.vdsm.client.recording.RecordedVm;
import org.stillwater.vdsm.client.recording.RecordingReader.Recording;
import org.stillwater.vdsm.wire.Verb;

/**
 * Runs a recording through the decoders, the monitoring and the analysis of this build: on one
 * thread and a virtual clock, so that the same recording has the same decisions. The engine begins
 * with the recorded engine's knowledge; orders of its commands are repeated at their times.
 */
final class RecordingReplay {

    /** Interval of the checks of the engine's timers while nothing is recorded. */
    private static final long TICK_MICROS = 250_000;

    /** How long the engine may continue after the last line: batches of transitions wait less. */
    private static final long REST_MICROS = 1_000_000;

    private static final long NANOS_PER_MICRO = 1_000;

    private final Recording recording;
    private final VirtualClock clock = VirtualClock.strict();
    private final Instant start = clock.now();
    private final RecordedConnector connector = new RecordedConnector(clock);
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    private final InMemoryAuditStore audit = new InMemoryAuditStore();
    private final InMemoryBeliefStore beliefs = new InMemoryBeliefStore();
    private final SteppedEngine engine;
    private final Map<UUID, String> names = new HashMap<>();
    private final Set<String> destroyed = new HashSet<>();
    private final List<ReplayedDecision> ordered = new ArrayList<>();
    private long micros;

    private RecordingReplay(Recording recording) {
        this.recording = recording;
        MonitoringEngine monitoring =
                new MonitoringEngine(
                        settings(recording.intervalMillis()),
                        connector,
                        stores(),
                        clock,
                        new SimpleMeterRegistry());
        monitoring.recordBeliefs(
                new BeliefSettings(Duration.ofDays(30), Integer.MAX_VALUE, 1_000, Duration.ZERO),
                beliefs);
        this.engine = new SteppedEngine(monitoring);
    }

    /**
     * The decisions of a recording, in the order of their times; at its end, the engine's belief
     * about each host and VM.
     */
    static List<ReplayedDecision> of(Recording recording) {
        RecordingReplay replay = new RecordingReplay(recording);
        try {
            return replay.run();
        } catch (StoreUnavailable e) {
            throw new IllegalStateException("stores in memory are always there", e);
        }
    }

    private static MonitoringSettings settings(long intervalMillis) {
        HostMonitorSettings usual = HostMonitorSettings.DEFAULT;
        return MonitoringSettings.DEFAULT.withHosts(
                new HostMonitorSettings(
                        Duration.ofMillis(intervalMillis),
                        usual.pollDeadline(),
                        Duration.ZERO,
                        Duration.ZERO,
                        usual.mailboxEvents(),
                        usual.mailboxBytes(),
                        usual.repollPause(),
                        usual.domainChunk(),
                        usual.unknownLimit(),
                        usual.claimLimit(),
                        usual.domainXmlLimit(),
                        usual.externalDataCalls(),
                        usual.quietPeriod(),
                        usual.limits(),
                        usual.hostedEngineName(),
                        usual.powerOffWindow(),
                        usual.handOver(),
                        usual.refresh(),
                        usual.policy(),
                        usual.watchdog(),
                        usual.slowAnswer(),
                        usual.checks(),
                        usual.flood()));
    }

    private Stores stores() {
        return new Stores(
                hosts,
                vms,
                new InMemoryDeviceStore(vms),
                new InMemoryExternalDataStore(vms),
                audit,
                new InMemoryJobStore(this::savedStatus),
                new InMemoryLunStore(),
                new InMemoryNumaStore(),
                new InMemoryStatisticsStore(),
                new InMemoryClusterStore(hosts::refersTo),
                new InMemoryHistoryStore());
    }

    private @Nullable VmStatus savedStatus(VmId id) {
        StoredVm stored = vms.vm(id);
        return stored == null ? null : stored.runtime().status();
    }

    private List<ReplayedDecision> run() throws StoreUnavailable {
        recording.hosts().forEach(this::known);
        recording.vms().forEach(this::known);
        for (Recorded line : recording.lines()) {
            switch (line) {
                case Recorded.Answered answered ->
                        connector.expect(new HostId(answered.host()), answered.verb());
                case Recorded.Failed failed ->
                        connector.expect(new HostId(failed.host()), failed.verb());
                case Recorded.Connected _,
                        Recorded.Disconnected _,
                        Recorded.Ordered _,
                        Recorded.Event _,
                        Recorded.Malformed _ -> {}
            }
        }
        engine.start();
        pump();
        for (Recorded line : recording.lines()) {
            passUntil(line.atMicros());
            deliver(line);
            pump();
        }
        passUntil(micros + REST_MICROS);
        List<ReplayedDecision> decisions = collect();
        engine.close();
        return decisions;
    }

    private void known(RecordedHost host) {
        names.put(host.id(), host.name());
        HostId id = new HostId(host.id());
        hosts.put(
                new HostDefinition(id, host.name(), host.address(), HostDefinition.DEFAULT_PORT),
                HostCondition.of(host.status()));
        if (host.connected()) {
            connector.connected(id);
        }
    }

    private void known(RecordedVm vm) {
        names.put(vm.id(), vm.name());
        vms.put(
                new StoredVm(
                        VmId.of(vm.id()),
                        new VmStatic(
                                vm.name(),
                                vm.found() ? VmOrigin.EXTERNAL : VmOrigin.OVIRT,
                                vm.highlyAvailable(),
                                vm.memoryMebibytes(),
                                vm.memoryMebibytes(),
                                vm.cpus(),
                                1,
                                1,
                                List.of(),
                                vm.leased(),
                                ClusterId.DEFAULT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, vm.status()),
                        new VmPlacement(
                                host(vm.host()),
                                host(vm.target()),
                                null,
                                null,
                                VmPlacement.NOWHERE.run())));
    }

    private static @Nullable HostId host(@Nullable UUID id) {
        return id == null ? null : new HostId(id);
    }

    private void passUntil(long until) {
        while (micros < until) {
            long step = Math.min(TICK_MICROS, until - micros);
            micros += step;
            clock.advance(Duration.ofNanos(step * NANOS_PER_MICRO));
            pump();
        }
    }

    private void pump() {
        while (engine.pump()) {
            // until nothing is left to do
        }
        for (RecordedConnector.Order order : connector.takeOrders()) {
            String vm = order.vm();
            if (order.verb().equals(Verb.VM_DESTROY) && vm != null) {
                destroyed.add(order.host().value() + vm);
            }
            ordered.add(
                    new ReplayedDecision(
                            micros / 1_000,
                            vm == null ? name(order.host().value()) : name(UUID.fromString(vm)),
                            "order " + order.verb() + " to " + name(order.host().value())));
        }
    }

    private void deliver(Recorded line) {
        HostId host = new HostId(line.host());
        switch (line) {
            case Recorded.Connected _ -> connector.connected(host);
            case Recorded.Disconnected disconnected ->
                    connector.disconnected(host, disconnected.failure());
            case Recorded.Ordered order -> order(host, order);
            case Recorded.Answered answered -> {
                if (answered.verb().equals(Verb.GET_ALL_VM_STATS)
                        && !connector.isAsked(host, answered.verb())) {
                    boolean _ = engine.engine().administration().refresh(host);
                    pump();
                }
                long age = (answered.atMicros() - answered.sentMicros()) * NANOS_PER_MICRO;
                connector.answered(
                        host, answered.verb(), clock.nanoTime() - age, answered.message());
            }
            case Recorded.Failed failed -> connector.failed(host, failed.verb(), failed.failure());
            case Recorded.Event event -> connector.event(host, event.message());
            case Recorded.Malformed _ -> connector.malformed(host);
        }
    }

    /** Repeats a command's note about its VM. */
    private void order(HostId host, Recorded.Ordered order) {
        UUID named = order.vm();
        if (named == null || engine.engine().fleet().vm(VmId.of(named)) == null) {
            return;
        }
        VmId vm = VmId.of(named);
        switch (order.verb()) {
            case Verb.VM_CREATE -> SimulatedMonitoring.beginRun(engine, vm, host);
            case Verb.VM_MIGRATE ->
                    SimulatedMonitoring.beginMigration(engine, vm, host(order.target()));
            case Verb.VM_DESTROY -> {
                // The analysis orders it again; otherwise it was a command.
                if (!destroyed.remove(host.value() + named.toString())) {
                    SimulatedMonitoring.powerOff(engine, vm, clock.nanoTime());
                }
            }
            default -> {}
        }
    }

    private List<ReplayedDecision> collect() {
        Beliefs words = new Beliefs(this::name);
        List<ReplayedDecision> all = new ArrayList<>();
        beliefs.all()
                .forEach(row ->
                        all.add(
                                new ReplayedDecision(
                                        millis(row.belief().at()),
                                        name(row.id()),
                                        words.sentence(row))));
        audit.all()
                .forEach(entry -> {
                    VmId vm = entry.vmId();
                    HostId host = entry.hostId();
                    String subject =
                            vm != null
                                    ? name(vm.toUuid())
                                    : host != null ? name(host.value()) : "engine";
                    all.add(
                            new ReplayedDecision(
                                    millis(entry.at()), subject, "audit " + entry.event()));
                });
        all.addAll(ordered);
        all.sort(Comparator.comparingLong(ReplayedDecision::atMillis));
        engine.engine().fleet().hosts().stream()
                .map(this::end)
                .sorted(Comparator.comparing(ReplayedDecision::subject))
                .forEach(all::add);
        engine.engine()
                .fleet()
                .vms()
                .map(this::end)
                .sorted(Comparator.comparing(ReplayedDecision::subject))
                .forEach(all::add);
        return all;
    }

    private long millis(Instant at) {
        return Duration.between(start, at).toMillis();
    }

    private ReplayedDecision end(HostView host) {
        return new ReplayedDecision(
                micros / 1_000,
                name(host.state().definition().id().value()),
                "at the end " + Beliefs.word(host.state().status()));
    }

    private ReplayedDecision end(VmView vm) {
        VmPlacement placement = vm.state().placement();
        HostId on = placement.runOn();
        HostId target = placement.migratingTo();
        return new ReplayedDecision(
                micros / 1_000,
                name(vm.id().toUuid()),
                "at the end "
                        + vm.state().runtime().status().label()
                        + (on == null ? "" : " on " + name(on.value()))
                        + (target == null ? "" : ", to " + name(target.value()))
                        + ", values "
                        + digest(vm.state().runtime()));
    }

    /** The same for the same reported values, in every build. */
    private static String digest(VmRuntime runtime) {
        int digest = 0;
        for (RuntimeField field : RuntimeField.values()) {
            String value = field + "=" + runtime.value(field);
            digest += value.hashCode() * 0x9E3779B9; // a sum: the order of fields does not count
        }
        return Integer.toHexString(digest);
    }

    private String name(UUID id) {
        String known = names.get(id);
        if (known != null) {
            return known;
        }
        VmView vm = engine.engine().fleet().vm(VmId.of(id));
        return vm == null ? id.toString() : vm.definition().name();
    }
}
