package org.stillwater.core.report;

import org.jspecify.annotations.Nullable;

/** Hardware data of a host's firmware (protocol specification §3.6); null for missing values. */
public record HostHardware(
        @Nullable String manufacturer,
        @Nullable String productName,
        @Nullable String version,
        @Nullable String serialNumber,
        @Nullable String uuid,
        @Nullable String family) {}
