package org.stillwater.core.analysis;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.vm.VmStatus;

/**
 * Rules that convert single reported values to the engine's values (monitoring specification §1.2,
 * §2.1). Pure; the decoders of hosts' reports apply them, so they allocate nothing for a value that
 * needs no change.
 */
public final class ReportRules {

    private ReportRules() {}

    /**
     * Effective status of a reported one. A hypervisor process that does not answer turns a VM that
     * seems to run into one that does not respond.
     *
     * @param status as reported
     * @param responds false if the reported monitor response is negative
     */
    public static VmStatus effectiveStatus(VmStatus status, boolean responds) {
        boolean seemsToRun = status == VmStatus.UP || status == VmStatus.POWERING_UP;
        return seemsToRun && !responds ? VmStatus.NOT_RESPONDING : status;
    }

    /** A guest's fully qualified name: trimmed, and null for names that every guest has. */
    public static @Nullable String fqdn(String reported) {
        String trimmed = reported.strip();
        boolean none =
                trimmed.equalsIgnoreCase("localhost")
                        || trimmed.equalsIgnoreCase("localhost.localdomain");
        return none ? null : trimmed;
    }

    /**
     * Whether an address at which a console listens stands for every address of its host, {@code 0}
     * or {@code 0.0.0.0}: no client can dial that, so the host's own name is used instead.
     *
     * @param first the first character of the reported address
     */
    public static boolean isEveryAddress(char first) {
        return first == '0';
    }
}
