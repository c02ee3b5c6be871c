package org.stillwater.relay.state;

/**
 * The state of one host at a relay for a stream: its sequence, and its changes since any sequence.
 * Not thread-safe.
 */
public interface HostState {

    /** Identity of the state to which the sequences belong. */
    long epoch();

    /** The sequence of the newest change; 0 before the first. */
    long version();

    /** A receiver has this sequence. */
    void acknowledged(long sequence);

    /**
     * All changes after a sequence; the whole state if that sequence is 0, belongs to another
     * state, or is older than the stored marks. The sequence of the result may be later than an
     * earlier {@link #version()}.
     *
     * @param withSum whether it contains the checksum of the whole state
     */
    Delta since(long base, boolean withSum);
}
