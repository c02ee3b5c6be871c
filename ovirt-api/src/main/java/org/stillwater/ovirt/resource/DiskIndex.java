package org.stillwater.ovirt.resource;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;

/**
 * Owner of each disk: a client that requests each disk of each VM must not make the engine look
 * through all VMs each time. The VM itself confirms each entry; an unknown disk causes a pass over
 * all VMs, once a second at most. Thread-safe.
 */
final class DiskIndex {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Fleet fleet;
    private volatile Map<String, VmId> owners = Map.of();
    private @Nullable Instant madeAt;

    DiskIndex(Fleet fleet) {
        this.fleet = fleet;
    }

    /** The disk of this identity, or null. */
    @Nullable KnownDisk find(String id) {
        KnownDisk found = look(id);
        return found == null && renewed() ? look(id) : found;
    }

    private @Nullable KnownDisk look(String id) {
        VmId owner = owners.get(id);
        VmView vm = owner == null ? null : fleet.vm(owner);
        if (vm != null) {
            for (KnownDisk disk : KnownDisk.of(fleet, vm)) {
                if (disk.id().equals(id)) {
                    return disk;
                }
            }
        }
        return null;
    }

    private synchronized boolean renewed() {
        Instant now = fleet.now();
        Instant last = madeAt;
        if (last != null) {
            Duration age = Duration.between(last, now);
            if (!age.isNegative() && age.compareTo(PAUSE) < 0) {
                return false;
            }
        }
        Map<String, VmId> found = new HashMap<>();
        for (VmId id : fleet.vms()) {
            VmView vm = fleet.vm(id);
            if (vm != null) {
                for (KnownDisk disk : KnownDisk.of(fleet, vm)) {
                    found.putIfAbsent(disk.id(), id);
                }
            }
        }
        owners = found;
        madeAt = now;
        return true;
    }
}
