package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.cadence.CadenceLimits;
import org.stillwater.core.cadence.CpuBudget;
import org.stillwater.core.cadence.HostDemand;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.cadence.CadenceControl;
import org.stillwater.monitoring.cadence.CadenceSettings;
import org.stillwater.monitoring.host.HostTimers.Timer;
import org.stillwater.testkit.VirtualClock;

/**
 * Thousands of hosts over a virtual clock: the real pace, schedule and control of the engine, with
 * a model of the VMs' movement and of the cost of a poll in place of the hosts.
 */
class CadenceSimulationTest {

    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final Duration ORDINARY = HostMonitorSettings.DEFAULT.interval();
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration ANSWER = Duration.ofMillis(300);
    private static final int VMS = 50;
    private static final long NANOS_PER_VM = 30_000;
    private static final VmReport UP =
            new VmReport.Running(
                    new VmId(1, 1),
                    1,
                    "vm",
                    VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                    null,
                    null,
                    null);

    /** How often a VM of a host moves, by second. */
    private static final double QUIET = 0.0001;

    private static final double CALM = 0.004;
    private static final double RESTLESS = 0.1;

    private final VirtualClock clock = new VirtualClock();
    private final CadenceControl control = new CadenceControl(clock);
    private final long begin = clock.nanoTime();
    private final List<Host> hosts = new ArrayList<>();
    private final PriorityQueue<Turn> turns = new PriorityQueue<>();
    private Random random = new Random(1);
    private long processorNanos;
    private long polls;
    private long[] pollsOfSecond = new long[0];

    /** Something that happens to a host: its next cycle, or the answer to a poll. */
    private record Turn(long atNanos, int number, Host host, boolean answer)
            implements Comparable<Turn> {
        @Override
        public int compareTo(Turn other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Integer.compare(number, other.number);
        }
    }

    private final class Host {

        final PollSchedule schedule;
        final HostCadence cadence;
        double moves;
        boolean waiting;
        long requestedNanos;
        long knownNanos = begin;
        long answeredNanos = begin;
        int planned;

        Host(int number, CadenceSettings settings, double moves) {
            this.schedule =
                    new PollSchedule(
                            new HostId(new UUID(number * 0x9E3779B97F4A7C15L, number)),
                            HostMonitorSettings.DEFAULT);
            this.cadence = new HostCadence(control, settings, begin);
            this.moves = moves;
        }

        void plan() {
            long now = clock.nanoTime();
            schedule.plan(HostStatus.UP, false, now);
            planned = turn(now + Math.max(0, schedule.untilNext(now)), this, false);
        }

        void due() {
            long now = clock.nanoTime();
            boolean cycle = schedule.fire(Timer.CYCLE, now);
            if (cycle && !waiting) {
                waiting = true;
                requestedNanos = now;
                schedule.polled(now);
                int _ = turn(now + ANSWER.toNanos(), this, true);
                polls++;
                pollsOfSecond[(int) ((now - begin) / 1_000_000_000)]++;
            }
            if (cycle) {
                pace();
            }
        }

        void answered() {
            waiting = false;
            long now = clock.nanoTime();
            double seconds = (requestedNanos - knownNanos) / 1e9;
            double share = 1 - Math.exp(-moves * seconds);
            cadence.begin();
            for (int vm = 0; vm < VMS; vm++) {
                cadence.reported(UP, null);
                cadence.counted(10, random.nextDouble() < share ? 30 : 10);
            }
            processorNanos += NANOS_PER_VM * (VMS + 1);
            knownNanos = requestedNanos;
            answeredNanos = now;
            cadence.analysed(0, now);
            pace();
        }

        void pace() {
            long now = clock.nanoTime();
            schedule.pace(cadence.decide(null, now), now);
        }

        void viewed() {
            long now = clock.nanoTime();
            if (cadence.view(now)) {
                pace();
                plan();
            }
        }

        void event() {
            cadence.stirred(1);
            schedule.hasten(cadence.prompt(), clock.nanoTime());
            plan();
        }

        Duration interval() {
            return cadence.pace().interval();
        }

