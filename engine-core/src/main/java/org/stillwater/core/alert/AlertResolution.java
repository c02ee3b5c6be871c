package org.stillwater.core.alert;

/** Why an alert ended. */
public enum AlertResolution {
    /** The condition holds no longer. */
    CONDITION("condition"),
    /** The metric has had no value for some time. */
    NO_DATA("no-data"),
    /** The object was removed, or is outside the rule's scope now; a regression ended. */
    GONE("gone"),
    /** The rule was changed, disabled or removed. */
    RULE("rule");

    private final String label;

    AlertResolution(String label) {
        this.label = label;
    }

    /** The word of answers. */
    public String label() {
        return label;
    }
}
