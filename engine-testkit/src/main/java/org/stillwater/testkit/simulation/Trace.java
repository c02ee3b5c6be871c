package org.stillwater.testkit.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.testkit.VirtualClock;

/** Writes events, one line each, to a reader; free of cost without one. */
final class Trace {

    private final VirtualClock clock;
    private final Instant start;
    private final @Nullable Consumer<String> reader;

    Trace(VirtualClock clock, @Nullable Consumer<String> reader) {
        this.clock = clock;
        this.start = clock.now();
        this.reader = reader;
    }

    boolean isRead() {
        return reader != null;
    }

    /** Records an event in the world, unknown to the engine until a host reports it. */
    void truth(String what, Object... details) {
        say("truth  ", what, details);
    }

    /** Records an event that reaches the engine. */
    void network(String what, Object... details) {
        say("network", what, details);
    }

    /** Records a state or action of the engine. */
    void engine(String what, Object... details) {
        say("engine ", what, details);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is Error Prone's, no dependency
    private void say(String who, String what, Object... details) {
        Consumer<String> to = reader;
        if (to != null) {
            double seconds = Duration.between(start, clock.now()).toNanos() / 1e9;
            to.accept(
                    String.format(Locale.ROOT, "%10.3f s  %s  ", seconds, who)
                            + String.format(Locale.ROOT, what, details));
        }
    }
}
