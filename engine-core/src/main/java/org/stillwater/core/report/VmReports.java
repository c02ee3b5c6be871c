package org.stillwater.core.report;

/**
 * A message about VMs that arrived and is not decoded yet. Decoding streams on the caller's thread;
 * closing frees the message's buffers. Used by one thread.
 */
public interface VmReports extends AutoCloseable {

    /** Whether this is a poll's complete answer or an event about some VMs. */
    Kind kind();

    /**
     * The engine's monotonic clock when the poll's request was sent, or when the event arrived; for
     * {@code fetchTime} comparisons (monitoring specification §4.1).
     */
    long fetchedNanos();

    /** The engine's monotonic clock when the message had arrived completely. */
    long receivedNanos();

    /** Size of the message on the wire, in bytes after TLS. */
    int sizeBytes();

    /**
     * Decodes the message once, handing each VM to the sink as soon as it is read.
     *
     * @return how many VMs were handed over
     * @throws MalformedReport if the message violates the protocol; VMs read before stay valid, and
     *     the message proves nothing about VMs that it lacks
     */
    int decode(VmReportSink sink) throws MalformedReport;

    /** Frees the message's buffers. Idempotent. */
    @Override
    void close();

    /** Sort of message. */
    enum Kind {
        /** A complete list: a VM that is not mentioned is not there. */
        POLL,
        /** Some VMs, some fields: all others are unchanged. */
        EVENT
    }
}
