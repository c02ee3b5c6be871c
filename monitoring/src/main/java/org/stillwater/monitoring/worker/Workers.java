package org.stillwater.monitoring.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * The supervised threads of one engine, by name: for health and meters. Thread-safe. Their names
 * are constants of the code, or hold the name of a pool of the settings, which bounds them.
 */
public final class Workers {

    private static final Logger LOG = LoggerFactory.getLogger(Workers.class);

    private final WorkerSettings settings;
    private final EngineClock clock;
    private final MeterRegistry meters;
    private final Map<String, SupervisedWorker> workers = new ConcurrentSkipListMap<>();

    /** No workers yet. */
    public Workers(WorkerSettings settings, EngineClock clock, MeterRegistry meters) {
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
        Gauge.builder("stillwater.workers.unwell", this, Workers::unwell)
                .description("Supervised threads that fail, are stuck or ended")
                .register(meters);
    }

    /**
     * A worker that is not started. It replaces one of the same name.
     *
     * @param name of the worker and its thread, a constant of the code
     */
    public SupervisedWorker worker(String name, SupervisedWorker.Work work) {
        Counter failures =
                Counter.builder("stillwater.worker.failures")
                        .description("Failures of supervised threads and of pieces of their work")
                        .tag("worker", name)
                        .register(meters);
        SupervisedWorker worker =
                new SupervisedWorker(
                        name,
                        work,
                        settings,
                        clock,
                        failures,
                        new ThrottledLog(LOG, clock, settings.quietPeriod(), "worker=" + name));
        workers.put(name, worker);
        return worker;
    }

    /**
     * A worker that repeats a task, first one interval after its start; not started.
     *
     * @param name of the worker and its thread, a constant of the code
     * @param interval between the end of one time and the begin of the next
     */
    public SupervisedWorker periodic(String name, Duration interval, Runnable task) {
        return worker(name, new PeriodicWork(null, interval, clock, task));
    }

    /**
     * The same with a preparation, which runs once and at once; the task follows one interval
     * later.
     */
    public SupervisedWorker periodic(
            String name, Runnable preparation, Duration interval, Runnable task) {
        return worker(name, new PeriodicWork(preparation, interval, clock, task));
    }

    /** Forgets a worker that was stopped for good: health and meters no longer have it. */
    public void forget(SupervisedWorker worker) {
        boolean _ = workers.values().remove(worker);
        var _ = meters.remove(worker.meter());
    }

    /** How each works, by name. */
    public List<WorkerHealth> health() {
        return workers.values().stream().map(SupervisedWorker::health).toList();
    }

    /** State of the existing workers. */
    public List<WorkerHealth> health(List<String> names) {
        return health().stream().filter(worker -> names.contains(worker.name())).toList();
    }

    private double unwell() {
        return health().stream().filter(WorkerHealth::isDown).count();
    }
}
