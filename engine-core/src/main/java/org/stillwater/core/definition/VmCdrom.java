package org.stillwater.core.definition;

import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A CD-ROM drive in the definition of a VM.
 *
 * @param id identity of the device
 * @param imagePath absolute path of an ISO image on the host, null for an empty drive
 */
public record VmCdrom(UUID id, @Nullable String imagePath) {

    private static final Pattern ISO_IMAGE =
            Pattern.compile(
                    "/rhev/data-center/.+/images/11111111-1111-1111-1111-111111111111/[^/]+");

    public VmCdrom {
        if (imagePath != null) {
            Paths.check("CD image", imagePath);
        }
    }

    /**
     * Whether the image lies in the image folder of an ISO domain, where VDSM keeps nothing else
     * ({@code ISO_IMAGE_UUID} of its storage); links are not known here.
     */
    public boolean isOfIsoDomain() {
        return imagePath != null && ISO_IMAGE.matcher(Paths.plain(imagePath)).matches();
    }
}
