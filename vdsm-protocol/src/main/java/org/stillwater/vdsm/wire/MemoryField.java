package org.stillwater.vdsm.wire;

/** Members of {@code balloonInfo} (§3.3.5) and {@code memoryStats} (§3.3.6), all KiB. */
public final class MemoryField {
    public static final String BALLOON_MAX = "balloon_max";
    public static final String BALLOON_MIN = "balloon_min";
    public static final String BALLOON_CUR = "balloon_cur";
    public static final String BALLOON_TARGET = "balloon_target";
    public static final String BALLOONING_ENABLED = "ballooning_enabled";
    public static final String MEM_TOTAL = "mem_total";
    public static final String MEM_UNUSED = "mem_unused";
    public static final String MEM_FREE = "mem_free";
    public static final String MEM_BUFFERS = "mem_buffers";
    public static final String MEM_CACHED = "mem_cached";
    public static final String SWAP_IN = "swap_in";
    public static final String SWAP_OUT = "swap_out";
    public static final String MAJFLT = "majflt";
    public static final String MINFLT = "minflt";
    public static final String PAGEFLT = "pageflt";

    private MemoryField() {}
}
