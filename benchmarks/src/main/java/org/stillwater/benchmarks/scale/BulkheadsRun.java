package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;
import org.stillwater.benchmarks.scale.EventProbe.Latencies;

/**
 * One run of {@code bench bulkheads}: phases in which all hosts are well alternate with phases in
 * which some are frozen, slow or flapping, and the durations of the others' events and polls are
 * compared. Phases alternate so that a drift meanwhile, on the machine or in the programs, weighs
 * on both.
 */
public final class BulkheadsRun {

    private static final Duration HEAL_PATIENCE = Duration.ofMinutes(10);

    private final BulkheadsPlan plan;
    private final TestBed bed;

    /** A run of this plan that prints its progress. */
    public BulkheadsRun(BulkheadsPlan plan, PrintStream progress) {
        this.plan = plan;
        this.bed = new TestBed(plan.fleet(), progress);
    }

    /**
     * One phase.
     *
     * @param sick whether some hosts were sick
     * @param events from the change to a subscriber of the stream, milliseconds
     * @param lateness of polls, milliseconds
     * @param hostsUp hosts that were up at its end
     */
    public record Phase(boolean sick, Distribution events, Distribution lateness, int hostsUp) {}

    /** Hosts by their lot. */
    private record Cast(
            List<String> frozen, List<String> slow, List<String> flapping, Set<String> healthy) {}

    /**
     * Measures.
     *
     * @throws BenchFailure if a program ends or does not react in time
     */
    public List<Phase> measure() throws IOException, InterruptedException {
        return bed.run(this::measure);
    }

    private List<Phase> measure(EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        Cast cast = cast(simulator.hosts());
        List<String> vms = new ArrayList<>();
        for (Map.Entry<String, String> vm : simulator.vms().entrySet()) {
            if (cast.healthy().contains(vm.getValue())) {
                vms.add(vm.getKey());
            }
        }
        Collections.shuffle(vms, new Random(plan.fleet().seed()));
        bed.say(
                "%d hosts are frozen, %d slow and %d flap in sick phases; %d stay well",
                cast.frozen().size(),
                cast.slow().size(),
                cast.flapping().size(),
                cast.healthy().size());
        settle();
        List<Phase> phases = new ArrayList<>();
        for (int i = 0; i < 2 * plan.rounds(); i++) {
            boolean sick = i % 2 == 1;
            if (sick) {
                sicken(simulator, cast);
                settle();
            }
            int from = i * plan.eventsPerPhase();
            Phase phase =
                    phase(
                            engine,
                            simulator,
                            sick,
                            cast,
                            vms.subList(from, from + plan.eventsPerPhase()));
            tell(phase, i + 1);
            phases.add(phase);
            if (sick) {
                if (phase.hostsUp() == plan.fleet().hosts()) {
                    throw new BenchFailure("all hosts were up at the end of a sick phase");
                }
                heal(engine, simulator, cast);
            }
        }
        return phases;
    }

    private Cast cast(List<String> hosts) {
        List<String> shuffled = new ArrayList<>(hosts);
        Collections.shuffle(shuffled, new Random(plan.fleet().seed()));
        int each = plan.hostsOfAKind();
        return new Cast(
                shuffled.subList(0, each),
                shuffled.subList(each, 2 * each),
                shuffled.subList(2 * each, 3 * each),
                new HashSet<>(shuffled.subList(3 * each, shuffled.size())));
    }

    private static void sicken(SimulatorProcess simulator, Cast cast)
            throws IOException, InterruptedException {
        for (String host : cast.frozen()) {
            simulator.freeze(host, true);
        }
        for (String host : cast.slow()) {
            simulator.fault(
                    """
                    {"kind": "latency", "host": "%s", "delayMillis": 5000, "maxDelayMillis": 30000}
                    """
                            .formatted(host));
        }
        for (String host : cast.flapping()) {
            simulator.fault(
                    """
                    {"kind": "drop", "host": "%s", "probability": 0.3, "at": "before", "close": "rst"}
                    """
                            .formatted(host));
        }
    }