        double ageSeconds() {
            return (clock.nanoTime() - knownNanos) / 1e9;
        }
    }

    private int number;

    private int turn(long atNanos, Host host, boolean answer) {
        turns.add(new Turn(atNanos, ++number, host, answer));
        return number;
    }

    private void simulate(double budget, Duration time, int quiet, int calm, int restless) {
        CadenceSettings settings =
                CadenceSettings.of(
                        new CadenceLimits(SHORTEST, ORDINARY, LONGEST), new CpuBudget(budget));
        control.turnOn(
                settings,
                () -> processorNanos,
                () -> {
                    List<HostDemand> demands = new ArrayList<>();
                    hosts.forEach(host -> demands.add(host.cadence.demand()));
                    return demands;
                },
                new SimpleMeterRegistry());
        pollsOfSecond = new long[(int) time.toSeconds() + 1];
        for (int i = 0; i < quiet + calm + restless; i++) {
            hosts.add(
                    new Host(i, settings, i < quiet ? QUIET : i < quiet + calm ? CALM : RESTLESS));
        }
        hosts.forEach(Host::plan);
    }

    /** Goes on until this time after the begin. */
    private void runUntil(Duration time) {
        long end = begin + time.toNanos();
        while (clock.nanoTime() < end) {
            Turn next = turns.peek();
            long at = next == null ? end : Math.min(end, next.atNanos());
            clock.advance(Duration.ofNanos(Math.max(0, at - clock.nanoTime())));
            boolean _ = control.turnDue();
            if (next != null && next.atNanos() <= clock.nanoTime()) {
                turns.remove();
                if (next.answer()) {
                    next.host().answered();
                    next.host().plan();
                } else if (next.number() == next.host().planned) {
                    next.host().due();
                    next.host().plan();
                }
            }
        }
    }

    private long count(Predicate<Host> which) {
        return hosts.stream().filter(which).count();
    }

    private double shareBetween(Duration from, Duration to) {
        runUntil(from);
        long before = processorNanos;
        runUntil(to);
        return (double) (processorNanos - before) / to.minus(from).toNanos();
    }

    @Test
    void quietHostsReachTheLongestIntervalAndRestlessOnesTheShortest(TestReporter reporter) {
        simulate(0, Duration.ofMinutes(30), 1_400, 400, 200);
        runUntil(Duration.ofMinutes(20));

        assertThat(count(host -> host.moves == QUIET && host.interval().equals(LONGEST)))
                .isGreaterThan(1_380);
        assertThat(count(host -> host.moves == RESTLESS && host.interval().equals(SHORTEST)))
                .isGreaterThan(195);
        assertThat(
                        count(host ->
                                host.moves == CALM
                                        && host.interval().compareTo(Duration.ofSeconds(8)) >= 0
                                        && host.interval().compareTo(Duration.ofSeconds(40)) <= 0))
                .isGreaterThan(360);

        // No promise is broken: every host was polled within its interval.
        assertThat(
                        count(host ->
                                clock.nanoTime() - host.answeredNanos
                                        > host.cadence.expected().plus(ANSWER).toNanos()))
                .isZero();

        // Polls are spread: no second has far more than the others.
        long most = Arrays.stream(pollsOfSecond).skip(900).limit(300).max().orElse(0);
        double mean = Arrays.stream(pollsOfSecond).skip(900).limit(300).average().orElse(0);
        reporter.publishEntry("polls in a second, most and mean", most + " " + mean);
        assertThat(most).isLessThan((long) (2 * mean));
    }

    @ParameterizedTest(name = "share {0}")
    @ValueSource(doubles = {0.025, 0.04, 0.075})
    void theBudgetIsKept(double budget, TestReporter reporter) {
        // Unbounded, 500 restless hosts at 5 s take 0.153 of a core.
        simulate(budget, Duration.ofMinutes(16), 250, 250, 500);
        double share = shareBetween(Duration.ofMinutes(8), Duration.ofMinutes(16));
        reporter.publishEntry("share", Double.toString(share));
        assertThat(share).isBetween(0.6 * budget, 1.02 * budget);
        assertThat(control.stretch()).isGreaterThan(1);
        assertThat(control.reading().overBudget()).isFalse();
    }

