package org.stillwater.server.xapi;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;

/**
 * A pool with its condition.
 *
 * @param id its identity; null for a pool of the settings that was not reached yet
 * @param name its name in this engine
 * @param ofSettings whether it stands in the settings, where alone it can be changed
 * @param addresses addresses of its hosts, as they were given
 * @param port TCP port of XAPI
 * @param encrypted whether its hosts are reached by TLS
 * @param user login name
 * @param trust authorities in PEM; null without, and for a pool of the settings
 * @param byAuthorities whether authorities check the certificates of its hosts
 * @param encodings encodings by name, best first
 * @param removing whether its hosts and VMs are being removed
 * @param trouble why it is not watched; null if it is
 * @param condition its condition; null if it is not watched
 */
public record PoolView(
        @Nullable ClusterId id,
        String name,
        boolean ofSettings,
        List<String> addresses,
        int port,
        boolean encrypted,
        String user,
        @Nullable String trust,
        boolean byAuthorities,
        List<String> encodings,
        boolean removing,
        @Nullable String trouble,
        XapiPools.@Nullable Condition condition) {

    public PoolView {
        addresses = List.copyOf(addresses);
        encodings = List.copyOf(encodings);
    }
}
