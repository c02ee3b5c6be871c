package org.stillwater.core.model;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A CD-ROM drive in the definition of a VM.
 *
 * @param id identity of the device
 * @param imagePath absolute path of an ISO image on the host, null for an empty drive
 */
public record VmCdrom(UUID id, @Nullable String imagePath) {

    public VmCdrom {
        if (imagePath != null) {
            Paths.check("CD image", imagePath);
        }
    }
}
