package org.stillwater.monitoring;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmState;

/**
 * An engine without its own threads, for simulations: it works only in {@link #pump}, so that its
 * driver decides every order of events and can repeat it.
 *
 * <p>Used on one thread. A separate thread holds the locks of commands, because a lock of the
 * pumping thread would not exclude that thread; each call waits for it, so it adds no order of
 * events.
 */
public final class SteppedEngine implements AutoCloseable {

    private final MonitoringEngine engine;
    private @Nullable ExecutorService commands;

    /**
     * Steps this engine.
     *
     * @param engine an engine that was not started
     */
    public SteppedEngine(MonitoringEngine engine) {
        this.engine = engine;
    }

    /** The engine, for its readers' side. */
    public MonitoringEngine engine() {
        return engine;
    }

    /**
     * Recovers the stores' data and begins to watch.
     *
     * @throws StoreUnavailable if the stores cannot be read now
     */
    public void start() throws StoreUnavailable {
        engine.startWithoutThreads();
    }

    /**
     * Does everything that can be done without waiting.
     *
     * @return whether there was anything
     */
    public boolean pump() {
        return engine.pump();
    }

    /** The VMs that the index of a host holds, by id. */
    public List<VmId> indexedOn(HostId host) {
        List<VmId> vms = new ArrayList<>();
        engine.services().registry().on(host).forEach(vm -> vms.add(vm.id()));
        Collections.sort(vms); // the index has no order that could be repeated
        return vms;
    }

    /**
     * Text of a VM's data in memory beside its state, for comparisons: its commands under way, the
     * hash of its devices and its statistics.
     */
    public String beside(VmId id) {
        VmManager vm = manager(id);
        VmNumbers numbers = new VmNumbers();
        vm.numbers(numbers);
        StringBuilder text =
                new StringBuilder()
                        .append(vm.commands(engine.services().clock().nanoTime()))
                        .append(" devices=")
                        .append(vm.devices().hash())
                        .append(" disks=")
                        .append(numbers.disksUsage())
                        .append(" observed=")
                        .append(numbers.observedEpochMillis());
        for (VmNumber number : VmNumber.values()) {
            text.append(' ').append(number.label()).append('=').append(numbers.value(number));
        }
        for (int i = 0; i < numbers.nicCount(); i++) {
            text.append(" nic=").append(numbers.isNicUp(i));
        }
        return text.toString();
    }

    /** Host of a VM before its present one; null if unknown. */
    public @Nullable HostId cameFrom(VmId id) {
        return manager(id).cameFrom();
    }

    /** Claims of hosts to VMs that other hosts are responsible for, as text. */
    public List<String> contested() {
        return engine.fleet().hosts().stream()
                .flatMap(host -> {
                    HostId id = host.state().definition().id();
                    HostMonitor monitor = engine.services().fleet().monitor(id);
                    return monitor == null
                            ? Stream.<String>empty()
                            : monitor.contested().stream().map(claim -> id + ": " + claim);
                })
                .toList();
    }

    /** Takes a VM's lock for a command. */
    public void lock(VmId id) {
        VmManager vm = manager(id);
        asCommand(vm::lock);
    }

    /** Gives a VM's lock back. */
    public void unlock(VmId id) {
        VmManager vm = manager(id);
        asCommand(vm::unlock);
    }

    /**
     * The host has executed a command: complete polls that were requested before do not contain its
     * effects. Under the VM's lock.
     */
    public void settle(VmId id) {
        VmManager vm = manager(id);
        long now = engine.services().clock().nanoTime();
        asCommand(() -> vm.release(now));
    }

    /**
     * Changes the known state of a VM, as a command does that holds its lock.
     *
     * @param commands its commands under way from now on
     */
    public void change(VmId id, VmCommands commands, UnaryOperator<VmState> change) {
        VmManager vm = manager(id);
        asCommand(() -> {
            VmState before = vm.state();
            VmState wanted = change.apply(before);
            long now = engine.services().clock().nanoTime();
            VmState next =
                    new VmState(
                            wanted.runtime(),
                            wanted.placement(),
                            0,
                            engine.services().clock().now(),
                            now);
            RuntimeFields fields = next.runtime().differencesFrom(before.runtime());
            boolean moved = !next.placement().equals(before.placement());
            vm.changed(now, null);
            vm.commands(commands);
            engine.services().feed().vmChanged(vm, next, fields, moved);
            engine.services().registry().place(vm, next.placement());
            engine.services()
                    .writer()
                    .changed(
                            id,
                            next.runtime(),
                            fields,
                            next.placement(),
                            PlacementFields.between(before.placement(), next.placement()),
                            List.of(),
                            now);
        });
    }

    /** Has a command that holds a VM's lock note its orders under way on the VM. */
    public void order(VmId id, Consumer<VmManager> command) {
        VmManager vm = manager(id);
        asCommand(() -> command.accept(vm));
    }

    /** Stops in order: writes all data that the database accepts. */
    @Override
    public void close() {
        abandon();
        engine.close();
    }

    /** Stops the engine like a power failure: it writes no further rows. */
    public void abandon() {
        ExecutorService thread = commands;
        commands = null;
        if (thread != null) {
            thread.shutdown();
        }
    }

    private VmManager manager(VmId id) {
        return Objects.requireNonNull(engine.services().registry().find(id), "unknown VM");
    }

    private void asCommand(Runnable work) {
        ExecutorService thread = commands;
        if (thread == null) {
            thread =
                    Executors.newSingleThreadExecutor(Thread.ofVirtual().name("command").factory());
            commands = thread;
        }
        try {
            thread.submit(work).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the driver of the engine ends
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a command failed", e.getCause());
        }
    }
}
