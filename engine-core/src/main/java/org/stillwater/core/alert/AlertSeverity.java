package org.stillwater.core.alert;

/** How grave an alert is. */
public enum AlertSeverity {
    INFO("info"),
    WARNING("warning"),
    CRITICAL("critical");

    private final String label;

    AlertSeverity(String label) {
        this.label = label;
    }

    /** The word of requests, answers and labels. */
    public String label() {
        return label;
    }
}
