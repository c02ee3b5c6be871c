package org.stillwater.xapi.host;

import java.util.List;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostValues;

/** A host of a pool, of which nothing is known but its identity. */
final class SamplePoolHost {

    static final String UUID = "11111111-2222-4333-8444-555555555555";

    private SamplePoolHost() {}

    static PoolHost bare() {
        return new PoolHost(
                HostId.parse(UUID),
                "OpaqueRef:h",
                "h",
                "192.0.2.1",
                false,
                true,
                true,
                0,
                null,
                new HostValues().capabilities(),
                new HostValues().hardware(),
                List.of());
    }
}
