package org.stillwater.core.analysis;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmStatus;

/**
 * Rules that turn single reported values into what the engine means by them (monitoring
 * specification §1.2, §2.1). Pure.
 */
public final class ReportRules {

    private ReportRules() {}

    /**
     * The status that a host means. A negative monitor response turns a VM that seems to run into
     * one that does not respond.
     *
     * @param status as reported
     * @param monitorResponse as reported; negative when the hypervisor process does not answer
     */
    public static VmStatus effectiveStatus(VmStatus status, long monitorResponse) {
        boolean seemsToRun = status == VmStatus.UP || status == VmStatus.POWERING_UP;
        return seemsToRun && monitorResponse < 0 ? VmStatus.NOT_RESPONDING : status;
    }

    /** A guest's fully qualified name: trimmed, and null for names that every guest has. */
    public static @Nullable String fqdn(@Nullable String reported) {
        if (reported == null) {
            return null;
        }
        String trimmed = reported.trim();
        return switch (trimmed.toLowerCase(Locale.ROOT)) {
            case "", "localhost", "localhost.localdomain" -> null;
            default -> trimmed;
        };
    }

    /**
     * Where a console listens: a host that says {@code 0…} means all its addresses, so its own name
     * is used.
     */
    public static @Nullable String consoleAddress(@Nullable String reported, String hostAddress) {
        if (reported == null || reported.isEmpty()) {
            return null;
        }
        return reported.charAt(0) == '0' ? hostAddress : reported;
    }
}
