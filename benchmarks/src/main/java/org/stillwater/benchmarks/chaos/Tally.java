package org.stillwater.benchmarks.chaos;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results of the rounds. Written by one thread, read when it has ended. */
final class Tally {

    private final Map<FaultKind, Line> lines = new EnumMap<>(FaultKind.class);
    private int rounds;
    private int faults;
    private int violations;
    private int silences;
    private long actions;
    private int untold;
    private long reads;
    private Duration slowestRead = Duration.ZERO;
    private Duration longestRound = Duration.ZERO;

    private static final class Line {
        int faults;
        int violatedRounds;
        Duration slowest = Duration.ZERO;
    }

    void played(Round round, List<String> found, Duration took) {
        rounds++;
        faults += round.strikes().size();
        violations += found.isEmpty() ? 0 : 1;
        silences += round.silentHost() < 0 ? 0 : 1;
        longestRound = longer(longestRound, took);
        for (Round.Strike strike : round.strikes()) {
            Line line = line(strike.kind());
            line.faults++;
            line.violatedRounds += found.isEmpty() ? 0 : 1;
        }
    }

    /** The time from the end of the faults until all processes agreed. */
    void settled(Round round, Duration took) {
        for (Round.Strike strike : round.strikes()) {
            Line line = line(strike.kind());
            line.slowest = longer(line.slowest, took);
        }
    }

    private Line line(FaultKind kind) {
        return lines.computeIfAbsent(kind, _ -> new Line());
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    void actions(int more) {
        actions += more;
    }

    void untold(int inAll) {
        untold = inAll;
    }

    void reads(long count, Duration slowest) {
        reads = count;
        slowestRead = slowest;
    }

    int rounds() {
        return rounds;
    }

    /** Rounds in which something was wrong. */
    int violations() {
        return violations;
    }

    /** A table for people. */
    String table() {
        StringBuilder table = new StringBuilder();
        table.append(
                String.format(
                        "%n%-20s %7s %16s %18s%n",
                        "fault", "struck", "rounds violated", "agreed again after"));
        lines.forEach((kind, line) ->
                table.append(
                        String.format(
                                Locale.ROOT,
                                "%-20s %7d %16d %16.1f s%n",
                                kind.label(),
                                line.faults,
                                line.violatedRounds,
                                line.slowest.toMillis() / 1e3)));
        table.append(
                String.format(
                        Locale.ROOT,
                        "%d changes of VMs, %d silences of hosts, longest round %.1f s%n",
                        actions,
                        silences,
                        longestRound.toMillis() / 1e3));
        table.append(
                String.format(
                        Locale.ROOT,
                        "%d reads while it all went on, slowest %d ms%n",
                        reads,
                        slowestRead.toMillis()));
        table.append(
                String.format(
                        "%d failures are not in the audit log, which is tolerated (ADR 8: a crash"
                                + " between two commits)%n",
                        untold));
        return table.toString();
    }

    /** The last line. */
    String summary(long seed, Duration elapsed) {
        return String.format(
                Locale.ROOT,
                "chaos seed=%d rounds=%d faults=%d violations=%d elapsed=%.1fs",
                seed,
                rounds,
                faults,
                violations,
                elapsed.toMillis() / 1e3);
    }
}
