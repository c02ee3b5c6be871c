package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.User;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.security.CallerAuthentication.Means;
import org.stillwater.server.security.Logins.Outcome;
import org.stillwater.server.security.Sessions.Kind;
import org.stillwater.server.security.Sessions.Session;

/**
 * Finds the caller of a request, from memory: by the header {@code Authorization} and by cookies;
 * and begins the session that a user of oVirt's interface asks for. Thread-safe.
 */
final class CallerFinder {

    private static final String TTL_HEADER = "Session-TTL";
    private static final int LONGEST_TTL_DIGITS = 5;

    private final Accounts accounts;
    private final Logins logins;
    private final Sessions sessions;
    private final ForeignTokens foreign;
    private final boolean echoAllowed;

    /** Caller of a request, and its effect on the answer. */
    sealed interface Found {

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

    /**
     * Preferences of a client of oVirt's interface for its session, from {@code Prefer} headers
     * (REST specification §1.4).
     *
     * @param persistent to keep a session between requests
     * @param fresh to forget the present session
     * @param echoed to have each request repeat the session's id, against forged requests
     */
    private record Preferences(boolean persistent, boolean fresh, boolean echoed) {

        static Preferences of(HttpServletRequest request) {
            Set<String> named = new HashSet<>();
            for (String header : Collections.list(request.getHeaders("Prefer"))) {
                for (String part : header.split(",", -1)) {
                    // A value or parameters may follow (RFC 7240, section 2); these have none.
                    named.add(part.split("[;=]", 2)[0].strip().toLowerCase(Locale.ROOT));
                }
            }
            return new Preferences(
                    named.contains("persistent-auth"),
                    named.contains("new-auth"),
                    named.contains("csrf-protection"));
        }
    }

    /**
     * Finds callers among these.
     *
     * @param echoAllowed whether clients may ask that each request repeats its session's id
     */
    CallerFinder(
            Accounts accounts,
            Logins logins,
            Sessions sessions,
            ForeignTokens foreign,
            boolean echoAllowed) {
        this.accounts = accounts;
        this.logins = logins;
        this.sessions = sessions;
        this.foreign = foreign;
        this.echoAllowed = echoAllowed;
    }

    /**
     * The caller of a request: by the header first, then by a browser's cookie.
     *
     * @param api whether it is a request of oVirt's interface, which has sessions of its own
     */
    Found find(HttpServletRequest request, boolean api) {
        Found found = api ? onApi(request) : byHeader(request);
        return found instanceof Found.Nothing ? byBrowserCookie(request) : found;
    }

    /** Whether it is a session of oVirt's interface, if anything, that a request acts by. */
    static boolean hasApiSession(HttpServletRequest request) {
        if (!Identification.isApi(request)
                || Identification.cookie(request, Identification.API_COOKIE) == null) {
            return false;
        }
        Preferences preferences = Preferences.of(request);
        return preferences.persistent() && !preferences.fresh();
    }

    /** On oVirt's interface a session that is to be kept counts, and only there. */
    private Found onApi(HttpServletRequest request) {
        String id = Identification.cookie(request, Identification.API_COOKIE);
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
        if (session.echoed() && !id.equals(request.getHeader(Identification.API_COOKIE))) {
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
        String id = Identification.cookie(request, Identification.BROWSER_COOKIE);
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
    void keepIfAsked(
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
                ResponseCookie.from(Identification.API_COOKIE, id)
                        .path(Identification.API_PATH)
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
}
