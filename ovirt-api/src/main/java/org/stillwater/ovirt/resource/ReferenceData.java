package org.stillwater.ovirt.resource;

import org.jspecify.annotations.Nullable;

/**
 * Values that clients expect and the engine does not manage.
 *
 * @param instanceId identity of this installation
 * @param productName name of the product
 * @param vendor its maker
 * @param major version that clients take their features from
 * @param minor see {@code major}
 * @param build see {@code major}
 * @param fullVersion the same as text
 * @param storageName name of storage domains: alone for the only one of a data centre, else before
 *     the beginning of its identity
 * @param storageType how hosts reach storage: {@code nfs}, {@code localfs}, …
 * @param storageAddress where storage is, null for none
 * @param storagePath path of storage
 * @param storageBytes capacity of a storage domain, null if unknown
 * @param networkName network of data centres of which neither hosts nor VMs name one
 * @param webSocketProxy where browsers reach the proxy of consoles, {@code host:port}; {@code Off}
 *     for none
 */
public record ReferenceData(
        String instanceId,
        String productName,
        String vendor,
        int major,
        int minor,
        int build,
        String fullVersion,
        String storageName,
        String storageType,
        @Nullable String storageAddress,
        String storagePath,
        @Nullable Long storageBytes,
        String networkName,
        String webSocketProxy) {

    /** Free bytes of a storage domain with this number of used bytes; null if unknown. */
    @Nullable Long availableBytes(long taken) {
        return storageBytes == null ? null : (Long) Math.max(0, storageBytes - taken);
    }

    /** The defaults. */
    public static final ReferenceData USUAL =
            new ReferenceData(
                    "5711a7e2-0000-4000-8000-000000000001",
                    "Stillwater",
                    "stillwater",
                    4,
                    5,
                    5,
                    "4.5.5-1",
                    "data",
                    "nfs",
                    "storage",
                    "/data",
                    4L << 40,
                    "ovirtmgmt",
                    "Off");
}
