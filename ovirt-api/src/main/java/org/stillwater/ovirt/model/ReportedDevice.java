package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A network interface as the guest sees it. */
public record ReportedDevice(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        Listing<Ip> ips,
        @Nullable Mac mac,
        String type,
        Entity vm)
        implements Entity {}
