package org.stillwater.relay.intake;

/** The way of a command to a host that has a relay, and its end. */
public enum CommandOutcome {
    /** The host answered through the relay, with a result or an error. */
    ANSWERED("relay", "answered"),
    /** No answer came through the relay in time. */
    TIMED_OUT("relay", "timed-out"),
    /** The stream, or the relay's connection to the host, was lost before the answer. */
    LOST("relay", "lost"),
    /** It went over the engine's own connection: no relay stands in for the host's polls. */
    UNAVAILABLE("direct", "unavailable"),
    /** It went over the engine's own connection: a limit of the relay's calls was reached. */
    BUSY("direct", "busy"),
    /** It went over the engine's own connection: the relay answered that it did not send it. */
    NOT_SENT("direct", "not-sent");

    private final String way;
    private final String outcome;

    CommandOutcome(String way, String outcome) {
        this.way = way;
        this.outcome = outcome;
    }

    /** {@code relay}, or {@code direct} for the engine's own connection. */
    public String way() {
        return way;
    }

    /** The end, one word. */
    public String outcome() {
        return outcome;
    }
}
