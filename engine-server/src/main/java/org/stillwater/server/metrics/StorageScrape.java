package org.stillwater.server.metrics;

import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;

import java.io.IOException;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.stillwater.ovirt.resource.StorageReport;

/**
 * Storage domains under the names of ovirt_exporter. The engine does not manage storage: what is
 * free and used of a domain is not known, and told as 0, as that exporter does. Used once, by one
 * thread.
 */
final class StorageScrape {

    private static final byte[] NAME = Exposition.bytes("name");
    private static final byte[] TYPE = Exposition.bytes("type");
    private static final byte[] PATH = Exposition.bytes("path");

    private final Exposition out;
    private final List<StorageReport.Domain> domains;

    StorageScrape(Exposition out, List<StorageReport.Domain> domains) {
        this.out = out;
        this.domains = domains;
    }

    void tellAsExporter() throws IOException {
        gauge("ovirt_storage_up", "1 if hosts see the storage domain.", it -> it.ok() ? 1 : 0);
        gauge(
                "ovirt_storage_master",
                "1 for the first of its data centre.",
                it -> it.master() ? 1 : 0);
        gauge(
                "ovirt_storage_available_bytes",
                "Free space; 0 where it is not known.",
                it -> it.availableBytes() == null ? 0 : (double) it.availableBytes());
        gauge(
                "ovirt_storage_used_bytes",
                "Used space; 0 where it is not known.",
                it -> it.availableBytes() == null ? 0 : (double) it.committedBytes());
        gauge(
                "ovirt_storage_committed_bytes",
                "What the disks of VMs take.",
                it -> (double) it.committedBytes());
    }

    private void gauge(String name, String help, ToDoubleFunction<StorageReport.Domain> value)
            throws IOException {
        out.family(name, GAUGE, help);
        for (StorageReport.Domain domain : domains) {
            out.sample()
                    .label(NAME, domain.name())
                    .label(TYPE, domain.type())
                    .label(PATH, domain.path())
                    .value(value.applyAsDouble(domain));
        }
    }
}
