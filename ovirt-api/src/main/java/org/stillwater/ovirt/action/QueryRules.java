package org.stillwater.ovirt.action;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters in the query of a request that have a rule: those that oVirt has for a request
 * that adds, changes or removes something, and those that select other objects than a read answers.
 * Parameters without a table are ignored, as in oVirt, and named by a header of the answer.
 * Immutable.
 *
 * @param method of HTTP
 * @param path pattern of the path, for example {@code vms/{id}}
 * @param parameters rules by the name of the parameter; a {@linkplain ElementRule.Kept kept} one is
 *     honoured
 */
public record QueryRules(String method, String path, Map<String, ElementRule> parameters) {

    private static final String DONE = "the answer comes when it is done";
    private static final String NO_OVF = "answers have no configuration in the form of OVF";
    private static final String NO_DEPLOYMENT = "the engine deploys itself on no host";

    /** Parameters of every request: they determine the form of the answer. */
    public static final List<String> OF_ANSWERS =
            List.of("accept", "all_content", "detail", "filter", "follow");

    /** All tables, in the order of the reference page. */
    public static final List<QueryRules> ALL =
            List.of(
                    of("POST", "vms")
                            .ignored("clone", "a VM of the blank template is independent anyway")
                            .fixed("clone_permissions", false, "a template has no permissions")
                            .rules(),
                    of("PUT", "vms/{id}")
                            .ignored("next_run", "a VM that runs is changed with its next start")
                            .ignored("async", DONE)
                            .rules(),
                    of("DELETE", "vms/{id}")
                            .honoured("async", "the answer comes before the end")
                            .fixed("detach_only", true, "the engine removes no disks")
                            .ignored("force", "there is no state of disks that it would overcome")
                            .rules(),
                    of("PUT", "vms/{id}/cdroms/{id}")
                            .honoured(
                                    "current",
                                    "which CD is changed, see [CDs](#what-is-written-beside-vms)")
                            .ignored("async", DONE)
                            .rules(),
                    of("DELETE", "vms/{id}/diskattachments/{id}")
                            .fixed(
                                    "detach_only",
                                    true,
                                    "the engine detaches disks and removes none")
                            .rules(),
                    of("POST", "hosts")
                            .fixed(
                                    "activate",
                                    true,
                                    "a host is activated when it is added; put it into maintenance"
                                            + " then, with the action deactivate")
                            .fixed("deploy_hosted_engine", false, NO_DEPLOYMENT)
                            .fixed("undeploy_hosted_engine", false, NO_DEPLOYMENT)
                            .ignored("reboot", "the engine installs no software that needs it")
                            .rules(),
                    of("DELETE", "hosts/{id}")
                            .ignored(
                                    "force", "the answer has the reason when a host is not removed")
                            .ignored("async", DONE)
                            .rules(),
                    of("PUT", "vms/{id}/nics/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "vms/{id}/nics/{id}").ignored("async", DONE).rules(),
                    of("PUT", "vms/{id}/diskattachments/{id}").ignored("async", DONE).rules(),
                    of("PUT", "vms/{id}/watchdogs/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "vms/{id}/watchdogs/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "vms/{id}/graphicsconsoles/{id}").ignored("async", DONE).rules(),
                    of("PUT", "hosts/{id}").ignored("async", DONE).rules(),
                    of("PUT", "hosts/{id}/fenceagents/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "hosts/{id}/fenceagents/{id}").ignored("async", DONE).rules(),
                    of("PUT", "clusters/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "clusters/{id}").ignored("async", DONE).rules(),
                    of("PUT", "clusters/{id}/affinitygroups/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "clusters/{id}/affinitygroups/{id}")
                            .ignored("async", DONE)
                            .rules(),
                    of("DELETE", "clusters/{id}/affinitygroups/{id}/vms/{id}")
                            .ignored("async", DONE)
                            .rules(),
                    of("PUT", "tags/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "tags/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "vms/{id}/tags/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "hosts/{id}/tags/{id}").ignored("async", DONE).rules(),
                    of("PUT", "vmpools/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "vmpools/{id}").ignored("async", DONE).rules(),
                    of("DELETE", "events/{id}").ignored("async", DONE).rules(),
                    of("GET", "vms").ignored("ovf_as_ova", NO_OVF).rules(),
                    of("GET", "vms/{id}").ignored("ovf_as_ova", NO_OVF).rules(),
                    of("GET", "hosts")
                            .unsupported(
                                    "migration_target_of",
                                    "a migration without a host selects one of the hosts that can"
                                            + " run the VM")
                            .ignored(
                                    "check_vms_in_affinity_closure",
                                    "it selects nothing without migration_target_of")
                            .rules(),
                    of("GET", "storagedomains/{id}/disks")
                            .fixed(
                                    "unregistered",
                                    false,
                                    "the engine knows the disks of hosts and VMs only")
                            .rules());

    /** Begins a table. */
    private static Builder of(String method, String path) {
        return new Builder(method, path);
    }

    /** The rules of a request; null if oVirt has no parameters for it. */
    private static @Nullable QueryRules of(String method, List<String> path) {
        return ALL.stream()
                .filter(each ->
                        each.method.equals(method)
                                && Routes.matches(List.of(each.path.split("/", -1)), path))
                .findFirst()
                .orElse(null);
    }

    /**
     * Refuses a request with a parameter that would change its meaning and is not honoured.
     *
     * @param values parameters by name, in lower case; one without a value is true
     * @throws Refused with 501 if one is not supported, with 400 if it is neither true nor false
     */
    static void check(String method, List<String> path, Map<String, String> values) {
        QueryRules rules = of(method, path);
        if (rules == null) {
            return;
        }
        rules.parameters.forEach((name, rule) -> {
            String value = values.get(name);
            if (value == null) {
                return;
            }
            if (rule instanceof ElementRule.Unsupported(String why) && !value.isBlank()) {
                throw Refused.unsupported(
                        "The parameter %s is not supported: %s"
                                .formatted(name, Operations.sentence(why)));
            }
            if (!(rule instanceof ElementRule.Fixed fixed)) {
                return;
            }
            if (!fixed.values().contains(truth(name, value).toString())) {
                throw Refused.unsupported(
                        "The parameter %s cannot be %s: %s"
                                .formatted(
                                        name,
                                        Refused.shortened(value),
                                        Operations.sentence(fixed.why())));
            }
        });
    }

    /** Names of the parameters of a request that have a rule. */
    static Set<String> names(String method, List<String> path) {
        QueryRules rules = of(method, path);
        return rules == null ? Set.of() : rules.parameters.keySet();
    }

    /**
     * The value of a parameter; without one it is true.
     *
     * @throws Refused if it is neither true nor false
     */
    static Boolean truth(String name, String value) {
        return switch (value.strip().toLowerCase(Locale.ROOT)) {
            case "", "true", "t", "yes", "y", "1" -> Boolean.TRUE;
            case "false", "f", "no", "n", "0" -> Boolean.FALSE;
            default ->
                    throw Refused.invalid(
                            "The parameter %s is true or false, not %s."
                                    .formatted(name, Refused.shortened(value)));
        };
    }

    /** Collects the rules of a request. */
    private static final class Builder {

        private final String method;
        private final String path;
        private final Map<String, ElementRule> rules = new LinkedHashMap<>();

        Builder(String method, String path) {
            this.method = method;
            this.path = path;
        }

        Builder honoured(String name, String as) {
            rules.put(name, new ElementRule.Kept(as, ElementRule.Form.VALUE));
            return this;
        }

        Builder fixed(String name, boolean value, String why) {
            rules.put(name, new ElementRule.Fixed(List.of(Boolean.toString(value)), why));
            return this;
        }

        Builder unsupported(String name, String why) {
            rules.put(name, new ElementRule.Unsupported(why));
            return this;
        }

        Builder ignored(String name, String why) {
            rules.put(name, new ElementRule.Ignored(why));
            return this;
        }

        QueryRules rules() {
            return new QueryRules(method, path, java.util.Collections.unmodifiableMap(rules));
        }
    }
}
