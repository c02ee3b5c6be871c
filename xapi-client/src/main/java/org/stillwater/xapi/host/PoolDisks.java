package org.stillwater.xapi.host;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.xapi.client.PoolListener.Change;
import org.stillwater.xapi.client.XapiRecord;

/**
 * Storage repositories as the engine's storage domains: the ones that a host has attached, and the
 * one on which each disk is (protocol page §1.9). Thread-safe.
 */
final class PoolDisks {

    /** Characters of a repository's identity in the names of a host's columns. */
    private static final int SHORT = 8;

    private final AtomicLong revision = new AtomicLong();

    /** The pool was read as a whole. */
    void read() {
        revision.incrementAndGet();
    }

    /** Takes a change of the pool: disks that come, go or move change the revision. */
    void take(Change change) {
        String reference =
                switch (change.type().name()) {
                    case "VBD" -> "VDI";
                    case "VDI" -> "SR";
                    default -> null;
                };
        if (reference != null
                && !Objects.equals(
                        reference(change.before(), reference),
                        reference(change.after(), reference))) {
            revision.incrementAndGet();
        }
    }

    private static @Nullable String reference(@Nullable XapiRecord record, String field) {
        return record == null ? null : record.reference(field);
    }

    /** Another one after disks came, went or moved; 0 until the pool was read. */
    long revision() {
        return revision.get();
    }

    /** The storage domains of a VM's disks, by image. */
    static Map<UUID, UUID> places(PoolVm vm, PoolObjects objects) {
        Map<UUID, UUID> found = new HashMap<>();
        XapiRecord record = objects.find(PoolObjects.VM, vm.ref());
        if (record == null) {
            return found;
        }
        for (String ref : record.list("VBDs")) {
            XapiRecord vbd = objects.find(PoolObjects.VBD, ref);
            XapiRecord vdi =
                    vbd == null ? null : objects.find(PoolObjects.VDI, vbd.reference("VDI"));
            XapiRecord sr = vdi == null ? null : objects.find(PoolObjects.SR, vdi.reference("SR"));
            VmId image = vdi == null ? null : VmMapping.image(vdi);
            UUID domain = sr == null ? null : identity(sr);
            if (image != null && domain != null) {
                found.put(image.toUuid(), domain);
            }
        }
        return found;
    }

    /**
     * The storage domains of a host: repositories for disks that have a PBD there. One is valid
     * while its PBD is attached.
     *
     * @param row the host's newest numbers
     */
    static Map<String, HostStatistics.StorageDomain> of(
            PoolHost host, PoolObjects objects, Row row) {
        Map<String, HostStatistics.StorageDomain> found = new HashMap<>();
        XapiRecord record = objects.find(PoolObjects.HOST, host.ref());
        if (record == null) {
            return found;
        }
        for (String ref : record.list("PBDs")) {
            XapiRecord pbd = objects.find(PoolObjects.PBD, ref);
            XapiRecord sr = pbd == null ? null : objects.find(PoolObjects.SR, pbd.reference("SR"));
            UUID id = sr == null || !keepsDisks(sr) ? null : identity(sr);
            if (pbd == null || id == null) {
                continue;
            }
            String name = id.toString();
            boolean attached = pbd.flag("currently_attached");
            double latency = row.value("latency_" + name.substring(0, SHORT));
            found.put(
                    name,
                    new HostStatistics.StorageDomain(
                            attached ? 0 : null,
                            null,
                            // An idle repository has no latency, which is not a fast answer.
                            attached && latency > 0 ? (Double) latency : null,
                            attached,
                            null,
                            null,
                            null));
        }
        return found;
    }

    /** The newest numbers of a host, by column. */
    @FunctionalInterface
    interface Row {
        /** Not a number if the row lacks the column. */
        double value(String column);
    }

    /** Neither images of CDs nor the host's own drives. */
    private static boolean keepsDisks(XapiRecord sr) {
        return !sr.text("content_type").equals("iso")
                && !sr.text("type").equals("iso")
                && !sr.text("type").equals("udev");
    }

    private static @Nullable UUID identity(XapiRecord sr) {
        try {
            return UUID.fromString(sr.text("uuid").toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
