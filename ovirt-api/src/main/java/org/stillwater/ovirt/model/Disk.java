package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A disk. Sizes in bytes. */
public record Disk(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        @Nullable Long actualSize,
        String alias,
        String backup,
        String contentType,
        String format,
        @Nullable String imageId,
        @Nullable String logicalName,
        @Nullable LunStorage lunStorage,
        Boolean propagateErrors,
        Long provisionedSize,
        @Nullable String qcowVersion,
        Boolean readOnly,
        Boolean shareable,
        Boolean sparse,
        String status,
        String storageType,
        Listing<Entity> storageDomains,
        Long totalSize,
        Boolean wipeAfterDelete,
        @Nullable Entity diskProfile,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** A disk that is a LUN of the hosts. */
    public record LunStorage(Listing<Identified> logicalUnits) {}
}
