package org.stillwater.server.security;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.server.security.CallerAuthentication.Means;

/** The caller of the request that this thread answers. Thread-safe. */
@Component
public class Callers {

    /** The caller without credentials, where such requests may do nothing. */
    static final Caller NOBODY = new Caller("anonymous", Set.of());

    /** The caller. Outside a request, one without rights. */
    public Caller current() {
        return of(SecurityContextHolder.getContext().getAuthentication());
    }

    /** The caller, to be checked again while a long answer continues. */
    public AccessRecheck standing() {
        return SecurityContextHolder.getContext().getAuthentication()
                        instanceof CallerAuthentication known
                ? known.standing()
                : () -> null;
    }

    /**
     * The oldest revision of the engine at which the caller could see the same as now. Changes
     * cannot start from an older one.
     */
    public static long sameSince() {
        return SecurityContextHolder.getContext().getAuthentication()
                        instanceof CallerAuthentication known
                ? known.sameSince()
                : Long.MAX_VALUE;
    }

    /** The name of the caller, for actions in that name. */
    public static String name() {
        return of(SecurityContextHolder.getContext().getAuthentication()).name();
    }

    /** The name of the user that logged in; null where a request came without credentials. */
    public static @Nullable String user() {
        Authentication known = SecurityContextHolder.getContext().getAuthentication();
        return means(known) == Means.NONE ? null : of(known).name();
    }

    /** How the caller was recognised. */
    static Means means(@Nullable Authentication authentication) {
        return authentication instanceof CallerAuthentication known ? known.means() : Means.NONE;
    }

    static Caller of(@Nullable Authentication authentication) {
        return authentication instanceof CallerAuthentication known ? known.caller() : NOBODY;
    }
}
