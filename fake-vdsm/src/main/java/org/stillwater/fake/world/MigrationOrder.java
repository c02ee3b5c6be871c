package org.stillwater.fake.world;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A migration to carry out.
 *
 * @param target name of the host to go to; {@code any} draws another one that is up
 * @param outcome how it ends
 * @param takes how long it takes; {@code null} for the world's setting
 */
public record MigrationOrder(String target, Outcome outcome, @Nullable Duration takes) {

    /** The ending of a migration. */
    public enum Outcome {
        /** It arrives. */
        SUCCESS,
        /** It stays where it was. */
        FAILURE,
        /** It arrives after a switch to post-copy half way. */
        POSTCOPY,
        /** It is lost after the switch to post-copy. */
        POSTCOPY_FAILURE;

        /** Its name on the control port, {@code postcopy-failure}. */
        public String code() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /**
         * The outcome with this name on the control port.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Outcome ofCode(String code) {
            return Arrays.stream(values())
                    .filter(outcome -> outcome.code().equals(code))
                    .findFirst()
                    .orElseThrow(() ->
                            new IllegalArgumentException(
                                    "unknown outcome '%s'; success, failure, postcopy or"
                                                    .formatted(code)
                                            + " postcopy-failure"));
        }
    }

    /** A migration that succeeds in the usual time. */
    public static MigrationOrder to(String target) {
        return new MigrationOrder(target, Outcome.SUCCESS, null);
    }
}
