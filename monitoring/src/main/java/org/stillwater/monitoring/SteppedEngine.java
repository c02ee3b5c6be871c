package org.stillwater.monitoring;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.PlacementFields;
import org.stillwater.core.model.RuntimeFields;
import org.stillwater.core.model.VmCommands;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * An engine without threads of its own, for simulations: everything it does, it does when it is
 * {@link #pump pumped}, so that whoever moves it decides every order of events and can repeat it.
 *
 * <p>Used on one thread. The locks of commands are held by a thread that does nothing else, since a
 * lock that the pumping thread held would not keep that thread out; each call waits for it, so it
 * adds no order of its own.
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
     * Recovers what the stores hold and begins to watch.
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

    /** The VMs that the index of a host holds. */
    public List<VmId> indexedOn(HostId host) {
        List<VmId> vms = new ArrayList<>();
        engine.services().registry().on(host).forEach(vm -> vms.add(vm.id()));
        return vms;
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
     * Changes what is known about a VM, as a command does that holds its lock.
     *
     * @param commands what commands have under way with it from now on
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

    /** Has a command that holds a VM's lock note what it has under way with the VM. */
    public void order(VmId id, Consumer<VmManager> command) {
        VmManager vm = manager(id);
        asCommand(() -> command.accept(vm));
    }

    /** Stops in order: what can be written is written. */
    @Override
    public void close() {
        abandon();
        engine.close();
    }

    /** Leaves the engine as it is, as a power failure would: nothing is written any more. */
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
            Thread.currentThread().interrupt(); // whoever steps the engine ends
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a command failed", e.getCause());
        }
    }
}
