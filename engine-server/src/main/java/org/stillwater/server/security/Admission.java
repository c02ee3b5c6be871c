package org.stillwater.server.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.stillwater.core.access.Caller;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.http.ClientAddress;
import org.stillwater.server.http.RequestPath;
import org.stillwater.server.security.CallerAuthentication.Means;
import org.stillwater.server.settings.AdmissionSettings;

/**
 * Keeps one client from taking all threads: of each, a limited number of requests is answered at
 * once, the next ones wait a little in the order in which they came, and more are refused. Clients
 * with thousands of simultaneous requests, as exporters do, thus get all of them, one after the
 * other. A client costs memory only while it asks. If a setting limits it, a client may send only a
 * limited number of requests per time. Records every change that has no audit event of its own
 * ({@link AuditedAs}). Thread-safe.
 */
final class Admission extends OncePerRequestFilter {

    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final int LEAST_FAILURE = 400;
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** The slots of one client. */
    private static final class Places {

        private final Semaphore free;
        private final AtomicInteger users = new AtomicInteger();

        private Places(int atOnce) {
            free = new Semaphore(atOnce, true);
        }
    }

    private final AdmissionSettings settings;
    private final SecurityAudit audit;
    private final Map<String, Places> clients = new ConcurrentHashMap<>();
    private final @Nullable Rates rates;

    Admission(AdmissionSettings settings, SecurityAudit audit, EngineClock clock) {
        this.rates =
                settings.perSecond() == 0
                        ? null
                        : new Rates(settings.perSecond(), settings.burst(), clock);
        this.settings = settings;
        this.audit = audit;
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String query = request.getQueryString();
        if (query != null && query.length() > settings.maxQuery()) {
            Refusals.tooLong(request, response, settings.maxQuery());
            return;
        }
        String client = client(request);
        Duration early = rates == null ? null : rates.take(client);
        if (early != null) {
            Refusals.later(request, response, early);
            return;
        }
        if (isStream(request)) {
            chain.doFilter(request, response);
            return;
        }
        Places places = enter(client);
        if (places == null) {
            Refusals.later(request, response, AGAIN);
            return;
        }
        try {
            if (!places.free.tryAcquire(settings.patience().toNanos(), TimeUnit.NANOSECONDS)) {
                Refusals.later(request, response, AGAIN);
                return;
            }
            try {
                chain.doFilter(request, response);
            } finally {
                places.free.release();
            }
            tell(request, response);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the server is stopping
            Refusals.later(request, response, AGAIN);
        } finally {
            leave(client);
        }
    }

    static boolean isStream(HttpServletRequest request) {
        String path = RequestPath.of(request);
        return path.startsWith("/api/v1/stream")
                || path.startsWith("/api/v1/ws")
                || ((path.startsWith("/api/v1/batches/") || path.startsWith("/api/v1/operations/"))
                        && path.endsWith("/events"));
    }

    private static String client(HttpServletRequest request) {
        return SecurityContextHolder.getContext().getAuthentication()
                                instanceof CallerAuthentication known
                        && known.means() != Means.NONE
                ? known.caller().name()
                : "@" + ClientAddress.network(request);
    }

    /** Null when too many of this client are here already. */
    private @Nullable Places enter(String client) {
        Places places =
                clients.compute(
                        client,
                        (_, there) -> {
                            Places all = there == null ? new Places(settings.atOnce()) : there;
                            all.users.incrementAndGet();
                            return all;
                        });
        if (places.users.get() <= settings.atOnce() + settings.waiting()) {
            return places;
        }
        leave(client);
        return null;
    }

    private void leave(String client) {
        clients.computeIfPresent(
                client, (_, there) -> there.users.decrementAndGet() == 0 ? null : there);
    }

    /** Every change that has no audit event of its own; refused ones change nothing. */
    private void tell(HttpServletRequest request, HttpServletResponse response) {
        if ((READING.contains(request.getMethod())
                        && request.getAttribute(AuditedAs.READ_ATTRIBUTE) == null)
                || response.getStatus() >= LEAST_FAILURE
                || tellsOfItself(request)) {
            return;
        }
        Caller caller = Callers.of(SecurityContextHolder.getContext().getAuthentication());
        audit.changed(
                request.getMethod() + " " + RequestPath.of(request),
                response.getStatus(),
                caller.name());
    }

    private static boolean tellsOfItself(HttpServletRequest request) {
        return request.getAttribute(AuditedAs.ATTRIBUTE) != null
                || (request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)
                                instanceof HandlerMethod handler
                        && handler.hasMethodAnnotation(AuditedAs.class));
    }
}
