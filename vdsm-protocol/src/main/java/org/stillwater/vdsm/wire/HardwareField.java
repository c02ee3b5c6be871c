package org.stillwater.vdsm.wire;

/** Members of {@code Host.getHardwareInfo} (§3.6). */
public final class HardwareField {
    public static final String SYSTEM_MANUFACTURER = "systemManufacturer";
    public static final String SYSTEM_PRODUCT_NAME = "systemProductName";
    public static final String SYSTEM_VERSION = "systemVersion";
    public static final String SYSTEM_SERIAL_NUMBER = "systemSerialNumber";
    public static final String SYSTEM_UUID = "systemUUID";
    public static final String SYSTEM_FAMILY = "systemFamily";

    private HardwareField() {}
}
