package org.stillwater.benchmarks.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Events of one round, drawn from its seed and number alone.
 *
 * @param number from 1
 * @param loadSeed seed of the load on VMs
 * @param load how long it is done at least
 * @param strikes one or two faults, by the time at which they strike
 * @param silentHost index of the host that falls silent, −1 for none
 * @param silentAt when it does
 */
record Round(
        int number,
        long loadSeed,
        Duration load,
        List<Strike> strikes,
        int silentHost,
        Duration silentAt) {

    /** A large odd number unlike the generator's own step, so that rounds share nothing. */
    private static final long SPREAD = 0xD134_2543_DE82_EF95L;

    private static final int SILENT_IN = 4;
    private static final int TWO_IN = 2;

    Round {
        strikes = List.copyOf(strikes);
    }

    /**
     * A fault and its time.
     *
     * @param kind the fault
     * @param at from the beginning of the round's load
     * @param lasts until it is healed
     * @param jump by how much the clock jumps; zero for other faults
     */
    record Strike(FaultKind kind, Duration at, Duration lasts, Duration jump) {

        /** As a replay is compared with. */
        String text() {
            return "%s at %d ms for %d ms%s"
                    .formatted(
                            kind.label(),
                            at.toMillis(),
                            lasts.toMillis(),
                            jump.isZero() ? "" : " by " + jump);
        }
    }

    /**
     * The round of this number.
     *
     * @param kinds possible faults; at least one
     * @param hosts how many there are
     */
    static Round draw(long seed, int number, Collection<FaultKind> kinds, int hosts) {
        SplittableRandom random = new SplittableRandom(seed + number * SPREAD);
        List<FaultKind> all = kinds.stream().distinct().sorted().toList();
        FaultKind first = all.get(random.nextInt(all.size()));
        List<Strike> strikes = new ArrayList<>();
        strikes.add(strike(first, random));
        List<FaultKind> others = all.stream().filter(first::canMeet).toList();
        if (!others.isEmpty() && random.nextInt(TWO_IN) == 0) {
            strikes.add(strike(others.get(random.nextInt(others.size())), random));
        }
        strikes.sort(Comparator.comparing(Strike::at).thenComparing(Strike::kind));
        Duration end =
                strikes.stream()
                        .map(strike -> strike.at().plus(strike.lasts()))
                        .max(Comparator.naturalOrder())
                        .orElseThrow();
        boolean silent = random.nextInt(SILENT_IN) == 0;
        return new Round(
                number,
                random.nextLong(),
                end.plusMillis(300),
                strikes,
                silent ? random.nextInt(hosts) : -1,
                Duration.ofMillis(random.nextInt(100, 800)));
    }

    private static Strike strike(FaultKind kind, SplittableRandom random) {
        Duration at = Duration.ofMillis(random.nextInt(100, 900));
        Duration lasts = Duration.ofMillis(random.nextInt(200, 1_500));
        // Silence must outlast the engine's patience with its connection now and then.
        if (kind == FaultKind.DATABASE_PAUSE || kind == FaultKind.DATABASE_LOCK) {
            lasts = lasts.multipliedBy(2);
        }
        Duration jump = Duration.ZERO;
        if (kind == FaultKind.CLOCK_JUMP) {
            long seconds = Math.round(Math.exp(random.nextDouble(Math.log(1), Math.log(200_000))));
            jump = Duration.ofSeconds(random.nextBoolean() ? seconds : -seconds);
        }
        return new Strike(kind, at, lasts, jump);
    }

    boolean has(FaultKind kind) {
        return strikes.stream().anyMatch(strike -> strike.kind() == kind);
    }

    /** Whether the engine ends in it. */
    boolean endsEngine() {
        return strikes.stream().anyMatch(strike -> strike.kind().endsEngine());
    }

    /** One line for people. */
    String text() {
        return "round %d: %s%s"
                .formatted(
                        number,
                        strikes.stream().map(Strike::text).collect(Collectors.joining(", ")),
                        silentHost < 0 ? "" : ", host " + (silentHost + 1) + " falls silent");
    }
}
