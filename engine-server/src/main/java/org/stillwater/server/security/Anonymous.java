package org.stillwater.server.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.server.settings.SecuritySettings;

/**
 * The caller without credentials: usually without rights. A role for them is refused if others than
 * this machine's users could have it, unless a second setting confirms it. Immutable.
 */
@Component
class Anonymous {

    private static final Logger log = LoggerFactory.getLogger(Anonymous.class);

    private final @Nullable CallerAuthentication authentication;
    private final boolean local;

    Anonymous(SecuritySettings settings, Environment environment) {
        Role role = settings.anonymous();
        if (role == null) {
            authentication = null;
            local = false;
            return;
        }
        String address = environment.getProperty("server.address", "0.0.0.0");
        local = isLoopback(address);
        if (!local && !settings.anonymousOnAnyAddress()) {
            throw new SecurityRefused(
                    "Requests without credentials would have the role %s, and the engine listens on %s, which is reachable from other machines."
                            .formatted(role.label(), address),
                    "Leave stillwater.security.anonymous-role out, or let server.address be"
                        + " 127.0.0.1; to give that role to every client that reaches the engine,"
                        + " set stillwater.security.anonymous-on-any-address=true.",
                    null);
        }
        log.warn(
                "Requests without credentials have the role {}"
                        + " (stillwater.security.anonymous-role)",
                role.label());
        Caller anybody = Caller.withRole(Callers.NOBODY.name(), role);
        authentication =
                new CallerAuthentication(
                        anybody,
                        CallerAuthentication.Means.NONE,
                        () -> anybody,
                        Long.MIN_VALUE); // a setting, which does not change
    }

    private static boolean isLoopback(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException _) {
            return false; // the web server will report the error
        }
    }

    /** Whether such requests have a role, and the engine listens on a loopback address. */
    boolean isLocal() {
        return local;
    }

    /** Rights of such requests, null for none. */
    @Nullable CallerAuthentication authentication() {
        return authentication;
    }
}
