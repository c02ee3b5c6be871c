package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Storage domain with disks. Sizes in bytes. */
public record StorageDomain(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        @Nullable Long available,
        Boolean backup,
        Integer blockSize,
        Long committed,
        Boolean discardAfterDelete,
        @Nullable String externalStatus,
        Boolean master,
        @Nullable String status,
        Storage storage,
        String storageFormat,
        Boolean supportsDiscard,
        String type,
        @Nullable Long used,
        Boolean wipeAfterDelete,
        @Nullable Entity dataCenter,
        @Nullable Listing<Entity> dataCenters,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** How hosts reach it. */
    public record Storage(@Nullable String address, @Nullable String path, String type) {}
}
