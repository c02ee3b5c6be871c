package org.stillwater.server.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.context.SecurityContextRepository;
import org.springframework.web.filter.OncePerRequestFilter;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.User;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.http.RequestPath;
import org.stillwater.server.security.CallerAuthentication.Means;
import org.stillwater.server.security.Logins.Outcome;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.security.Sessions.Session;

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
    private static final String TTL_HEADER = "Session-TTL";
    private static final int LONGEST_TTL_DIGITS = 5;

    /** Caller of a request, and its effect on the answer. */
    private sealed interface Found {

        /**
         * A known user.
         *
         * @param user the user that may begin a session with this, else null
         * @param bearer owner of the grants, for {@link GrantRevisions}
         */
        record Known(
                Caller caller,
                Means means,
                @Nullable User user,
                AccessRecheck standing,
                Object bearer)
                implements Found {}

        record Wrong() implements Found {}

        record Later(Duration after) implements Found {}

        record NotEchoed() implements Found {}

        record Nothing() implements Found {}
    }

    private final Anonymous anonymous;
    private final Accounts accounts;
    private final Logins logins;
    private final Sessions sessions;
    private final ForeignTokens foreign;
    private final GrantRevisions outlooks;
    private final boolean echoAllowed;
    private final SecurityContextRepository contexts;

    Identification(
            Anonymous anonymous,
            Accounts accounts,
            Logins logins,
            Sessions sessions,
            ForeignTokens foreign,
            GrantRevisions outlooks,
            boolean echoAllowed,
            SecurityContextRepository contexts) {
        this.anonymous = anonymous;
        this.accounts = accounts;
        this.logins = logins;
        this.sessions = sessions;
        this.foreign = foreign;
        this.outlooks = outlooks;
        this.echoAllowed = echoAllowed;
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
        Found found = api ? onApi(request) : byHeader(request);
        if (found instanceof Found.Nothing) {
            found = byBrowserCookie(request);
        }
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
                keepIfAsked(request, response, means, user);
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

    private static boolean isApi(HttpServletRequest request) {
        return RequestPath.isIn(RequestPath.of(request), API_PATH);
    }

    /** Whether it is a session of oVirt's interface, if anything, that a request acts by. */
    static boolean hasApiSession(HttpServletRequest request) {
        if (!isApi(request) || cookie(request, API_COOKIE) == null) {
            return false;
        }
        Preferences preferences = Preferences.of(request);
        return preferences.persistent() && !preferences.fresh();
    }

    /** On oVirt's interface a session that is to be kept counts, and only there. */
    private Found onApi(HttpServletRequest request) {
        String id = cookie(request, API_COOKIE);
        if (id == null) {
            return byHeader(request);
        }
        if (!hasApiSession(request)) {
            if (!OriginGuard.isForeign(request)) { // no page of another origin ends a session
                Session _ = sessions.end(id);
            }
            return byHeader(request);
        }
        Session session = sessions.used(Kind.API_COOKIE, id);
        Caller caller = session == null ? null : sessions.caller(session);
        if (session == null || caller == null) {
            Found found = byHeader(request);
            return found instanceof Found.Nothing ? new Found.Wrong() : found;
        }
        if (session.echoed() && !id.equals(request.getHeader(API_COOKIE))) {
            return new Found.NotEchoed();
        }
        return new Found.Known(
                caller,
                Means.COOKIE,
                null,
                sessions.standing(Kind.API_COOKIE, id),
                bearer(session));
    }

    private Found byHeader(HttpServletRequest request) {
        return switch (Credentials.of(request.getHeader(HttpHeaders.AUTHORIZATION))) {
            case null -> new Found.Nothing();
            case Credentials.Unreadable _ -> new Found.Wrong();
            case Credentials.NameAndPassword(String name, String password) ->
                    switch (logins.login(name, password, ClientAddress.of(request), "Basic")) {
                        case Outcome.Welcome(User user) ->
                                new Found.Known(
                                        user.caller(),
                                        Means.PASSWORD,
                                        user,
                                        accounts.standing(user),
                                        user.id());
                        case Outcome.Refused _, Outcome.Disabled _ -> new Found.Wrong();
                        case Outcome.Later(Duration after) -> new Found.Later(after);
                    };
            case Credentials.Bearer(String token) -> byToken(token);
        };
    }

    private Found byToken(String token) {
        ApiToken known = accounts.valid(token);
        if (known != null) {
            User user = accounts.user(known.user());
            return user == null || !user.enabled()
                    ? new Found.Wrong()
                    : new Found.Known(
                            known.caller(user),
                            Means.API_TOKEN,
                            null,
                            accounts.standing(known),
                            known.id());
        }
        Session session = sessions.used(Kind.TOKEN, token);
        if (session != null) {
            Caller caller = sessions.caller(session);
            UUID id = session.user();
            User user = id == null ? null : accounts.user(id);
            return caller == null
                    ? new Found.Wrong()
                    : new Found.Known(
                            caller,
                            Means.TOKEN,
                            user,
                            sessions.standing(Kind.TOKEN, token),
                            bearer(session));
        }
        ForeignTokens.Bearer bearer = foreign.bearer(token);
        return bearer == null
                ? new Found.Wrong()
                : new Found.Known(
                        bearer.caller(), Means.API_TOKEN, null, bearer.standing(), bearer.caller());
    }

    /**
     * Owner of the grants of a session: its user after any kind of login; else the caller that it
     * began with.
     */
    private static Object bearer(Session session) {
        UUID user = session.user();
        return user == null ? session.caller() : user;
    }

    private Found byBrowserCookie(HttpServletRequest request) {
        String id = cookie(request, BROWSER_COOKIE);
        Session session = id == null ? null : sessions.used(Kind.BROWSER, id);
        Caller caller = session == null ? null : sessions.caller(session);
        return session == null || caller == null || id == null
                ? new Found.Nothing()
                : new Found.Known(
                        caller,
                        Means.COOKIE,
                        null,
                        sessions.standing(Kind.BROWSER, id),
                        bearer(session));
    }

    /** Begins a session for a user that logged in just now and wants one. */
    private void keepIfAsked(
            HttpServletRequest request, HttpServletResponse response, Means means, User user) {
        Preferences preferences = Preferences.of(request);
        if (!preferences.persistent() || means == Means.COOKIE) {
            return;
        }
        String id =
                sessions.begin(
                        Kind.API_COOKIE,
                        user,
                        lasting(request),
                        preferences.echoed() && echoAllowed,
                        ClientAddress.of(request));
        if (id == null) {
            return; // as many as there may be: this client sends its password again
        }
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(API_COOKIE, id)
                        .path(API_PATH)
                        .httpOnly(true)
                        .secure(request.isSecure())
                        .build()
                        .toString());
    }

    private Duration lasting(HttpServletRequest request) {
        String minutes = request.getHeader(TTL_HEADER);
        if (minutes != null && minutes.strip().matches("[0-9]{1," + LONGEST_TTL_DIGITS + "}")) {
            int asked = Integer.parseInt(minutes.strip());
            if (asked >= 1) {
                return Duration.ofMinutes(asked);
            }
        }
        return sessions.idle();
    }

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
