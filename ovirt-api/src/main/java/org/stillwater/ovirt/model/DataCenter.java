package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Clusters that share storage and networks. */
public record DataCenter(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Boolean local,
        String quotaMode,
        String status,
        @Nullable String storageFormat,
        @Nullable Listing<Version> supportedVersions,
        Version version,
        @Nullable Entity macPool,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
