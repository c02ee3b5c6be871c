package org.stillwater.core.report;

import org.jspecify.annotations.Nullable;

/**
 * What a host's firmware says of itself (protocol specification §3.6); null for what it does not
 * say.
 */
public record HostHardware(
        @Nullable String manufacturer,
        @Nullable String productName,
        @Nullable String version,
        @Nullable String serialNumber,
        @Nullable String uuid,
        @Nullable String family) {}
