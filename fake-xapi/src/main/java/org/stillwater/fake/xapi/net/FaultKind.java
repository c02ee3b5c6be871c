package org.stillwater.fake.xapi.net;

import java.util.Locale;

/** The kinds of faults on the wire. */
public enum FaultKind {
    /** Answers come later by {@code millis}. */
    LATENCY("millis"),
    /** The connection closes instead of an answer. */
    RESET(""),
    /** No answer comes, and the connection stays open until the fault is removed. */
    SILENCE(""),
    /** The connection closes after {@code bytes} of the answer's body. */
    TRUNCATE("bytes"),
    /** The call fails with {@code error}: a code and its parameters, separated by blanks. */
    ERROR("error"),
    /** The answer is an HTTP error with {@code status}. */
    HTTP_STATUS("status");

    private final String argument;

    FaultKind(String argument) {
        this.argument = argument;
    }

    /** The one argument it needs; empty: none. */
    public String argument() {
        return argument;
    }

    /** As the control port spells it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind that the control port spells so. */
    public static FaultKind of(String word) {
        for (FaultKind each : values()) {
            if (each.word().equals(word)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no fault '" + word + "'");
    }
}
