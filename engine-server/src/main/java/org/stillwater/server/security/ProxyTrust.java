package org.stillwater.server.security;

import java.util.Map;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Refuses the start where Spring Boot would read forwarded headers: every client can write them, so
 * every client could choose its address. Immutable.
 */
@Component
final class ProxyTrust {

    private static final String STRATEGY = "server.forward-headers-strategy";
    private static final String VALVE = "server.tomcat.remoteip";

    ProxyTrust(Environment environment) {
        String strategy = environment.getProperty(STRATEGY, "none");
        if (!strategy.equalsIgnoreCase("none")) {
            throw refused(STRATEGY + "=" + strategy);
        }
        Map<String, String> valve =
                Binder.get(environment)
                        .bind(VALVE, Bindable.mapOf(String.class, String.class))
                        .orElse(Map.of());
        if (!valve.isEmpty()) {
            throw refused(VALVE + "." + valve.keySet().iterator().next());
        }
    }

    private static SecurityRefused refused(String setting) {
        return new SecurityRefused(
                "With "
                        + setting
                        + ", every client could choose the address that the audit log and the"
                        + " limits see.",
                "Leave it out. Behind a proxy, name the proxy's addresses in"
                        + " stillwater.http.trusted-proxies: the engine reads the forwarded headers"
                        + " of those, and removes all others.",
                null);
    }
}
