package org.stillwater.server.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.context.SecurityContextRepository;
import org.springframework.web.filter.OncePerRequestFilter;
import org.stillwater.core.access.User;
import org.stillwater.server.http.RequestPath;
import org.stillwater.server.security.CallerAuthentication.Means;
import org.stillwater.server.security.CallerFinder.Found;

/**
 * Identifies the caller, from memory: by the header {@code Authorization} first, then by a cookie.
 * A caller with wrong credentials is unidentified, even where requests without any may do
 * something. Endpoints that need no caller are left alone.
 */
final class Identification extends OncePerRequestFilter {

    /** The cookie of a browser's session. */
    static final String BROWSER_COOKIE = "STILLWATER_SESSION";

    /** The cookie and the header of a session of oVirt's interface. */
    static final String API_COOKIE = "JSESSIONID";

    static final String API_PATH = "/ovirt-engine/api";

    /** Paths where a user changes the own password: for programs, and for people. */
    static final String PASSWORD_PATH = "/api/v1/me/password";

    static final String PASSWORD_PAGE = "/password";

    private final Anonymous anonymous;
    private final Accounts accounts;
    private final CallerFinder callers;
    private final GrantRevisions outlooks;
    private final SecurityContextRepository contexts;

    Identification(
            Anonymous anonymous,
            Accounts accounts,
            CallerFinder callers,
            GrantRevisions outlooks,
            SecurityContextRepository contexts) {
        this.anonymous = anonymous;
        this.accounts = accounts;
        this.callers = callers;
        this.outlooks = outlooks;
        this.contexts = contexts;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (AccessRules.need(request.getMethod(), RequestPath.of(request))
                == AccessRequirement.NOTHING) {
            chain.doFilter(request, response);
            return;
        }
        boolean api = isApi(request);
        Found found = callers.find(request, api);
        CallerAuthentication known =
                switch (found) {
                    case Found.Known(var caller, var means, _, var standing, var bearer) ->
                            new CallerAuthentication(
                                    caller, means, standing, outlooks.sameSince(bearer, caller));
                    case Found.Nothing _ -> anonymous.authentication();
                    case Found.Wrong _ -> null;
                    case Found.Later(Duration after) -> {
                        Refusals.later(request, response, after);
                        yield null;
                    }
                    case Found.NotEchoed _ -> {
                        Refusals.forbidden(request, response);
                        yield null;
                    }
                };
        if (found instanceof Found.Later || found instanceof Found.NotEchoed) {
            return;
        }
        if (known != null
                && known.means() != Means.NONE
                && accounts.mustChangePassword(known.caller().name())
                && !changesPassword(request)) {
            Refusals.mustChangePassword(request, response, known.caller().name());
            return;
        }
        if (known != null) {
            if (api
                    && found instanceof Found.Known(_, Means means, User user, _, _)
                    && user != null) {
                callers.keepIfAsked(request, response, means, user);
            }
            SecurityContext context = SecurityContextHolder.createEmptyContext();
            context.setAuthentication(known);
            SecurityContextHolder.setContext(context);
            contexts.saveContext(context, request, response);
        }
        chain.doFilter(request, response);
    }

    private static boolean changesPassword(HttpServletRequest request) {
        String path = RequestPath.of(request);
        return path.equals(PASSWORD_PAGE) || path.equals(PASSWORD_PATH);
    }

    /** Whether a request is one of oVirt's interface. */
    static boolean isApi(HttpServletRequest request) {
        return RequestPath.isIn(RequestPath.of(request), API_PATH);
    }

    /** The value of a cookie; null without one. */
    static @Nullable String cookie(HttpServletRequest request, String name) {
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().equals(name) && !cookie.getValue().isEmpty()) {
                    return cookie.getValue();
                }
            }
        }
        return null;
    }
}
