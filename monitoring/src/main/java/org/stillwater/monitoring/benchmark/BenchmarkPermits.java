package org.stillwater.monitoring.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.benchmark.BenchmarkPermit.Reason;
import org.stillwater.monitoring.benchmark.BenchmarkPermit.Refused;
import org.stillwater.monitoring.benchmark.BenchmarkPermit.Request;

/**
 * Permits that last: at most one for each object, and one for each storage domain. They live in
 * memory only, because they are short. Not thread-safe.
 */
final class BenchmarkPermits {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SOON = Duration.ofMinutes(5);

    /** Beside the cells a run fills its file. */
    private static final int FILLING = 2;

    private static final Duration MARGIN = Duration.ofMinutes(1);
    private static final int MOST = 1_000;

    private record Lasting(PermittedRun run, Set<UUID> domains) {

        Instant expiresAt() {
            return run.expiresAt();
        }
    }

    private final Map<BenchmarkSubject, Lasting> lasting = new HashMap<>();
    private final StorageGuard guard;
    private final Duration budget;
    private final int mostRunsOfDay;
    private final Supplier<UUID> ids;

    /**
     * Without permits.
     *
     * @param budget time that runs of one object may take in 24 hours
     * @param mostRunsOfDay runs of one object that the engine accepts in 24 hours
     * @param ids identities of permits
     */
    BenchmarkPermits(StorageGuard guard, Duration budget, int mostRunsOfDay, Supplier<UUID> ids) {
        this.guard = guard;
        this.budget = budget;
        this.mostRunsOfDay = mostRunsOfDay;
        this.ids = ids;
    }

    /** The run of an object ended. */
    void end(BenchmarkSubject subject) {
        lasting.remove(subject);
    }

    /** Takes away the permits with a time that is over; their runs were not posted. */
    List<PermittedRun> expire(Instant now) {
        List<PermittedRun> over = new ArrayList<>();
        lasting.values()
                .removeIf(each -> {
                    boolean isOver = !now.isBefore(each.expiresAt());
                    if (isOver) {
                        over.add(each.run().lost());
                    }
                    return isOver;
                });
        over.sort(Comparator.comparing(PermittedRun::expiresAt));
        return over;
    }

    /** Runs with a permit that lasts. */
    List<PermittedRun> lasting() {
        return lasting.values().stream().map(Lasting::run).toList();
    }

    /**
     * Whether a run may begin now, after {@link #expire}.
     *
     * @param runs runs of the object, oldest first
     */
    BenchmarkPermit ask(Request request, List<BenchmarkRun> runs, Instant now)
            throws StoreUnavailable {
        BenchmarkSubject subject = request.subject();
        if (!guard.isRunning(subject)) {
            return new Refused(Reason.NOT_RUNNING, now.plus(SOON), "It is not running.");
        }
        Refused early = early(request, runs, now);
        if (early != null) {
            return early;
        }
        Refused exceeded = exceeded(request, runs, now);
        if (exceeded != null) {
            return exceeded;
        }
        Set<UUID> domains = guard.domains(subject);
        for (Map.Entry<BenchmarkSubject, Lasting> each : lasting.entrySet()) {
            if (!each.getKey().equals(subject)
                    && !Collections.disjoint(each.getValue().domains(), domains)) {
                return new Refused(
                        Reason.OTHER_RUN,
                        each.getValue().expiresAt(),
                        "Another benchmark runs on the same storage domain.");
            }
        }
        String slow = guard.refusal(subject, domains);
        if (slow != null) {
            return new Refused(Reason.STORAGE_BUSY, now.plus(SOON), slow);
        }
        Refused unpostable = unpostable(runs, now);
        if (unpostable != null) {
            return unpostable;
        }
        if (lasting.size() >= MOST && !lasting.containsKey(subject)) {
            return new Refused(
                    Reason.TOO_MANY, now.plus(SOON), MOST + " benchmarks run, which is the most.");
        }
        PermittedRun granted =
                new PermittedRun(
                        ids.get(),
                        subject,
                        now,
                        now.plus(request.lasts().multipliedBy(FILLING)).plus(MARGIN),
                        false);
        lasting.put(subject, new Lasting(granted, Set.copyOf(domains)));
        return new BenchmarkPermit.Granted(
                granted.permit(),
                granted.expiresAt(),
                domains.isEmpty() ? "Granted; its storage domain is unknown." : "Granted.");
    }

    /** The engine would refuse the result. */
    private @Nullable Refused unpostable(List<BenchmarkRun> runs, Instant now) {
        List<Instant> received =
                runs.stream()
                        .map(BenchmarkRun::receivedAt)
                        .filter(at -> at.isAfter(now.minus(DAY)))
                        .sorted()
                        .toList();
        return received.size() < mostRunsOfDay
                ? null
                : new Refused(
                        Reason.TOO_MANY,
                        received.get(received.size() - mostRunsOfDay).plus(DAY),
                        "There are %d runs of it of the last 24 hours, which is the most."
                                .formatted(received.size()));
    }

    private static @Nullable Refused early(Request request, List<BenchmarkRun> runs, Instant now) {
        Duration every = request.every();
        if (every == null || runs.isEmpty()) {
            return null;
        }
        Instant next =
                runs.stream()
                        .map(BenchmarkPermits::began)
                        .max(Comparator.naturalOrder())
                        .orElseThrow()
                        .plus(every);
        return next.isAfter(now)
                ? new Refused(Reason.TOO_SOON, next, "The next run is due at " + next + ".")
                : null;
    }

    /** By the engine's clock, without the time that its file took to fill. */
    private static Instant began(BenchmarkRun run) {
        return run.receivedAt().minus(run.took());
    }

    private @Nullable Refused exceeded(Request request, List<BenchmarkRun> runs, Instant now) {
        Duration asked = request.budget();
        Duration most = asked == null || asked.compareTo(budget) > 0 ? budget : asked;
        if (request.lasts().compareTo(most) > 0) {
            return new Refused(
                    Reason.BUDGET,
                    now.plus(DAY),
                    "A run of at most %d s is longer than the budget of %d s in 24 hours."
                            .formatted(request.lasts().toSeconds(), most.toSeconds()));
        }
        List<BenchmarkRun> counted = new ArrayList<>();
        Duration spent = Duration.ZERO;
        for (BenchmarkRun run : runs) {
            if (run.receivedAt().isAfter(now.minus(DAY))) {
                counted.add(run);
                spent = spent.plus(run.took());
            }
        }
        if (spent.plus(request.lasts()).compareTo(most) <= 0) {
            return null;
        }
        counted.sort(Comparator.comparing(BenchmarkRun::receivedAt));
        Duration left = spent;
        Instant free = now.plus(SOON);
        for (BenchmarkRun run : counted) {
            left = left.minus(run.took());
            free = run.receivedAt().plus(DAY);
            if (left.plus(request.lasts()).compareTo(most) <= 0) {
                break;
            }
        }
        return new Refused(
                Reason.BUDGET,
                free,
                "Runs took %d s of the budget of %d s in 24 hours; this one takes up to %d s."
                        .formatted(
                                spent.toSeconds(), most.toSeconds(), request.lasts().toSeconds()));
    }
}
