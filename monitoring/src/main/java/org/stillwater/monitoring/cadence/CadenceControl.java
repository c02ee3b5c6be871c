package org.stillwater.monitoring.cadence;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cadence.CadenceReason;
import org.stillwater.core.cadence.HostDemand;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Whether intervals adapt, and by how much the CPU budget stretches them. Off until {@link
 * #turnOn}; it is turned on before hosts are watched, or not at all. Any thread reads; one thread
 * turns.
 */
public final class CadenceControl {

    /** Time between two decisions about the budget. */
    public static final Duration TURN = Duration.ofSeconds(5);

    private static final double SECOND_NANOS = 1e9;

    /** Costs count for about this long. */
    private static final double MEMORY_NANOS = Duration.ofMinutes(1).toNanos();

    private final EngineClock clock;
    private final LongAdder polledVms = new LongAdder();
    private final DoubleAdder earlyVms = new DoubleAdder();
    private volatile @Nullable CadenceSettings settings;
    private volatile LongSupplier processorNanos = () -> -1;
    private volatile Supplier<Collection<HostDemand>> hosts = List::of;
    private volatile Reading reading = Reading.NONE;
    private volatile @Nullable SupervisedWorker worker;

    // Used by the turning thread only.
    private boolean begun;
    private long turnedNanos;
    private long lastProcessorNanos;
    private long lastPolledVms;
    private double elapsed;
    private double used;
    private double vms;
    private double lastEarlyVms;
    private double early;

    /**
     * The budget at one moment.
     *
     * @param stretch by how much intervals are longer
     * @param used processor time of the engine lately, as a share of a core; NaN if not known
     * @param hosts hosts by the code of their reason
     * @param overBudget whether the engine uses more than its budget although no interval can be
     *     longer
     */
    public record Reading(
            double stretch, double used, Map<String, Integer> hosts, boolean overBudget) {

        static final Reading NONE = new Reading(1, Double.NaN, Map.of(), false);

        public Reading {
            hosts = Map.copyOf(hosts);
        }
    }

    /** A control that is off. */
    public CadenceControl(EngineClock clock) {
        this.clock = clock;
    }

    /**
     * Turns adaptive cadence on.
     *
     * @param processorNanos processor time of this process; negative if unknown
     * @param demands present demands of the hosts
     */
    public void turnOn(
            CadenceSettings next,
            LongSupplier processorNanos,
            Supplier<Collection<HostDemand>> demands,
            MeterRegistry meters) {
        this.processorNanos = processorNanos;
        this.hosts = demands;
        this.settings = next;
        Gauge.builder("stillwater.cadence.stretch", this, it -> it.reading.stretch())
                .description("By how much the CPU budget makes intervals of hosts longer")
                .register(meters);
        Gauge.builder("stillwater.cadence.used", this, it -> it.reading.used())
                .description(
                        "Processor time of the engine in the last minute, as a share of a core")
                .baseUnit("cores")
                .register(meters);
        Gauge.builder("stillwater.cadence.budget", next, it -> it.budget().share())
                .description(
                        "Processor time that the engine may use, as a share of a core; 0 for any")
                .baseUnit("cores")
                .register(meters);
        for (String code : CadenceReason.CODES) {
            Gauge.builder(
                            "stillwater.cadence.hosts",
                            this,
                            it -> it.reading.hosts().getOrDefault(code, 0))
                    .description("Hosts by the reason of their interval")
                    .tag("reason", code)
                    .register(meters);
        }
    }

    /** Whether intervals adapt. */
    public boolean isOn() {
        return settings != null;
    }

    /** How intervals adapt; null if they do not. */
    public @Nullable CadenceSettings settings() {
        return settings;
    }

    /** By how much intervals are longer. */
    public double stretch() {
        return reading.stretch();
    }

    /** The budget. */
    public Reading reading() {
        return reading;
    }

    /**
     * Notes a complete poll.
     *
     * @param weight its VMs, and one for the host itself
     * @param missing share of the host's interval that was not over yet, 0 to 1
     */
    public void polled(int weight, double missing) {
        polledVms.add(weight);
        earlyVms.add(weight * missing);
    }

    /** Starts the thread, if intervals adapt. */
    public void start(Workers workers) {
        if (isOn()) {
            SupervisedWorker started = workers.periodic("cadence", TURN, this::turn);
            worker = started;
            started.start();
        }
    }

    /** Ends the thread. */
    public void stop() {
        SupervisedWorker running = worker;
        if (running != null) {
            boolean _ = running.stop(Duration.ZERO);
        }
    }

    /** Decides about the budget if it is time to, without a thread; whether it was. */
    public boolean turnDue() {
        if (!isOn() || (begun && clock.nanoTime() - turnedNanos < TURN.toNanos())) {
            return false;
        }
        turn();
        return true;
    }

    private void turn() {
        CadenceSettings now = settings;
        if (now == null) {
            return;
        }
        measure();
        Collection<HostDemand> demands = hosts.get();
        double nanosPerVm = vms > 0 ? used / vms : 0;
        double stretch =
                now.budget()
                        .stretch(
                                now.limits(),
                                demands,
                                nanosPerVm,
                                elapsed > 0 ? early / elapsed * SECOND_NANOS : 0,
                                reading.stretch());
        Map<String, Integer> counts = new TreeMap<>();
        demands.forEach(each -> counts.merge(each.pace().reason().code(), 1, Integer::sum));
        double share = elapsed > 0 ? used / elapsed : Double.NaN;
        reading =
                new Reading(
                        stretch,
                        share,
                        counts,
                        stretch >= now.limits().range()
                                && now.budget().share() > 0
                                && share > now.budget().share());
    }

    private void measure() {
        long time = clock.nanoTime();
        long processor = processorNanos.getAsLong();
        long polled = polledVms.sum();
        double tooEarly = earlyVms.sum();
        if (begun && processor >= 0 && lastProcessorNanos >= 0) {
            long since = time - turnedNanos;
            double kept = Math.exp(-since / MEMORY_NANOS);
            elapsed = elapsed * kept + since;
            used = used * kept + (processor - lastProcessorNanos);
            vms = vms * kept + (polled - lastPolledVms);
            early = early * kept + (tooEarly - lastEarlyVms);
        }
        begun = true;
        turnedNanos = time;
        lastProcessorNanos = processor;
        lastPolledVms = polled;
        lastEarlyVms = tooEarly;
    }
}
