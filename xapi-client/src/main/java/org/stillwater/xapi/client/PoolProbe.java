package org.stillwater.xapi.client;

import java.io.IOException;
import java.util.Map;
import org.stillwater.core.time.EngineClock;

/** Logs in to a pool that is not watched, reads its identity, and logs out. Stateless. */
public final class PoolProbe {

    /** The key of the product's version in XAPI's map of versions. */
    private static final String VERSION = "product_version";

    private PoolProbe() {}

    /**
     * A pool that was reached.
     *
     * @param uuid identity of the pool
     * @param name its name in XAPI, perhaps empty
     * @param version version of its coordinator's product, empty if it has none
     * @param coordinator address of its coordinator
     * @param encoding encoding in use
     * @param hosts number of its hosts
     */
    public record Found(
            String uuid,
            String name,
            String version,
            String coordinator,
            XapiEncoding encoding,
            int hosts) {}

    /**
     * Tests an access. Blocks for the time limits of the access.
     *
     * @param pins decide which certificates are accepted
     * @throws XapiException if the pool cannot be used, with the reason
     * @throws IOException if no host answers
     */
    public static Found test(PoolAccess access, CertificatePins pins, EngineClock clock)
            throws IOException {
        try (PoolConnection connection =
                new PoolConnection(access, pins, new PoolClaims(), clock)) {
            PoolConnection.Session session = connection.session();
            Map<String, XapiRecord> pools = connection.allRecords(XapiClass.of("pool"));
            Map<String, XapiRecord> hosts = connection.allRecords(XapiClass.of("host"));
            XapiRecord pool = pools.get(session.poolRef());
            if (pool == null) {
                throw new XapiException.Protocol(session.address() + " has no pool", null);
            }
            XapiRecord coordinator = hosts.get(pool.text("master"));
            return new Found(
                    session.poolUuid(),
                    pool.text("name_label"),
                    coordinator == null
                            ? ""
                            : coordinator.map("software_version").getOrDefault(VERSION, ""),
                    session.address(),
                    session.encoding(),
                    hosts.size());
        }
    }
}
