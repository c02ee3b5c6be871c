package org.stillwater.core.model;

/**
 * One thing about a host that is left to commands. Host, kind, episode and attempt make it unique:
 * however often monitoring comes to the same conclusion, also after a restart, it is done once.
 *
 * @param host the host
 * @param kind what is to be done
 * @param episode the host's episode that it follows from ({@link HostCondition#episode()})
 * @param attempt 0 for what is done once in an episode; what is repeated counts from 1
 * @param why one clause for people
 */
public record HostWork(HostId host, HostWorkKind kind, long episode, int attempt, String why) {

    /**
     * What makes work unique.
     *
     * @param host the host
     * @param kind what is to be done
     * @param episode the host's episode that it follows from
     * @param attempt which time
     */
    public record Key(HostId host, HostWorkKind kind, long episode, int attempt) {}

    /** What makes it unique. */
    public Key key() {
        return new Key(host, kind, episode, attempt);
    }

    /**
     * Whether other work takes the place of this, so that this need not be done any more: a later
     * attempt of the same kind on the same host.
     */
    public boolean isReplacedBy(HostWork other) {
        return host.equals(other.host)
                && kind == other.kind
                && (episode < other.episode
                        || (episode == other.episode && attempt < other.attempt));
    }
}
