package org.stillwater.server.security;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.VmId;
import org.stillwater.server.security.CallerAuthentication.Means;

/** The table of access as other tests and the reference page see it. */
public final class AccessPage {

    /** A VM on which somebody has a role. */
    public static final VmId VM = new VmId(7, 77);

    /** What stands between a user's name and the role of a token by which the user comes. */
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

            Who may ask for what: the table `AccessRules`, whose first line that covers a request decides. What no line
            covers is the administrators'. A test asks every endpoint as everybody, and generates this page.

            | role | may |
            |---|---|
            | administrator | everything: users, hosts, clusters, pools, fencing, and what operators and scrapers may |
            | operator | act on VMs, and read |
            | reader | read VMs, hosts, clusters, events, history |
            | scraper | read metrics, and nothing else |

            A program's token has the roles that it was made with, as far as its user has them, and may ask who it is. It gets at
            neither tokens nor its user's password, unless it is an administrator's.

            Roles are granted on everything, on a cluster or on a VM. *Of anything* means that one grant anywhere lets the
            request through; what it shows or does is then decided by the grants: lists hold what may be read, a single thing
            that may not be read is answered as unknown (404), and acting on what may only be read is forbidden (403).

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
        Need need = AccessRules.need(method, path);
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