    @Test
    void otherLoadTakesFromTheBudget() {
        simulate(0.15, Duration.ofMinutes(25), 0, 0, 1_000);
        double alone = shareBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
        double stretchAlone = control.stretch();
        long polled = 0;
        // From now on something else takes a tenth of a core.
        for (Duration time = Duration.ofMinutes(10);
                time.compareTo(Duration.ofMinutes(25)) < 0;
                time = time.plusSeconds(1)) {
            if (time.equals(Duration.ofMinutes(20))) {
                polled = polls;
            }
            processorNanos += 100_000_000;
            runUntil(time.plusSeconds(1));
        }
        double ofPolls =
                (polls - polled) * (VMS + 1.0) * NANOS_PER_VM / Duration.ofMinutes(5).toNanos();
        assertThat(alone).isLessThanOrEqualTo(0.153);
        assertThat(ofPolls + 0.1).isLessThanOrEqualTo(0.153);
        assertThat(control.stretch()).isGreaterThan(stretchAlone);
    }

    @Test
    void viewedHostsAreFreshWithinThatBudget(TestReporter reporter) {
        simulate(0.08, Duration.ofMinutes(30), 1_000, 500, 500);
        runUntil(Duration.ofMinutes(15));
        List<Host> viewed =
                List.of(
                        hosts.get(3),
                        hosts.get(700),
                        hosts.get(1_001),
                        hosts.get(1_400),
                        hosts.get(1_600),
                        hosts.get(1_999));
        List<Double> ages = new ArrayList<>();
        for (int second = 0; second < 600; second++) {
            if (second % 15 == 0) {
                viewed.forEach(Host::viewed);
            }
            runUntil(Duration.ofMinutes(15).plusSeconds(second + 1));
            if (second >= 2) {
                viewed.forEach(host -> ages.add(host.ageSeconds()));
            }
        }
        ages.sort(null);
        double p99 = ages.get(ages.size() * 99 / 100);
        reporter.publishEntry("age of what is viewed, p99, s", Double.toString(p99));
        assertThat(p99).isLessThanOrEqualTo(15);
        assertThat(ages.getLast()).isLessThanOrEqualTo(15);
        assertThat(shareBetween(Duration.ofMinutes(25), Duration.ofMinutes(30)))
                .isLessThanOrEqualTo(0.0816);
    }

    @Test
    void aBurstReturnsToTheShortestInterval() {
        simulate(0, Duration.ofMinutes(40), 2_000, 0, 0);
        runUntil(Duration.ofMinutes(20));
        List<Host> told = hosts.subList(0, 100);
        List<Host> untold = hosts.subList(100, 200);
        told.forEach(host -> host.moves = RESTLESS);
        untold.forEach(host -> host.moves = RESTLESS);
        told.forEach(Host::event);

        // An event has its host polled at once; without one the next poll finds the burst.
        runUntil(Duration.ofMinutes(20).plusSeconds(25));
        assertThat(told)
                .filteredOn(host -> host.interval().equals(SHORTEST))
                .hasSizeGreaterThan(95);
        runUntil(Duration.ofMinutes(20).plus(LONGEST).plusSeconds(20));
        assertThat(untold)
                .filteredOn(host -> host.interval().equals(SHORTEST))
                .hasSizeGreaterThan(95);

        // When it is over, the hosts are left alone again.
        told.forEach(host -> host.moves = QUIET);
        untold.forEach(host -> host.moves = QUIET);
        runUntil(Duration.ofMinutes(40));
        assertThat(count(host -> host.interval().equals(LONGEST))).isGreaterThan(1_960);
    }

    @Test
    void aBudgetThatIsTooSmallIsNamed() {
        simulate(0.002, Duration.ofMinutes(20), 1_000, 0, 1_000);
        runUntil(Duration.ofMinutes(20));
        assertThat(control.stretch()).isEqualTo(24);
        assertThat(control.reading().overBudget()).isTrue();
        assertThat(control.reading().hosts().get("budget")).isPositive();
    }
}
