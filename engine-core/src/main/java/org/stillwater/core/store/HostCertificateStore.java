package org.stillwater.core.store;

import java.util.List;
import java.util.Map;
import org.stillwater.core.id.HostId;
import org.stillwater.core.trust.CertificateBinding;

/** Durable bindings of hosts to their certificates. Thread-safe. */
public interface HostCertificateStore {

    /**
     * Every binding. A host without one was never in contact.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    Map<HostId, CertificateBinding> loadCertificates() throws StoreUnavailable;

    /**
     * Makes these bindings those of their hosts, touching only rows that differ. A host that is not
     * there is left out.
     *
     * @param bindings at most one entry per host, sorted by host
     */
    WriteOutcome saveCertificates(List<BoundHost> bindings);

    /** A host and the binding of its certificate. */
    record BoundHost(HostId host, CertificateBinding binding) {}
}
