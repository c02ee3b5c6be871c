package org.stillwater.server.security;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;

/** A caller as Spring Security passes it on. It holds no credential. Immutable. */
final class CallerAuthentication extends AbstractAuthenticationToken {

    /** How the caller was recognised. */
    enum Means {
        /** By nothing: the role of requests without credentials. */
        NONE,
        /** By the name and the password that came with the request. */
        PASSWORD,
        /** By a token of a login. */
        TOKEN,
        /** By a token of a program, which does not stand for a person. */
        API_TOKEN,
        /** By a cookie, which a browser sends on its own. */
        COOKIE
    }

    /**
     * Health shows its details to callers with this authority (management.endpoint.health.roles).
     */
    private static final List<GrantedAuthority> READER_OF_ALL =
            List.of(new SimpleGrantedAuthority("reader-of-everything"));

    private final transient Caller caller;
    private final Means means;
    private final transient AccessRecheck standing;
    private final long sameSince;

    /**
     * A recognised caller.
     *
     * @param sameSince the oldest revision since which the caller has its present rights
     */
    CallerAuthentication(Caller caller, Means means, AccessRecheck standing, long sameSince) {
        super(caller.has(Role.READER) ? READER_OF_ALL : List.of());
        this.sameSince = sameSince;
        this.caller = caller;
        this.means = means;
        this.standing = standing;
        setAuthenticated(true);
    }

    Caller caller() {
        return caller;
    }

    Means means() {
        return means;
    }

    AccessRecheck standing() {
        return standing;
    }

    long sameSince() {
        return sameSince;
    }

    @Override
    public Object getCredentials() {
        return "";
    }

    @Override
    public Object getPrincipal() {
        return caller;
    }

    @Override
    public String getName() {
        return caller.name();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CallerAuthentication same
                && same.caller.equals(caller)
                && same.means == means;
    }

    @Override
    public int hashCode() {
        return caller.hashCode();
    }

    @Override
    public String toString() {
        return caller.name() + " by " + means;
    }
}
