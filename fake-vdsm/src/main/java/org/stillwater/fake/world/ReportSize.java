package org.stillwater.fake.world;

/** The amount of data that a world's VMs report, hence the length of their reports. */
public enum ReportSize {
    /** A realistic mix, about 3.3 KB per VM (VDSM wire protocol §5.3). */
    FULL("full"),
    /** Mostly bare guests without agent, about 1.8 KB per VM: for comparison with older figures. */
    SMALL("small");

    private final String code;

    ReportSize(String code) {
        this.code = code;
    }

    /** Its name in settings. */
    public String code() {
        return code;
    }

    /**
     * The size with this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static ReportSize ofCode(String code) {
        for (ReportSize size : values()) {
            if (size.code.equals(code)) {
                return size;
            }
        }
        throw new IllegalArgumentException("unknown report size '" + code + "'; full or small");
    }
}
