package org.stillwater.core.store;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;

/**
 * Changes to the devices of one VM.
 *
 * @param vmId the VM
 * @param hash the host's token for the devices as they are then; null to leave the saved one, so
 *     that they are read again
 * @param updates known devices; only columns of monitoring are written
 * @param removals identities of devices that are gone
 * @param additions new devices; one that already exists is updated like a known one
 * @param nics the interfaces of the VM's definition where it follows the host, null where it does
 *     not, or they did not change
 * @param specification definition of a found VM as its host reports it; null to leave the saved
 *     one. One that users made stays in any case
 */
public record DeviceUpdate(
        VmId vmId,
        @Nullable String hash,
        List<VmDevice> updates,
        List<UUID> removals,
        List<VmDevice> additions,
        @Nullable List<VmNic> nics,
        @Nullable VmSpecification specification) {

    /** Changes that leave the saved definition. */
    public DeviceUpdate(
            VmId vmId,
            @Nullable String hash,
            List<VmDevice> updates,
            List<UUID> removals,
            List<VmDevice> additions,
            @Nullable List<VmNic> nics) {
        this(vmId, hash, updates, removals, additions, nics, null);
    }

    public DeviceUpdate {
        updates = List.copyOf(updates);
        removals = List.copyOf(removals);
        additions = List.copyOf(additions);
        nics = nics == null ? null : List.copyOf(nics);
    }

    /** Only the hash. */
    public static DeviceUpdate ofHash(VmId vmId, String hash) {
        return new DeviceUpdate(vmId, hash, List.of(), List.of(), List.of(), null);
    }

    /** Whether the VM's devices or interfaces change, so that its generation does. */
    public boolean changesDevices() {
        return !updates.isEmpty() || !removals.isEmpty() || !additions.isEmpty() || nics != null;
    }
}
