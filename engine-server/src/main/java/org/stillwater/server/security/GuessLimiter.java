package org.stillwater.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;

/**
 * Slows guesses by a key, for example by a name: the first failures cost nothing, each further one
 * makes the next guess wait twice as long, up to a longest pause. Every guess takes its turn before
 * its password is checked and gives it back if the password was right: guesses at the same time
 * thereby wait one behind the other, and right passwords cost nothing. Remembers a bounded number
 * of keys. Thread-safe.
 */
final class GuessLimiter {

    private static final int MOST_KEYS = 100_000;
    private static final int MOST_DOUBLINGS = 30;

    /**
     * State of a key.
     *
     * @param failures guesses that failed, or have no known outcome yet
     * @param nextNanos when the next guess may be made, in nanoseconds of the clock
     * @param lastNanos when the last of these was made
     */
    private record State(int failures, long nextNanos, long lastNanos) {}

    private final int free;
    private final long firstNanos;
    private final long slowestNanos;
    private final long forgottenNanos;
    private final EngineClock clock;
    private final Cache<String, State> states;

    /**
     * Nothing counted yet.
     *
     * @param free failures that make nothing wait
     * @param first pause after the first failure beyond these; doubles with each further one
     * @param slowest the longest pause between two guesses
     * @param forgotten after how long without a failure all failures of a key are forgotten
     */
    GuessLimiter(
            int free, Duration first, Duration slowest, Duration forgotten, EngineClock clock) {
        this.free = free;
        this.firstNanos = first.toNanos();
        this.slowestNanos = slowest.toNanos();
        this.forgottenNanos = forgotten.toNanos();
        this.clock = clock;
        this.states =
                Caffeine.newBuilder()
                        .maximumSize(MOST_KEYS)
                        .expireAfterWrite(forgotten)
                        .ticker(clock::nanoTime)
                        .build();
    }

    /**
     * The turn of one guess.
     *
     * @param key key of the turn
     * @param pause how long to wait before the password is checked, or, where the turn is refused,
     *     before another one may be taken
     * @param refused whether the guess would have to wait for too long: then no turn was taken
     * @param failures earlier failures
     * @param slows whether this guess, if it fails, is the one after which others wait
     * @param spacingNanos by how much it puts off the next one
     * @param lastNanos when the failure before it was
     */
    record Turn(
            String key,
            Duration pause,
            boolean refused,
            int failures,
            boolean slows,
            long spacingNanos,
            long lastNanos) {}

    /**
     * Takes a turn.
     *
     * @param patience the longest wait; beyond it no turn is taken
     */
    Turn take(String key, Duration patience) {
        long now = clock.nanoTime();
        AtomicReference<Turn> turn = new AtomicReference<>();
        states.asMap()
                .compute(
                        key,
                        (_, known) -> {
                            State before = isForgotten(known, now) ? null : known;
                            int failures = before == null ? 0 : before.failures();
                            long last = before == null ? now : before.lastNanos();
                            long next =
                                    before == null || before.nextNanos() - now < 0
                                            ? now
                                            : before.nextNanos();
                            long spacing = failures < free ? 0 : spacing(failures);
                            long wait = failures < free ? 0 : next - now;
                            boolean refused = wait > patience.toNanos();
                            turn.set(
                                    new Turn(
                                            key,
                                            Duration.ofNanos(wait),
                                            refused,
                                            failures,
                                            failures + 1 == free,
                                            spacing,
                                            last));
                            return refused ? before : new State(failures + 1, next + spacing, now);
                        });
        return Objects.requireNonNull(turn.get());
    }

    private boolean isForgotten(@Nullable State state, long now) {
        return state == null || now - state.lastNanos() >= forgottenNanos;
    }

    private long spacing(int failures) {
        int doublings = Math.min(MOST_DOUBLINGS, failures - free);
        long spacing = firstNanos << doublings;
        return spacing <= 0 || spacing > slowestNanos ? slowestNanos : spacing;
    }

    /** Gives a turn back: the password was right, or it was not checked. */
    void giveBack(Turn turn) {
        if (turn.refused()) {
            return;
        }
        states.asMap()
                .computeIfPresent(
                        turn.key(),
                        (_, now) ->
                                now.failures() <= 1
                                        ? null
                                        : new State(
                                                now.failures() - 1,
                                                now.nextNanos() - turn.spacingNanos(),
                                                turn.failures() == now.failures() - 1
                                                        ? turn.lastNanos()
                                                        : now.lastNanos()));
    }

    /** How many guesses by this key failed lately, or are being checked. */
    int failures(String key) {
        State state = states.getIfPresent(key);
        return isForgotten(state, clock.nanoTime()) || state == null ? 0 : state.failures();
    }

    /** Whether guesses by this key have to wait. */
    boolean isSlowed(String key) {
        return failures(key) >= free;
    }
}
