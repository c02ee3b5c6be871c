package org.stillwater.core.alert;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A rule that users define, after the alert rules of Prometheus.
 *
 * @param id identity
 * @param revision 1 at first, one more with each change
 * @param alert name of its alerts, unique
 * @param expr its condition; see {@link AlertExpression}
 * @param lasting how long that must last before an alert fires ({@code for})
 * @param keepFiring how long an alert fires on after its condition ended ({@code keep_firing_for});
 *     rows of earlier engines have none
 * @param scope which objects it watches
 * @param severity of its alerts
 * @param labels of its alerts, beside those that the engine sets
 * @param annotations of its alerts
 * @param enabled whether it is evaluated
 * @param flood alerts that fire one by one; more of them become one alert about the group
 */
public record AlertRule(
        UUID id,
        int revision,
        String alert,
        String expr,
        Duration lasting,
        Duration keepFiring,
        AlertScope scope,
        AlertSeverity severity,
        Map<String, String> labels,
        Map<String, String> annotations,
        boolean enabled,
        int flood) {

    /** Members of a rule in requests. */
    public static final List<String> MEMBERS =
            List.of(
                    "alert",
                    "expr",
                    "for",
                    "keep_firing_for",
                    "scope",
                    "severity",
                    "labels",
                    "annotations",
                    "enabled",
                    "flood");

    /** Members of a scope in requests. */
    public static final List<String> SCOPE_MEMBERS =
            List.of("clusters", "tags", "vms", "hosts", "storageDomains");

    /** Labels that the engine sets. */
    public static final List<String> RESERVED =
            List.of("alertname", "severity", "kind", "object", "objectId");

    /** Default number of a rule's alerts that fire one by one. */
    public static final int FLOOD = 20;

    private static final int LONGEST_NAME = 100;
    private static final int LONGEST_TEXT = 1_000;
    private static final int MOST_TEXTS = 20;
    private static final int MOST_FLOOD = 1_000;
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");

    public AlertRule {
        if (alert.isBlank() || alert.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("alert has 1 to " + LONGEST_NAME + " characters");
        }
        AlertCondition condition = AlertExpression.parse(expr);
        expr = condition.toString();
        if (lasting.isNegative() || lasting.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("for must be 0s to 7d");
        }
        keepFiring = Objects.requireNonNullElse(keepFiring, Duration.ZERO);
        if (keepFiring.isNegative() || keepFiring.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("keep_firing_for must be 0s to 7d");
        }
        if (condition.kind() == AlertSubject.Kind.HOST && !scope.vms().isEmpty()) {
            throw new IllegalArgumentException("a rule on a metric of hosts has no scope of VMs");
        }
        if (condition instanceof AlertCondition.Measured(SeriesMeasure measure, _, _)
                && measure == SeriesMeasure.DOMAIN_DELAY
                && !scope.vms().isEmpty()) {
            throw new IllegalArgumentException(
                    "hosts measure the delay of a storage domain: it has no scope of VMs");
        }
        if (condition.kind() != AlertSubject.Kind.DISK
                && condition.kind() != AlertSubject.Kind.STORAGE_DOMAIN
                && condition.kind() != AlertSubject.Kind.FINDING
                && !scope.storageDomains().isEmpty()) {
            throw new IllegalArgumentException(
                    "only a rule on disks or storage domains has a scope of storage domains");
        }
        if (condition.kind() == AlertSubject.Kind.FINDING && !scope.isAll()) {
            throw new IllegalArgumentException(
                    "a rule on regressions has no scope; its kind of object is in expr");
        }
        labels = texts("labels", labels);
        annotations = texts("annotations", annotations);
        for (String reserved : RESERVED) {
            if (labels.containsKey(reserved)) {
                throw new IllegalArgumentException("the engine itself sets the label " + reserved);
            }
        }
        if (flood < 1 || flood > MOST_FLOOD) {
            throw new IllegalArgumentException("flood must be 1 to " + MOST_FLOOD);
        }
    }

    /** A rule whose alerts end with their condition. */
    public AlertRule(
            UUID id,
            int revision,
            String alert,
            String expr,
            Duration lasting,
            AlertScope scope,
            AlertSeverity severity,
            Map<String, String> labels,
            Map<String, String> annotations,
            boolean enabled,
            int flood) {
        this(
                id,
                revision,
                alert,
                expr,
                lasting,
                Duration.ZERO,
                scope,
                severity,
                labels,
                annotations,
                enabled,
                flood);
    }

    private static Map<String, String> texts(String what, Map<String, String> texts) {
        if (texts.size() > MOST_TEXTS) {
            throw new IllegalArgumentException("there are at most " + MOST_TEXTS + " " + what);
        }
        texts.forEach((name, text) -> {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "names of " + what + " are letters, digits and _");
            }
            if (text.length() > LONGEST_TEXT) {
                throw new IllegalArgumentException(
                        what + " have at most " + LONGEST_TEXT + " characters");
            }
        });
        return java.util.Collections.unmodifiableMap(new TreeMap<>(texts));
    }

    /** Condition that makes the rule fire. */
    public AlertCondition condition() {
        return AlertExpression.parse(expr);
    }

    /** Whether alerts of the one stay alerts of the other. */
    public boolean isEvaluatedAs(AlertRule other) {
        return expr.equals(other.expr)
                && lasting.equals(other.lasting)
                && keepFiring.equals(other.keepFiring)
                && scope.equals(other.scope)
                && flood == other.flood
                && enabled == other.enabled;
    }

    /**
     * Refuses texts with templates that an alert cannot fill. Labels may contain the engine's
     * labels, annotations also those of the rule.
     *
     * @throws IllegalArgumentException which begins with the name of the member
     */
    public static void checkTemplates(Map<String, String> labels, Map<String, String> annotations) {
        labels.forEach((name, text) -> AlertTemplate.check("labels." + name, text, RESERVED));
        List<String> all =
                Stream.concat(RESERVED.stream(), labels.keySet().stream().sorted()).toList();
        annotations.forEach((name, text) -> AlertTemplate.check("annotations." + name, text, all));
    }

    /**
     * Refuses members that a request must not have.
     *
     * @throws IllegalArgumentException which names the first of them and the nearest known one
     */
    public static void checkMembers(
            String where, Collection<String> given, Collection<String> known) {
        for (String each : given) {
            if (!known.contains(each)) {
                String shown = each.length() > LONGEST_NAME ? each.substring(0, 100) : each;
                throw new IllegalArgumentException(
                        "there is no member \"%s\" in %s%s"
                                .formatted(shown, where, NameSuggestion.hint(each, known)));
            }
        }
    }
}
