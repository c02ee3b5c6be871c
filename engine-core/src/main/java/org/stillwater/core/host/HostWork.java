package org.stillwater.core.host;

import org.stillwater.core.id.HostId;

/**
 * Work on a host that monitoring leaves to commands. Host, kind, episode and attempt identify it:
 * commands do it once, however often monitoring comes to the same conclusion, also after a restart.
 *
 * @param host the host
 * @param kind kind of work
 * @param episode the host's episode that it follows from ({@link HostCondition#episode()})
 * @param attempt 0 for work that is done once in an episode; repeated work counts from 1
 * @param why one clause for people
 */
public record HostWork(HostId host, HostWorkKind kind, long episode, int attempt, String why) {

    /**
     * Identity of the work.
     *
     * @param host the host
     * @param kind kind of work
     * @param episode the host's episode that it follows from
     * @param attempt which time
     */
    public record Key(HostId host, HostWorkKind kind, long episode, int attempt) {}

    /** Identity of the work. */
    public Key key() {
        return new Key(host, kind, episode, attempt);
    }

    /**
     * Whether other work replaces this, so that this no longer needs to be done: a later attempt of
     * the same kind on the same host.
     */
    public boolean isReplacedBy(HostWork other) {
        return host.equals(other.host)
                && kind == other.kind
                && (episode < other.episode
                        || (episode == other.episode && attempt < other.attempt));
    }
}
