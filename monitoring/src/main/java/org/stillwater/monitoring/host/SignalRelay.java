package org.stillwater.monitoring.host;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.host.HostDecision;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Delivers signals to their listener on its own thread, in order, so that a slow listener delays
 * neither the monitoring of a host nor the writer. When the listener falls too far behind, signals
 * are dropped and that is reported: the hosts' status contains the same information.
 */
public final class SignalRelay implements HostSignals {

    private static final Logger LOG = LoggerFactory.getLogger(SignalRelay.class);

    /** Signals that may wait: a few for each host of a large fleet. */
    private static final int CAPACITY = 8_192;

    private final BlockingQueue<Told> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final ThrottledLog warnings;
    private volatile HostSignals listener = HostSignals.NONE;
    private @Nullable SupervisedWorker worker;

    private record Told(HostId host, HostDecision.Signal signal, NonOperationalReason reason) {}

    /**
     * A relay without a listener.
     *
     * @param quietPeriod a repeated problem is logged once in this time
     */
    public SignalRelay(EngineClock clock, Duration quietPeriod) {
        this.warnings = new ThrottledLog(LOG, clock, quietPeriod, "host signals");
    }

    /** Replaces the listener. Any thread. */
    public void listener(HostSignals next) {
        listener = next;
    }

    /** Does not block; any thread. */
    @Override
    public void told(HostId host, HostDecision.Signal signal, NonOperationalReason reason) {
        if (!waiting.offer(new Told(host, signal, reason))) {
            warnings.about("signals left out", "the listener is " + CAPACITY + " behind");
        }
    }

    /** Starts its thread. */
    public void start(Workers workers) {
        SupervisedWorker started = workers.worker("host-signals", new Loop());
        worker = started;
        started.start();
    }

    /** The relay's loop. */
    private final class Loop implements SupervisedWorker.Work {
        private @Nullable Told next;

        @Override
        public boolean await() throws InterruptedException {
            next = waiting.take();
            return true;
        }

        @Override
        public void perform() {
            Told taken = next;
            next = null;
            if (taken != null) {
                pass(taken);
            }
        }
    }

    /**
     * Passes waiting signals on, for tests that do not start the thread.
     *
     * @return whether there was anything
     */
    public boolean step() {
        Told next = waiting.poll();
        if (next != null) {
            pass(next);
        }
        return next != null;
    }

    private void pass(Told next) {
        try {
            listener.told(next.host(), next.signal(), next.reason());
        } catch (RuntimeException e) {
            warnings.about("listener failed", next + ": " + e, e);
        }
    }

    /** Ends the thread; waiting signals are dropped. */
    public void stop() {
        SupervisedWorker running = worker;
        if (running != null) {
            boolean _ = running.stop(Duration.ZERO);
        }
    }
}
