package org.stillwater.ovirt.resource;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * When a caller expects the answer to a change, if its body does not determine it (chapter 1.5).
 */
public enum Expectation {
    /** As usual for the request. */
    USUAL,
    /** Before the end: {@code 202-accepted}. */
    EARLY,
    /** At the end: {@code 201-created}. */
    AT_END;

    /**
     * Meaning of a header.
     *
     * @throws Refusal if it is none that can be met
     */
    static Expectation of(@Nullable String header) {
        return switch (header == null ? "" : header.strip().toLowerCase(Locale.ROOT)) {
            case "", "100-continue" -> USUAL;
            case "202-accepted" -> EARLY;
            case "201-created" -> AT_END;
            default ->
                    throw new Refusal(
                            417,
                            "Expectation Failed",
                            "The values of Expect are 201-created and 202-accepted.");
        };
    }
}
