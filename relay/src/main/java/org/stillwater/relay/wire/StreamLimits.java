package org.stillwater.relay.wire;

/** Bounds of the stream that both sides share. */
public final class StreamLimits {

    /** Version of the schema that this code supports. */
    public static final int VERSION = 1;

    /** Largest message: the whole state of a host with some thousand VMs. */
    public static final int MESSAGE_BYTES = 64 << 20;

    /** Most hosts of one relay. */
    public static final int MOST_HOSTS = 16_384;

    private StreamLimits() {}
}
