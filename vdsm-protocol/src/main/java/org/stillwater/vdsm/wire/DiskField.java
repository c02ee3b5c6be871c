package org.stillwater.vdsm.wire;

/** Members of {@code disks[dev]} (§3.3.4). */
public final class DiskField {
    public static final String TRUESIZE = "truesize";
    public static final String APPARENTSIZE = "apparentsize";
    public static final String READ_LATENCY = "readLatency";
    public static final String WRITE_LATENCY = "writeLatency";
    public static final String FLUSH_LATENCY = "flushLatency";
    public static final String READ_RATE = "readRate";
    public static final String WRITE_RATE = "writeRate";
    public static final String READ_BYTES = "readBytes";
    public static final String WRITTEN_BYTES = "writtenBytes";
    public static final String READ_OPS = "readOps";
    public static final String WRITE_OPS = "writeOps";
    public static final String IMAGE_ID = "imageID";
    public static final String LUN_GUID = "lunGUID";

    private DiskField() {}
}
