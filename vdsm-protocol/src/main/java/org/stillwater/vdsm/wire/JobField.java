package org.stillwater.vdsm.wire;

/** Members of {@code vmJobs[id]} (§3.3.7). */
public final class JobField {
    public static final String ID = "id";
    public static final String JOB_TYPE = "jobType";
    public static final String BLOCK_JOB_TYPE = "blockJobType";
    public static final String DRIVE = "drive";
    public static final String IMG_UUID = "imgUUID";
    public static final String BANDWIDTH = "bandwidth";
    public static final String CUR = "cur";
    public static final String END = "end";

    private JobField() {}
}
