package org.stillwater.vdsm.wire;

/** Members of {@code network[tap]} of a VM (§3.3.3). */
public final class NicField {
    public static final String MAC_ADDR = "macAddr";
    public static final String NAME = "name";
    public static final String SPEED = "speed";
    public static final String STATE = "state";
    public static final String DUPLEX = "duplex";
    public static final String RX = "rx";
    public static final String TX = "tx";
    public static final String RX_ERRORS = "rxErrors";
    public static final String TX_ERRORS = "txErrors";
    public static final String RX_DROPPED = "rxDropped";
    public static final String TX_DROPPED = "txDropped";
    public static final String SAMPLE_TIME = "sampleTime";

    private NicField() {}
}
