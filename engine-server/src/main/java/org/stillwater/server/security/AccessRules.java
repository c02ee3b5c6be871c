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
                    line("*", "/error", AccessRequirement.NOTHING, "error pages"),
                    line(
                            READ,
                            "/actuator/health/**",
                            AccessRequirement.NOTHING_OR_READER,
                            "up or down, for load balancers"),
                    line(READ, "/login", AccessRequirement.NOTHING, "the page to log in"),
                    line("POST", "/login", AccessRequirement.NOTHING, "a login"),
                    line("POST", "/logout", AccessRequirement.NOTHING, "the end of a session"),
                    line(READ, "/login.css", AccessRequirement.NOTHING, "the page to log in"),
                    line(READ, "/login.js", AccessRequirement.NOTHING, "the page to log in"),
                    line(READ, "/login/options", AccessRequirement.NOTHING, "ways to log in"),
                    line(
                            READ,
                            "/login/oauth2/**",
                            AccessRequirement.NOTHING,
                            "return from an OIDC login"),
                    line(READ, "/oauth2/**", AccessRequirement.NOTHING, "start of an OIDC login"),
                    line(READ, "/icon.svg", AccessRequirement.NOTHING, ""),
                    line(
                            READ,
                            "/ca.crt",
                            AccessRequirement.NOTHING,
                            "the CA that the engine's TLS is of"),
                    line(
                            READ + " OPTIONS",
                            "/ovirt-engine",
                            AccessRequirement.NOTHING,
                            "the way to the page"),
                    line(
                            READ + " OPTIONS",
                            "/ovirt-engine/",
                            AccessRequirement.NOTHING,
                            "the way to the page"),
                    line(
                            READ + " OPTIONS",
                            "/ovirt-engine/login",
                            AccessRequirement.NOTHING,
                            "the way to the page"),
                    line(
                            READ,
                            "/ovirt-engine/services/health",
                            AccessRequirement.NOTHING,
                            "health"),
                    line(
                            READ,
                            "/ovirt-engine/services/pki-resource",
                            AccessRequirement.NOTHING,
                            "the CA"),
                    line(
                            READ,
                            "/ovirt-engine/services/files/usbfilter.txt",
                            AccessRequirement.NOTHING,
                            "which USB devices consoles pass on"),
                    line(
                            "*",
                            "/ovirt-engine/services/sso-logout",
                            AccessRequirement.NOTHING,
                            "ends a token"),
                    line(
                            "*",
                            "/ovirt-engine/sso/**",
                            AccessRequirement.NOTHING,
                            "logins of oVirt's clients"),
                    // Metrics.
                    line(
                            READ,
                            "/actuator/prometheus",
                            AccessRequirement.SCRAPER_OF_ALL,
                            "the engine's own meters"),
                    line(
                            READ,
                            "/metrics/**",
                            AccessRequirement.SCRAPER,
                            "VMs and hosts that the caller may scrape"),
                    line(READ, "/actuator/**", AccessRequirement.READER_OF_ALL, ""),
                    // One's own account.
                    line(READ, "/api/v1/me", AccessRequirement.LOGIN, "oneself"),
                    line(
                            "PUT",
                            "/api/v1/me/password",
                            AccessRequirement.OWN_PASSWORD,
                            "one's own password"),
                    line(
                            "*",
                            "/api/v1/tokens/**",
                            AccessRequirement.PERSON,
                            "one's own; administrators all"),
                    line("*", "/api/v1/users/**", AccessRequirement.ADMINISTRATOR, ""),
                    // Secrets of management boards.
                    line(
                            "*",
                            "/api/v1/hosts/{id}/fence-agents/**",
                            AccessRequirement.ADMINISTRATOR,
                            ""),
                    line(
                            "*",
                            "/api/v1/secrets/**",
                            AccessRequirement.ADMINISTRATOR,
                            "never a secret itself"),
                    line(
                            "POST",
                            "/api/v1/hosts/{id}/certificate/confirm",
                            AccessRequirement.ADMINISTRATOR,
                            "the accepted certificate of a host"),
                    // VMs.
                    line(READ, "/api/v1/vms/**", AccessRequirement.READER, FILTERED),
                    line(
                            "POST",
                            "/api/v1/vms:batch",
                            AccessRequirement.OPERATOR,
                            "operator of each VM"),
                    line(
                            "POST",
                            "/api/v1/vms",
                            AccessRequirement.OPERATOR,
                            "operator of the cluster"),
                    line("*", "/api/v1/vms/**", AccessRequirement.OPERATOR, THE_VM),
                    line(READ, "/api/v1/batches/**", AccessRequirement.READER, FILTERED),
                    line(
                            "*",
                            "/api/v1/batches/**",
                            AccessRequirement.OPERATOR,
                            "operator of each VM"),
                    line(READ, "/api/v1/operations/**", AccessRequirement.READER, FILTERED),
                    line("*", "/api/v1/operations/**", AccessRequirement.OPERATOR, THE_VM),
                    line(
                            "POST",
                            "/api/v1/pools/{id}/allocate",
                            AccessRequirement.OPERATOR,
                            "operator of the pool's cluster"),
                    line(
                            "POST",
                            "/api/v1/pools/{id}/vms/{vm}/release",
                            AccessRequirement.OPERATOR,
                            "operator of the pool's cluster"),
                    line(READ, "/api/v1/findings/**", AccessRequirement.READER, FILTERED),
                    line(
                            "*",
                            "/api/v1/findings/**",
                            AccessRequirement.OPERATOR,
                            "operator of the finding's object"),
                    line(
                            "POST",
                            "/api/v1/benchmarks",
                            AccessRequirement.BENCHMARKER,
                            "benchmarker of the VM or host"),
                    line(
                            "POST",
                            "/api/v1/benchmarks/permits",
                            AccessRequirement.BENCHMARKER,
                            "benchmarker of the VM or host"),
                    // Endpoints about the whole data centre.
                    line(READ, "/api/v1/alert-rules/**", AccessRequirement.READER_OF_ALL, ""),
                    line(READ, "/api/v1/silences/**", AccessRequirement.READER_OF_ALL, ""),
                    line(READ, "/api/v1/work/**", AccessRequirement.READER_OF_ALL, ""),
                    line(READ, "/api/v1/summary", AccessRequirement.READER, FILTERED),
                    line(READ, "/api/v1/health/**", AccessRequirement.READER_OF_ALL, ""),
                    line(
                            "*",
                            "/api/v1/engine/recording/**",
                            AccessRequirement.ADMINISTRATOR,
                            "a recording of the engine"),
                    line(
                            "*",
                            "/api/v1/engine/host-recording/**",
                            AccessRequirement.ADMINISTRATOR,
                            "a recording of hosts' messages"),
                    line(
                            READ,
                            "/api/v1/engine/settings",
                            AccessRequirement.ADMINISTRATOR,
                            "the settings in force"),
                    line(
                            READ,
                            "/api/v1/engine/**",
                            AccessRequirement.READER_OF_ALL,
                            "the engine's profile"),
                    // The rest of the native interface.
                    line(READ, "/api/v1/**", AccessRequirement.READER, FILTERED),
                    line("*", "/api/v1/**", AccessRequirement.ADMINISTRATOR, ""),
                    // oVirt's interface.
                    line(
                            READ + " OPTIONS",
                            "/ovirt-engine/api/**",
                            AccessRequirement.READER,
                            FILTERED),
                    line("*", "/ovirt-engine/api/vms/**", AccessRequirement.OPERATOR, THE_VM),
                    line("*", "/ovirt-engine/api/v4/vms/**", AccessRequirement.OPERATOR, THE_VM),
                    line(
                            "POST",
                            "/ovirt-engine/api/vmpools/{id}/allocatevm",
                            AccessRequirement.OPERATOR,
                            "operator of the pool's cluster"),
                    line(
                            "POST",
                            "/ovirt-engine/api/v4/vmpools/{id}/allocatevm",
                            AccessRequirement.OPERATOR,
                            "operator of the pool's cluster"),
                    line("*", "/ovirt-engine/**", AccessRequirement.ADMINISTRATOR, ""),
                    // Pages and the interface's description.
                    line(
                            READ,
                            "/v3/api-docs/**",
                            AccessRequirement.READER,
                            "the interface, described"),
                    line(
                            READ,
                            "/v3/api-docs.yaml",
                            AccessRequirement.READER,
                            "the interface, described"),
                    line(READ, "/openapi/**", AccessRequirement.READER, "the interface, described"),
                    line(
                            READ,
                            "/swagger-ui/**",
                            AccessRequirement.READER,
                            "the interface, as a page"),
                    line(
                            READ,
                            "/swagger-ui.html",
                            AccessRequirement.READER,
                            "the interface, as a page"),
                    line(READ, "/webjars/**", AccessRequirement.READER, "parts of pages"),
                    line(
                            READ,
                            "/password",
                            AccessRequirement.OWN_PASSWORD,
                            "the page to change one's password"),
                    line(
                            "POST",
                            "/password",
                            AccessRequirement.OWN_PASSWORD,
                            "a change of one's password"),
                    line(READ, "/", AccessRequirement.LOGIN, "the page"),
                    line(READ, "/index.html", AccessRequirement.LOGIN, "the page"),
                    line(READ, "/console/**", AccessRequirement.LOGIN, "parts of the page"),
                    line(READ, "/docs/**", AccessRequirement.LOGIN, "the documentation"));

    private static AccessRule line(
            String methods, String pattern, AccessRequirement need, String note) {
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

    static AccessRequirement need(String method, String path) {
        AccessRule rule = covering(method, path);
        return rule == null ? AccessRequirement.ADMINISTRATOR : rule.need();
    }

    @Override
    public AuthorizationDecision authorize(
            Supplier<? extends @Nullable Authentication> authentication,
            RequestAuthorizationContext context) {
        var request = context.getRequest();
        AccessRequirement need = need(request.getMethod(), RequestPath.of(request));
        if (need == AccessRequirement.NOTHING || need == AccessRequirement.NOTHING_OR_READER) {
            return new AuthorizationDecision(true); // no login is needed
        }
        Authentication known = authentication.get();
        return new AuthorizationDecision(need.metBy(Callers.of(known), Callers.means(known)));
    }
}
