package org.stillwater.vdsm.wire;

/** Members of {@code vmParams} of {@code VM.create}, and of the volumes in it (§3.7). */
public final class CreateField {
    public static final String VM_ID = "vmId";
    public static final String XML = "xml";
    public static final String LAUNCH_PAUSED = "launchPaused";
    public static final String MEMORY_DUMP_VOLUME = "memoryDumpVolume";
    public static final String MEMORY_CONF_VOLUME = "memoryConfVolume";

    /** Secret. */
    public static final String TPM_DATA = "_X_tpmdata";

    /** Secret. */
    public static final String NVRAM_DATA = "_X_nvramdata";

    public static final String POOL_ID = "poolID";
    public static final String DOMAIN_ID = "domainID";
    public static final String IMAGE_ID = "imageID";
    public static final String VOLUME_ID = "volumeID";

    private CreateField() {}
}
