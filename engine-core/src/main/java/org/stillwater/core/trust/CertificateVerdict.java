package org.stillwater.core.trust;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;

/** Whether a certificate that a host showed is its own. */
public sealed interface CertificateVerdict {

    /**
     * It is.
     *
     * @param binding binding of the host from now on
     * @param event event for the audit log, null for none
     * @param remark another host that has the same certificate or is named by it; null for none
     */
    record Accepted(CertificateBinding binding, @Nullable AuditEvent event, @Nullable String remark)
            implements CertificateVerdict {}

    /**
     * It is not, or not yet.
     *
     * @param why one clause
     */
    record Refused(String why) implements CertificateVerdict {}
}
