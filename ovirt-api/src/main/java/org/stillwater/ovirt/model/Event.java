package org.stillwater.ovirt.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something that happened. */
public record Event(
        @Attribute String id,
        @Attribute String href,
        String description,
        Integer code,
        @Nullable String correlationId,
        @Nullable String customData,
        Integer customId,
        Integer floodRate,
        Long index,
        String origin,
        String severity,
        Instant time,
        @Nullable Entity cluster,
        @Nullable Entity dataCenter,
        @Nullable Entity host,
        @Nullable Entity storageDomain,
        @Nullable Entity template,
        @Nullable Entity user,
        @Nullable Entity vm)
        implements Entity {}
