package org.stillwater.monitoring;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.belief.BeliefWriter;
import org.stillwater.monitoring.dwh.Heartbeat;
import org.stillwater.monitoring.dwh.StatisticsDump;
import org.stillwater.monitoring.fence.SoftFencer;
import org.stillwater.monitoring.history.durable.DurableHistoryState;
import org.stillwater.monitoring.history.durable.HistoryRecorder;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.host.HostWatchdog;
import org.stillwater.monitoring.host.SignalRelay;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * The tasks of the engine beside the hosts' monitors: the writers, the dumps for the data
 * warehouse, the history, the soft fencing and the watchdog. Each has its own supervised thread, or
 * one thread steps all of them in a fixed order. The engine starts and stops them under its
 * monitor.
 */
final class BackgroundTasks {

    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
    private static final Duration AUDIT_PATIENCE = Duration.ofSeconds(2);
    private static final Duration BELIEF_PATIENCE = Duration.ofSeconds(2);
    private static final Duration DUMP_PATIENCE = Duration.ofSeconds(2);
    private static final Duration HISTORY_PATIENCE = Duration.ofSeconds(2);
    private static final Duration WATCHDOG_PATIENCE = Duration.ofSeconds(1);

    private final HostServices services;
    private final SignalRelay hostSignals;
    private final HostWatchdog watchdog;
    private final Warehouse warehouse;
    private final Workers workers;
    private final Map<String, SupervisedWorker> steppers = new HashMap<>(); // by task, when stepped
    private volatile @Nullable SoftFencer fencer;
    private volatile @Nullable HistoryRecorder recorder;
    private volatile @Nullable BeliefWriter beliefs;

    /** The writers of the tables that oVirt's data warehouse reads. */
    record Warehouse(StatisticsDump dump, Heartbeat heartbeat) {}

    BackgroundTasks(
            HostServices services,
            SignalRelay hostSignals,
            HostWatchdog watchdog,
            Warehouse warehouse,
            Workers workers) {
        this.services = services;
        this.hostSignals = hostSignals;
        this.watchdog = watchdog;
        this.warehouse = warehouse;
        this.workers = workers;
    }

    /** Adds the soft fencer, before the start. */
    void fencer(SoftFencer added) {
        fencer = added;
    }

    /** The soft fencer, null for none. */
    @Nullable SoftFencer fencer() {
        return fencer;
    }

    /** Adds the recorder of history, before the start. */
    void recorder(HistoryRecorder added) {
        recorder = added;
    }

    /** Adds the writer of transitions, before the start. */
    void beliefs(BeliefWriter added) {
        beliefs = added;
    }

    /** Whether history is recorded. */
    boolean isRecording() {
        return recorder != null;
    }

    /** State of the recording of history; null without recording. */
    @Nullable DurableHistoryState historyState() {
        HistoryRecorder history = recorder;
        return history == null ? null : history.state();
    }

    /** Whether a restart of the host's agent is pending or running. */
    boolean isSoftFenced(HostId host) {
        SoftFencer fences = fencer;
        return fences != null && fences.isBusyWith(host);
    }

    /** Starts all tasks that do not need hosts. */
    void start(boolean threaded) {
        HistoryRecorder history = recorder;
        BeliefWriter transitions = beliefs;
        if (threaded) {
            if (transitions != null) {
                transitions.start(workers);
            }
            services.writer().start(workers);
            services.audit().start(workers);
            warehouse.dump().start(workers);
            warehouse.heartbeat().start(workers);
            if (history != null) {
                history.start(workers);
            }
            hostSignals.start(workers);
            services.cadence().start(workers);
        } else {
            warehouse.dump().begin();
            warehouse.heartbeat().begin();
            if (history != null) {
                history.begin();
            }
        }
    }

    /** Starts the soft fencer's thread, if there is a soft fencer. */
    void startFencer() {
        SoftFencer fences = fencer;
        if (fences != null) {
            fences.start(workers);
        }
    }

    /** Starts the watchdog's thread. */
    void startWatchdog() {
        watchdog.start(workers);
    }

    /** One turn of every task without a thread; whether any did something. */
    boolean step() {
        boolean worked = step("batch-writer", services.writer()::writeDue);
        worked |= step("audit-writer", services.audit()::writeDue);
        worked |= step("statistics-dump", warehouse.dump()::dumpDue);
        worked |= step("dwh-heartbeat", warehouse.heartbeat()::beatDue);
        HistoryRecorder history = recorder;
        if (history != null) {
            worked |= step("history-sampler", history::sampleDue);
            worked |= step("history-writer", history::writeDue);
        }
        BeliefWriter transitions = beliefs;
        worked |= transitions != null && step("belief-writer", transitions::writeDue);
        SoftFencer fences = fencer;
        worked |= fences != null && step("soft-fencer", fences::step);
        worked |= step("host-watchdog", watchdog::lookIfDue);
        worked |= step("host-signals", hostSignals::step);
        worked |= services.cadence().isOn() && step("cadence", services.cadence()::turnDue);
        return worked;
    }

    private boolean step(String name, BooleanSupplier turn) {
        return steppers.computeIfAbsent(
                        name, each -> workers.worker(each, SupervisedWorker.STEPPED))
                .step(turn);
    }

    /** Stops every task but the writers. */
    void stop() {
        SoftFencer fences = fencer;
        if (fences != null) {
            fences.stop();
        }
        watchdog.stop(WATCHDOG_PATIENCE);
        hostSignals.stop();
        services.cadence().stop();
        warehouse.dump().stop(DUMP_PATIENCE);
        warehouse.heartbeat().stop(DUMP_PATIENCE);
        HistoryRecorder history = recorder;
        if (history != null) {
            history.stop(HISTORY_PATIENCE);
        }
    }

    /** Writes all data that the database accepts now, when the writers have no threads. */
    void writeAll() {
        while (services.writer().writeDue() || services.audit().writeDue()) {
            // until the database has everything or does not answer
        }
    }

    /** Stops the writers; data that the database accepts within a few seconds is written. */
    void stopWriters() {
        services.writer().stop(STOP_PATIENCE);
        services.audit().stop(AUDIT_PATIENCE);
        BeliefWriter transitions = beliefs;
        if (transitions != null) {
            transitions.stop(BELIEF_PATIENCE);
        }
    }
}