    private void heal(EngineProcess engine, SimulatorProcess simulator, Cast cast)
            throws IOException, InterruptedException {
        simulator.clearFaults();
        for (String host : cast.frozen()) {
            simulator.freeze(host, false);
        }
        bed.await(
                HEAL_PATIENCE,
                "all hosts, up again,",
                () -> {
                    engine.requireAlive();
                    simulator.requireAlive();
                },
                () -> {
                    String text = engine.http().tryGet("/actuator/prometheus");
                    return text != null && hostsUp(Meters.parse(text)) == plan.fleet().hosts();
                });
        settle();
    }

    /** Waits until every host had its poll and the new phase is in force. */
    private void settle() throws InterruptedException {
        long time = plan.fleet().interval().multipliedBy(2).toNanos();
        bed.clock().waitUntil(bed.clock().nanoTime() + time);
    }

    private Phase phase(
            EngineProcess engine,
            SimulatorProcess simulator,
            boolean sick,
            Cast cast,
            List<String> vms)
            throws IOException, InterruptedException {
        Lateness lateness = new Lateness();
        Latencies latencies;
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Latencies> events =
                    thread.submit(() ->
                            new EventProbe(engine, simulator, bed.clock())
                                    .measure(vms, plan.eventsPerSecond()));
            long next = bed.clock().nanoTime();
            do {
                lateness.look(engine);
                next += plan.fleet().interval().toNanos() / 3;
                bed.clock().waitUntil(next);
            } while (!events.isDone());
            latencies = events.get();
        } catch (ExecutionException e) {
            throw new BenchFailure("latencies cannot be measured: " + e.getCause(), e);
        }
        return new Phase(
                sick,
                latencies.subscriber(),
                Distribution.ofMillis(lateness.ofHosts(cast.healthy(), plan.fleet().interval())),
                hostsUp(engine.meters()));
    }

    private static int hostsUp(Meters meters) {
        return (int) meters.sum("stillwater_hosts_up");
    }

    private void tell(Phase phase, int number) {
        bed.say(
                "  phase %d of %d, %s: events p50 %.1f p99 %.1f ms (%d), polls late p50 %.1f p99"
                        + " %.1f ms (%d), hosts up %d",
                number,
                2 * plan.rounds(),
                phase.sick() ? "sick" : "well",
                phase.events().p50(),
                phase.events().p99(),
                phase.events().count(),
                phase.lateness().p50(),
                phase.lateness().p99(),
                phase.lateness().count(),
                phase.hostsUp());
    }

    /** Table of all phases: for each figure, well, sick and the ratio of both. */
    public static String table(List<Phase> phases) {
        StringBuilder out = new StringBuilder();
        out.append(
                String.format(
                        Locale.ROOT,
                        "%n%-30s %10s %10s %10s%n",
                        "median of the phases",
                        "well",
                        "sick",
                        "ratio"));
        line(out, "event p50, ms", phases, phase -> phase.events().p50());
        line(out, "event p99, ms", phases, phase -> phase.events().p99());
        line(out, "poll lateness p50, ms", phases, phase -> phase.lateness().p50());
        line(out, "poll lateness p99, ms", phases, phase -> phase.lateness().p99());
        return out.toString();
    }

    private static void line(
            StringBuilder out, String name, List<Phase> phases, ToDoubleFunction<Phase> figure) {
        double well = median(phases, false, figure);
        double sick = median(phases, true, figure);
        out.append(
                String.format(
                        Locale.ROOT,
                        "%-30s %10.2f %10.2f %10.3f%n",
                        name,
                        well,
                        sick,
                        sick / well));
    }

    private static double median(List<Phase> phases, boolean sick, ToDoubleFunction<Phase> figure) {
        return Figures.Spread.of(
                        phases.stream()
                                .filter(phase -> phase.sick() == sick)
                                .mapToDouble(figure)
                                .toArray())
                .median();
    }
}
