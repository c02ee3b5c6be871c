package org.stillwater.command;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.work.PendingWorkQueue;
import org.stillwater.monitoring.worker.WorkerHealth;

/**
 * Services that all packages of commands share: the loop of the deciding thread, the executor of
 * the database, the registry of operations, and the interfaces of monitoring. Thread-safe;
 * independent of the packages that use it; {@link #after}, {@link #fact}, {@link #goesOn} and
 * {@link #ended} are for the deciding thread.
 */
public final class CommandContext {

    private static final Logger LOG = LoggerFactory.getLogger(CommandContext.class);

    private final CommandSettings settings;
    private final MonitoringEngine monitoring;
    private final OperationStore store;
    private final EngineClock clock;
    private final Supplier<UUID> ids;
    private final OperationRegistry registry;
    private final ThrottledLog warnings;
    private final CommandMeters meters;
    private final Durability durability;
    private final StoreExecutor storeExecutor;
    private final CommandLoop loop;
    private @Nullable OperationProgress progress;

    /**
     * A context of one engine.
     *
     * @param turn is done by the deciding thread again and again
     */
    public CommandContext(
            CommandSettings settings,
            MonitoringEngine monitoring,
            OperationStore store,
            EngineClock clock,
            Supplier<UUID> ids,
            MeterRegistry meterRegistry,
            CommandLoop.Turn turn) {
        this.settings = settings;
        this.monitoring = monitoring;
        this.store = store;
        this.clock = clock;
        this.ids = ids;
        this.registry = new OperationRegistry(settings.keptEnded());
        this.warnings = new ThrottledLog(LOG, clock, settings.quietPeriod(), "commands");
        this.meters = new CommandMeters(meterRegistry);
        this.durability = new Durability(clock);
        this.storeExecutor = new StoreExecutor(monitoring.workers());
        this.loop = new CommandLoop(clock, settings.mailbox(), monitoring.workers(), turn);
    }

    /** Sets the object that carries operations on; once, before the start. */
    public void progress(OperationProgress carriesOn) {
        progress = carriesOn;
    }

    /** The limits and times of commands. */
    public CommandSettings settings() {
        return settings;
    }

    /** Reads the fleet. */
    public FleetReader fleet() {
        return monitoring.fleet();
    }

    /** Orders and administration of hosts. */
    public HostAdministration administration() {
        return monitoring.administration();
    }

    /** The work that monitoring leaves to commands. */
    public PendingWorkQueue pendingWork() {
        return monitoring.pendingWork();
    }

    /** The access to VMs under their locks. */
    public VmCommandAccess vmAccess() {
        return monitoring.commandAccess();
    }

    /** Operations in the database. */
    public OperationStore store() {
        return store;
    }

    /** Operations in memory. */
    public OperationRegistry registry() {
        return registry;
    }

    /** The clock of the engine. */
    public EngineClock clock() {
        return clock;
    }

    /** Ids of new operations. */
    public Supplier<UUID> ids() {
        return ids;
    }

    /** Warnings that are repeated rarely. */
    public ThrottledLog warnings() {
        return warnings;
    }

    /** Counters of commands. */
    public CommandMeters meters() {
        return meters;
    }

    /** Whether operations become durable. */
    public Durability durability() {
        return durability;
    }

    /** Runs tasks that wait for the database. */
    public StoreExecutor storeExecutor() {
        return storeExecutor;
    }

    /** The thread that decides. */
    public CommandLoop loop() {
        return loop;
    }

    /** Hands something to the deciding thread. */
    public void post(Runnable message) {
        loop.post(message);
    }

    /** Wakes the deciding thread to check for work. */
    public void wake() {
        loop.wake();
    }

    /** Does something later; on the deciding thread. */
    public void after(Duration delay, Runnable action) {
        loop.after(delay, action);
    }

    /** Runs a message and contains its failure; returns whether it succeeded. */
    public boolean guarded(Runnable message) {
        return loop.guarded(message);
    }

    /**
     * Runs one of many recurring checks: its failure does not affect the others, and health lists
     * it until it succeeds or {@link #forgetPiece} is called.
     */
    public boolean isolated(String piece, Runnable look) {
        return loop.worker().isolate(piece, look);
    }

    /** The check is no longer needed. */
    public void forgetPiece(String piece) {
        loop.worker().forget(piece);
    }

    /** Whether the engine starts no further operations. */
    public boolean isStopping() {
        return loop.isStopping();
    }

    /** Whether too many messages wait to take a request. */
    public boolean isBusy() {
        return loop.isBusy();
    }

    /**
     * Whether the database has not answered for too long: a new operation would not become durable.
     */
    public boolean isStuck() {
        return storeExecutor.health().condition() == WorkerHealth.Condition.STUCK;
    }

    /** Decides the consequences of a fact, and carries them out. */
    public void fact(UUID operation, VmFact fact) {
        carriesOn().fact(operation, fact);
    }

    /** An operation that another package carries out has a next step. */
    public void goesOn(Operation operation) {
        carriesOn().goesOn(operation);
    }

    /** An operation that another package carries out has ended. */
    public void ended(Operation operation) {
        carriesOn().ended(operation);
    }

    private OperationProgress carriesOn() {
        return Objects.requireNonNull(progress, "operations are not carried on yet");
    }
}
