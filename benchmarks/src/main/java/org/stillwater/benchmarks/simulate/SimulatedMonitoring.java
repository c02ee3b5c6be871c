package org.stillwater.benchmarks.simulate;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.SteppedEngine;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.testkit.simulation.EngineUnderSimulation;
import org.stillwater.testkit.simulation.Shown;
import org.stillwater.testkit.simulation.SimulationEnvironment;

/** The real monitoring engine, with its documented settings, moved by a simulation. */
public final class SimulatedMonitoring implements EngineUnderSimulation {

    /** For how long a destruction that was ordered explains absence (specification §4.7). */
    private static final Duration POWER_OFF_WINDOW = Duration.ofSeconds(20);

    private final SteppedEngine stepped;
    private final EngineClock clock;

    /** An engine that was not started. */
    public SimulatedMonitoring(SimulationEnvironment surroundings) {
        this(surroundings, surroundings.connector());
    }

    /** An engine that was not started and reaches its hosts in another way. */
    public SimulatedMonitoring(SimulationEnvironment surroundings, HostConnector connector) {
        this.clock = surroundings.clock();
        this.stepped =
                new SteppedEngine(
                        new MonitoringEngine(
                                MonitoringSettings.DEFAULT,
                                connector,
                                surroundings.stores(),
                                surroundings.clock(),
                                new SimpleMeterRegistry()));
    }

    @Override
    public void start() throws StoreUnavailable {
        stepped.start();
    }

    @Override
    public void pump() {
        while (stepped.pump()) {
            // until nothing is left to do
        }
    }

    @Override
    public void stop() {
        stepped.close();
    }

    @Override
    public void kill() {
        stepped.abandon();
    }

    @Override
    public List<Shown> vms() {
        return stepped.engine()
                .fleet()
                .vms()
                .map(vm -> new Shown(vm.id(), vm.state().runtime(), vm.state().placement()))
                .toList();
    }

    @Override
    public String beside(VmId vm) {
        return stepped.beside(vm);
    }

    @Override
    public List<String> contested() {
        return stepped.contested();
    }

    @Override
    public List<VmId> indexedOn(HostId host) {
        return stepped.indexedOn(host);
    }

    @Override
    public HostStatus hostStatus(HostId host) {
        return Objects.requireNonNull(stepped.engine().fleet().host(host), "unknown host")
                .state()
                .status();
    }

    @Override
    public void order(HostId host, HostFact.Order order) {
        Objects.requireNonNull(
                stepped.engine().administration().order(host, order), "unknown host");
    }

    @Override
    public void refresh(HostId host) {
        stepped.engine().administration().refresh(host);
    }

    @Override
    public void addHost(HostDefinition host) throws StoreUnavailable {
        if (!stepped.engine().administration().addHost(host)) {
            throw new IllegalStateException(host + " is there already");
        }
    }

    @Override
    public boolean removeHost(HostId host) throws StoreUnavailable {
        try {
            OrderAnswer answer =
                    stepped.engine().administration().removeHost(host, Duration.ofSeconds(1));
            return answer instanceof OrderAnswer.Followed;
        } catch (TimeoutException e) {
            throw new IllegalStateException("the monitor of " + host + " does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the thread that steps the engine ends
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public long revision() {
        return stepped.engine().fleet().revision();
    }

    @Override
    public void lock(VmId vm) {
        stepped.lock(vm);
    }

    @Override
    public void unlock(VmId vm) {
        stepped.unlock(vm);
    }

    @Override
    public void settle(VmId vm) {
        stepped.settle(vm);
    }

    @Override
    public void beginMigration(VmId vm, HostId destination) {
        beginMigration(stepped, vm, destination);
    }

    /**
     * Changes an engine's known state of a VM as a command does that begins a migration.
     *
     * @param destination null if nothing is known of it
     */
    public static void beginMigration(
            SteppedEngine stepped, VmId vm, @Nullable HostId destination) {
        stepped.change(
                vm,
                new VmCommands(InFlight.MIGRATE, false, false),
                known ->
                        new VmState(
                                known.runtime().with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                                known.placement().withMigratingTo(destination),
                                0,
                                known.observedAt(),
                                known.observedNanos()));
    }

    @Override
    public void beginRun(VmId vm, HostId host) {
        beginRun(stepped, vm, host);
    }

    /**
     * Changes an engine's known state of a VM as a command does that begins to run it on a host.
     */
    public static void beginRun(SteppedEngine stepped, VmId vm, HostId host) {
        stepped.change(
                vm,
                new VmCommands(InFlight.RUN, false, false),
                known -> {
                    VmPlacement placement = known.placement();
                    return new VmState(
                            known.runtime().with(RuntimeField.STATUS, VmStatus.WAIT_FOR_LAUNCH),
                            placement.withRunOn(host).withRun(placement.run().next()),
                            0,
                            known.observedAt(),
                            known.observedNanos());
                });
    }

    @Override
    public void coldReboot(VmId vm) {
        stepped.order(vm, known -> known.commands(new VmCommands(InFlight.NONE, true, false)));
    }

    @Override
    public void powerOff(VmId vm) {
        powerOff(stepped, vm, clock.nanoTime());
    }

    /** Notifies an engine that a command removed the VM's process from its host. */
    public static void powerOff(SteppedEngine stepped, VmId vm, long nowNanos) {
        stepped.order(vm, known -> known.powerOffOrdered(nowNanos + POWER_OFF_WINDOW.toNanos()));
    }

    @Override
    public List<OpenWork> pendingWork() {
        return stepped.engine().pendingWork().open();
    }

    @Override
    public boolean takeOver(PendingWork work, UUID owner) throws StoreUnavailable {
        return stepped.engine().pendingWork().takeOver(work, owner);
    }
}
