package org.stillwater.relay.state;

/**
 * The state of one host at a relay, as a stream needs it: how far it is, and what changed since any
 * sequence. Not thread-safe.
 */
public interface HostState {

    /** Which life of the state the sequences count in. */
    long epoch();

    /** The sequence of the newest change; 0 before the first. */
    long version();

    /** A receiver has this sequence. */
    void acknowledged(long sequence);

    /**
     * Everything that changed after a sequence; the whole state if that sequence is 0, is not of
     * this state, or is older than what is remembered. Its own sequence may be later than {@link
     * #version()} was.
     *
     * @param withSum whether the checksum of the whole state goes with it
     */
    Delta since(long base, boolean withSum);
}
