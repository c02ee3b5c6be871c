package org.stillwater.vdsm.wire;

/**
 * Members of the guest part's inner objects (§3.3.8) and of {@code displayInfo} and {@code
 * watchdogEvent} (§3.3.2).
 */
public final class GuestField {
    public static final String HW = "hw";
    public static final String INET = "inet";
    public static final String INET6 = "inet6";
    public static final String TYPE = "type";
    public static final String ARCH = "arch";
    public static final String KERNEL = "kernel";
    public static final String DISTRIBUTION = "distribution";
    public static final String VERSION = "version";
    public static final String CODENAME = "codename";
    public static final String OFFSET = "offset";
    public static final String ZONE = "zone";
    public static final String PATH = "path";
    public static final String TOTAL = "total";
    public static final String USED = "used";
    public static final String FS = "fs";
    public static final String PORT = "port";
    public static final String TLS_PORT = "tlsPort";
    public static final String IP_ADDRESS = "ipAddress";
    public static final String TIME = "time";
    public static final String ACTION = "action";
    public static final String IMAGE = "image";
    public static final String COMMAND = "command";
    public static final String NAMES = "names";

    private GuestField() {}
}
