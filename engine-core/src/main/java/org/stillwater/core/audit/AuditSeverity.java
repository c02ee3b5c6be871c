package org.stillwater.core.audit;

import org.stillwater.core.value.Coded;

/** The severity of an audit event; codes of the {@code audit_log} table (specification §2.4). */
public enum AuditSeverity implements Coded {
    NORMAL(0, "normal"),
    WARNING(1, "warning"),
    ERROR(2, "error"),
    ALERT(10, "alert");

    private static final java.util.Map<Integer, AuditSeverity> BY_CODE =
            Coded.byCode(AuditSeverity.class);

    private final int code;
    private final String label;

    AuditSeverity(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /**
     * The severity with this database code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static AuditSeverity ofCode(int code) {
        AuditSeverity severity = BY_CODE.get(code);
        if (severity == null) {
            throw new IllegalArgumentException("no audit severity has code " + code);
        }
        return severity;
    }

    @Override
    public int code() {
        return code;
    }

    /** Lower-case name used in REST answers. */
    public String label() {
        return label;
    }
}
