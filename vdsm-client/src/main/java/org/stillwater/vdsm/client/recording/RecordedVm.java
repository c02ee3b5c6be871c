package org.stillwater.vdsm.client.recording;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.vm.VmStatus;

/**
 * A VM as the engine knew it.
 *
 * @param id identity; a pseudonym in a recording
 * @param name its name
 * @param found whether it was found running instead of being defined in the engine
 * @param highlyAvailable whether it is started again after a failure
 * @param leased whether it holds a lease on a storage domain
 * @param memoryMebibytes its memory
 * @param cpus its virtual CPUs
 * @param status its status
 * @param host the recorded host that is responsible for it; null for none, or another one
 * @param target the recorded host that it migrates to; null for none, or another one
 */
public record RecordedVm(
        UUID id,
        String name,
        boolean found,
        boolean highlyAvailable,
        boolean leased,
        int memoryMebibytes,
        int cpus,
        VmStatus status,
        @Nullable UUID host,
        @Nullable UUID target) {

    /** The same while it runs nowhere. */
    public RecordedVm stopped() {
        return new RecordedVm(
                id,
                name,
                found,
                highlyAvailable,
                leased,
                memoryMebibytes,
                cpus,
                VmStatus.DOWN,
                null,
                null);
    }
}
