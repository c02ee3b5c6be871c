package org.stillwater.vdsm.wire;

/** Parameter names of verbs (§3.1). */
public final class ParamField {
    public static final String VM_ID = "vmID";
    public static final String VM_LIST = "vmList";
    public static final String FULL_STATUS = "fullStatus";
    public static final String ONLY_UUID = "onlyUUID";
    public static final String GRACEFUL_ATTEMPTS = "gracefulAttempts";
    public static final String VM_PARAMS = "vmParams";
    public static final String DELAY = "delay";
    public static final String MESSAGE = "message";
    public static final String REBOOT = "reboot";
    public static final String TIMEOUT = "timeout";
    public static final String FORCE = "force";
    public static final String KIND = "kind";
    public static final String LAST_HASH = "lastHash";
    public static final String FORCE_UPDATE = "forceUpdate";

    public static final String HIBERNATION_VOLUME_HANDLE = "hibernationVolHandle";
    public static final String PARAMS = "params";
    public static final String PASSWORD = "password";
    public static final String TTL = "ttl";
    public static final String EXISTING_CONNECTION_ACTION = "existingConnAction";

    /** Members of {@link #PARAMS} of {@code VM.updateDevice}, besides those of a ticket. */
    public static final String DEVICE_TYPE = "deviceType";

    public static final String GRAPHICS_TYPE = "graphicsType";

    public static final String DRIVE_SPEC = "driveSpec";

    /** Members of {@link #DRIVE_SPEC}. */
    public static final String DRIVE_INTERFACE = "iface";

    public static final String DRIVE_INDEX = "index";
    public static final String DRIVE_PATH = "path";

    private ParamField() {}
}
