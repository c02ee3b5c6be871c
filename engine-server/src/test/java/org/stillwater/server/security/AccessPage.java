package org.stillwater.server.security;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.server.security.CallerAuthentication.Means;

/** The table of access as other tests and the reference page see it. */
public final class AccessPage {

    /** A VM on which a user has a role. */
    public static final VmId VM = new VmId(7, 77);

    /** Text between a user's name and the role of the user's token. */
    public static final String BY_TOKEN = " by a token of a ";

    private static final Map<String, Caller> CALLERS =
            Map.of(
                    "nobody",
                    Callers.NOBODY,
                    "nothing",
                    new Caller("nothing", Set.of()),
                    "scraper",
                    Caller.withRole("scraper", Role.SCRAPER),
                    "reader",
                    Caller.withRole("reader", Role.READER),
                    "operator",
                    Caller.withRole("operator", Role.OPERATOR),
                    "administrator",
                    Caller.withRole("administrator", Role.ADMINISTRATOR),
                    "operator-of-a-vm",
                    new Caller(
                            "operator-of-a-vm",
                            Set.of(new Grant(Role.OPERATOR, new Scope.OfVm(VM)))),
                    "benchmarker-of-a-vm",
                    new Caller(
                            "benchmarker-of-a-vm",
                            Set.of(new Grant(Role.BENCHMARKER, new Scope.OfVm(VM)))),
                    "scraper-of-a-cluster",
                    new Caller(
                            "scraper-of-a-cluster",
                            Set.of(
                                    new Grant(
                                            Role.SCRAPER, new Scope.OfCluster(ClusterId.DEFAULT)))),
                    "reader-of-a-cluster",
                    new Caller(
                            "reader-of-a-cluster",
                            Set.of(
                                    new Grant(
                                            Role.READER, new Scope.OfCluster(ClusterId.DEFAULT)))));

    private static final Map<String, Caller> TOKENS =
            Map.of(
                    "administrator" + BY_TOKEN + "scraper",
                    Caller.withRole("administrator", Role.SCRAPER),
                    "administrator" + BY_TOKEN + "administrator",
                    Caller.withRole("administrator", Role.ADMINISTRATOR),
                    "reader" + BY_TOKEN + "reader",
                    Caller.withRole("reader", Role.READER));

    private static final String HEAD =
            """
            # Access

            This page is generated from the table `AccessRules`: the first line that covers a request decides. All other requests
            need an administrator. A test sends requests to every endpoint in every role, and generates this page.

            | role | may |
            |---|---|
            | administrator | everything: users, hosts, clusters, pools, fencing, and the requests of operators, scrapers and benchmarkers |
            | operator | act on VMs, read, and post benchmark runs |
            | reader | read VMs, hosts, clusters, events, history |
            | scraper | read metrics only |
            | benchmarker | post benchmark runs and ask for their permits only |

            A program's token has the roles given at its creation, limited to the roles of its user, and may read its own identity.
            Only an administrator's token may manage tokens or change its user's password.

            Roles are granted on everything, on a cluster or on a VM. *Of anything* means that one grant on any object admits the
            request; the grants then decide its result: lists contain the readable objects, an unreadable object gets 404 like a
            missing one, and an action on an object that the user may only read gets 403.

            | methods | path | needs | |
            |---|---|---|---|
            """;

    private AccessPage() {}

    /** Whether a line of the table is about a request. */
    public static boolean isCovered(String method, String path) {
        return AccessRules.covering(method, path) != null;
    }

    /** Whether the table lets a kind of caller through. */
    public static boolean letsThrough(String method, String path, String caller) {
        AccessRequirement need = AccessRules.need(method, path);
        Caller token = TOKENS.get(caller);
        return token == null
                ? need.metBy(
                        CALLERS.get(caller), caller.equals("nobody") ? Means.NONE : Means.PASSWORD)
                : need.metBy(token, Means.API_TOKEN);
    }

    /** The reference page. */
    public static String render() {
        return HEAD
                + AccessRules.TABLE.stream()
                        .map(rule ->
                                "| %s | `%s` | %s | %s |\n"
                                        .formatted(
                                                rule.methods().isEmpty()
                                                        ? "all"
                                                        : rule.methods().stream()
                                                                .sorted()
                                                                .collect(Collectors.joining(", ")),
                                                rule.pattern().getPatternString(),
                                                rule.need().words(),
                                                rule.note()))
                        .collect(Collectors.joining());
    }
}
