package org.stillwater.server.security;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.stillwater.core.access.Caller;
import org.stillwater.server.http.RequestPath;

/**
 * The table of access, in one place; the first line that covers a request decides. Paths without a
 * line are the administrators'. Immutable.
 *
 * <p>A line lets a caller through to an endpoint. The endpoint selects the VMs and clusters that it
 * shows or changes, by the same {@link Caller}: lists contain readable objects, a single unreadable
 * object is unknown (404), and an action on an object that is only readable is forbidden (403).
 */
final class AccessRules implements AuthorizationManager<RequestAuthorizationContext> {

    private static final String READ = "GET HEAD";
    private static final String FILTERED = "objects that the caller may read";
    private static final String THE_VM = "operator of the VM";

    static final List<AccessRule> TABLE =
            List.of(
                    // Endpoints before the login.
                    line("*", "/error", Need.NOTHING, "error pages"),
                    line(
                            READ,
                            "/actuator/health/**",
                            Need.NOTHING_OR_READER,
                            "up or down, for load balancers"),
                    line(READ, "/login", Need.NOTHING, "the page to log in"),
                    line("POST", "/login", Need.NOTHING, "a login"),
                    line("POST", "/logout", Need.NOTHING, "the end of a session"),
                    line(READ, "/login.css", Need.NOTHING, "the page to log in"),
                    line(READ, "/login.js", Need.NOTHING, "the page to log in"),
                    line(READ, "/login/options", Need.NOTHING, "ways to log in"),
                    line(READ, "/login/oauth2/**", Need.NOTHING, "return from an OIDC login"),
                    line(READ, "/oauth2/**", Need.NOTHING, "start of an OIDC login"),
                    line(READ, "/icon.svg", Need.NOTHING, ""),
                    line(READ, "/ca.crt", Need.NOTHING, "the CA that the engine's TLS is of"),
                    line(READ + " OPTIONS", "/ovirt-engine", Need.NOTHING, "the way to the page"),
                    line(READ + " OPTIONS", "/ovirt-engine/", Need.NOTHING, "the way to the page"),
                    line(
                            READ + " OPTIONS",
                            "/ovirt-engine/login",
                            Need.NOTHING,
                            "the way to the page"),
                    line(READ, "/ovirt-engine/services/health", Need.NOTHING, "health"),
                    line(READ, "/ovirt-engine/services/pki-resource", Need.NOTHING, "the CA"),
                    line(
                            READ,
                            "/ovirt-engine/services/files/usbfilter.txt",
                            Need.NOTHING,
                            "which USB devices consoles pass on"),
                    line("*", "/ovirt-engine/services/sso-logout", Need.NOTHING, "ends a token"),
                    line("*", "/ovirt-engine/sso/**", Need.NOTHING, "logins of oVirt's clients"),
                    // Metrics.
                    line(
                            READ,
                            "/actuator/prometheus",
                            Need.SCRAPER_OF_ALL,
                            "the engine's own meters"),
                    line(
                            READ,
                            "/metrics/**",
                            Need.SCRAPER,
                            "VMs and hosts that the caller may scrape"),
                    line(READ, "/actuator/**", Need.READER_OF_ALL, ""),
                    // One's own account.
                    line(READ, "/api/v1/me", Need.LOGIN, "oneself"),
                    line("PUT", "/api/v1/me/password", Need.OWN_PASSWORD, "one's own password"),
                    line("*", "/api/v1/tokens/**", Need.PERSON, "one's own; administrators all"),
                    line("*", "/api/v1/users/**", Need.ADMINISTRATOR, ""),
                    // Secrets of management boards.
                    line("*", "/api/v1/hosts/{id}/fence-agents", Need.ADMINISTRATOR, ""),
                    line("*", "/api/v1/secrets/**", Need.ADMINISTRATOR, "never a secret itself"),
                    line(
                            "POST",
                            "/api/v1/hosts/{id}/certificate/confirm",
                            Need.ADMINISTRATOR,
                            "which certificate a host is known by"),
                    // VMs.
                    line(READ, "/api/v1/vms/**", Need.READER, FILTERED),
                    line("POST", "/api/v1/vms:batch", Need.OPERATOR, "operator of each VM"),
                    line("POST", "/api/v1/vms", Need.OPERATOR, "operator of the cluster"),
                    line("*", "/api/v1/vms/**", Need.OPERATOR, THE_VM),
                    line(READ, "/api/v1/batches/**", Need.READER, FILTERED),
                    line("*", "/api/v1/batches/**", Need.OPERATOR, "operator of each VM"),
                    line(READ, "/api/v1/operations/**", Need.READER, FILTERED),
                    line("*", "/api/v1/operations/**", Need.OPERATOR, THE_VM),
                    line(
                            "POST",
                            "/api/v1/pools/{id}/allocate",
                            Need.OPERATOR,
                            "operator of the pool's cluster"),
                    line(
                            "POST",
                            "/api/v1/pools/{id}/vms/{vm}/release",
                            Need.OPERATOR,
                            "operator of the pool's cluster"),
                    line(READ, "/api/v1/findings/**", Need.READER, FILTERED),
                    line(
                            "*",
                            "/api/v1/findings/**",
                            Need.OPERATOR,
                            "operator of the finding's object"),
                    line(
                            "POST",
                            "/api/v1/benchmarks",
                            Need.BENCHMARKER,
                            "benchmarker of the VM or host"),
                    line(
                            "POST",
                            "/api/v1/benchmarks/permits",
                            Need.BENCHMARKER,
                            "benchmarker of the VM or host"),
                    // Endpoints about the whole data centre.
                    line(READ, "/api/v1/alert-rules/**", Need.READER_OF_ALL, ""),
                    line(READ, "/api/v1/silences/**", Need.READER_OF_ALL, ""),
                    line(READ, "/api/v1/work/**", Need.READER_OF_ALL, ""),
                    line(READ, "/api/v1/summary", Need.READER, FILTERED),
                    line(READ, "/api/v1/health/**", Need.READER_OF_ALL, ""),
                    line(
                            "*",
                            "/api/v1/engine/recording/**",
                            Need.ADMINISTRATOR,
                            "a recording of the engine"),
                    line(
                            "*",
                            "/api/v1/engine/host-recording/**",
                            Need.ADMINISTRATOR,
                            "a recording of what hosts send"),
                    line(
                            READ,
                            "/api/v1/engine/settings",
                            Need.ADMINISTRATOR,
                            "the settings in force"),
                    line(READ, "/api/v1/engine/**", Need.READER_OF_ALL, "the engine's profile"),
                    // The rest of the native interface.
                    line(READ, "/api/v1/**", Need.READER, FILTERED),
                    line("*", "/api/v1/**", Need.ADMINISTRATOR, ""),
                    // oVirt's interface.
                    line(READ + " OPTIONS", "/ovirt-engine/api/**", Need.READER, FILTERED),
                    line("*", "/ovirt-engine/api/vms/**", Need.OPERATOR, THE_VM),
                    line("*", "/ovirt-engine/api/v4/vms/**", Need.OPERATOR, THE_VM),
                    line(
                            "POST",
                            "/ovirt-engine/api/vmpools/{id}/allocatevm",
                            Need.OPERATOR,
                            "operator of the pool's cluster"),
                    line(
                            "POST",
                            "/ovirt-engine/api/v4/vmpools/{id}/allocatevm",
                            Need.OPERATOR,
                            "operator of the pool's cluster"),
                    line("*", "/ovirt-engine/**", Need.ADMINISTRATOR, ""),
                    // Pages and the interface's description.
                    line(READ, "/v3/api-docs/**", Need.READER, "the interface, described"),
                    line(READ, "/v3/api-docs.yaml", Need.READER, "the interface, described"),
                    line(READ, "/openapi/**", Need.READER, "the interface, described"),
                    line(READ, "/swagger-ui/**", Need.READER, "the interface, as a page"),
                    line(READ, "/swagger-ui.html", Need.READER, "the interface, as a page"),
                    line(READ, "/webjars/**", Need.READER, "parts of pages"),
                    line(READ, "/password", Need.OWN_PASSWORD, "the page to change one's password"),
                    line("POST", "/password", Need.OWN_PASSWORD, "a change of one's password"),
                    line(READ, "/", Need.LOGIN, "the page"),
                    line(READ, "/index.html", Need.LOGIN, "the page"),
                    line(READ, "/console/**", Need.LOGIN, "parts of the page"),
                    line(READ, "/docs/**", Need.LOGIN, "the documentation"));

    private static AccessRule line(String methods, String pattern, Need need, String note) {
        return AccessRule.of(methods, pattern, need, note);
    }

    /** The line that decides about a request, null if there is none. */
    static @Nullable AccessRule covering(String method, String path) {
        PathContainer parsed = PathContainer.parsePath(path);
        for (AccessRule rule : TABLE) {
            if (rule.covers(method, parsed)) {
                return rule;
            }
        }
        return null;
    }

    static Need need(String method, String path) {
        AccessRule rule = covering(method, path);
        return rule == null ? Need.ADMINISTRATOR : rule.need();
    }

    @Override
    public AuthorizationDecision authorize(
            Supplier<? extends @Nullable Authentication> authentication,
            RequestAuthorizationContext context) {
        var request = context.getRequest();
        Need need = need(request.getMethod(), RequestPath.of(request));
        if (need == Need.NOTHING || need == Need.NOTHING_OR_READER) {
            return new AuthorizationDecision(true); // no login is needed
        }
        Authentication known = authentication.get();
        return new AuthorizationDecision(need.metBy(Callers.of(known), Callers.means(known)));
    }
}
