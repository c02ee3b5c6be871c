package org.stillwater.core.analysis;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.id.VmId;

/**
 * The path of a volume on a host, as VDSM makes it: {@code …/<domain>/images/<image>/<volume>}
 * below the mount of a storage domain, or {@code /run/vdsm/storage/<domain>/<image>/<volume>}. Such
 * a path names domain and image of the disk.
 */
final class VolumePath {

    private static final String IMAGES = "images";
    private static final List<String> LINKS =
            List.of("/run/vdsm/storage/", "/var/run/vdsm/storage/");
    private static final int UUID_CHARACTERS = 36;

    private VolumePath() {}

    /** Image and domain of a volume; null for any other path. */
    static @Nullable DiskImage read(String path) {
        String[] names = path.split("/", -1);
        int last = names.length - 1;
        if (last >= 4 && names[last - 2].equals(IMAGES)) {
            return of(names[last - 1], names[last - 3]);
        }
        if (last >= 3 && LINKS.stream().anyMatch(path::startsWith)) {
            return of(names[last - 1], names[last - 2]);
        }
        return null;
    }

    /** Two identities; null if one of them is no UUID. */
    static @Nullable DiskImage of(String image, String domain) {
        UUID imageId = uuid(image);
        UUID domainId = uuid(domain);
        return imageId == null || domainId == null ? null : new DiskImage(imageId, domainId);
    }

    /** An identity; null if the text is none. */
    static @Nullable UUID uuid(String text) {
        if (text.length() != UUID_CHARACTERS) {
            return null;
        }
        try {
            return VmId.parse(text).toUuid();
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
