package org.stillwater.core.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * Filter of audit log entries; null stands for any.
 *
 * @param vmId about this VM
 * @param hostId about this host
 * @param atLeast this grave or graver
 * @param event this event
 * @param since not before
 * @param until before
 */
public record AuditFilter(
        @Nullable VmId vmId,
        @Nullable HostId hostId,
        AuditSeverity atLeast,
        @Nullable AuditEvent event,
        @Nullable Instant since,
        @Nullable Instant until) {

    /** Every entry. */
    public static final AuditFilter ANY =
            new AuditFilter(null, null, AuditSeverity.NORMAL, null, null, null);

    /** Whether an entry matches the filter. */
    public boolean matches(AuditEntry entry) {
        return (vmId == null || vmId.equals(entry.vmId()))
                && (hostId == null || hostId.equals(entry.hostId()))
                && entry.event().severity().code() >= atLeast.code()
                && (event == null || event == entry.event())
                && (since == null || !entry.at().isBefore(since))
                && (until == null || entry.at().isBefore(until));
    }
}
