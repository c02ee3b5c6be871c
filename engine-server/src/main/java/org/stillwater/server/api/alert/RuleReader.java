package org.stillwater.server.api.alert;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.AlertCondition;
import org.stillwater.core.alert.AlertExpression;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.databind.JsonNode;

/** Reads a rule from a request. Stateless. */
final class RuleReader {

    private static final Map<String, AlertSeverity> SEVERITIES =
            Arrays.stream(AlertSeverity.values())
                    .collect(Collectors.toUnmodifiableMap(AlertSeverity::label, it -> it));

    private static final Pattern WORD = Pattern.compile("\\w+");

    private RuleReader() {}

    static AlertRule read(UUID id, int revision, JsonNode body) {
        JsonObjectReader rule = JsonObjectReader.of(body);
        checkMembers("a rule", body, AlertRule.MEMBERS);
        checkMembers("scope", body.path("scope"), AlertRule.SCOPE_MEMBERS);
        String alert = rule.requiredText("alert");
        String expr = rule.requiredText("expr");
        String lasting = rule.text("for", "0s");
        String keeping = rule.text("keep_firing_for", "0s");
        AlertScope scope = scope(rule.object("scope"));
        Map<String, String> labels = new TreeMap<>(rule.namedTexts("labels"));
        AlertSeverity severity = severity(rule, labels);
        Map<String, String> annotations = rule.namedTexts("annotations");
        boolean enabled = rule.flag("enabled", true);
        int flood = rule.number("flood", AlertRule.FLOOD);
        rule.end();
        AlertCondition _ = about("expr", () -> AlertExpression.parse(expr));
        Duration duration = about("for", () -> AlertExpression.duration(lasting));
        Duration kept = about("keep_firing_for", () -> AlertExpression.duration(keeping));
        return about(
                null,
                () -> {
                    AlertRule.checkTemplates(labels, annotations);
                    return new AlertRule(
                            id,
                            revision,
                            alert,
                            expr,
                            duration,
                            kept,
                            scope,
                            severity,
                            labels,
                            annotations,
                            enabled,
                            flood);
                });
    }

    /** The severity; rules of Prometheus have it as a label, which is taken out of the labels. */
    private static AlertSeverity severity(JsonObjectReader rule, Map<String, String> labels) {
        String label = labels.remove("severity");
        AlertSeverity labelled = label == null ? null : SEVERITIES.get(label);
        AlertSeverity usual = labelled == null ? AlertSeverity.WARNING : labelled;
        AlertSeverity own = rule.word("severity", SEVERITIES, usual);
        if (label != null && own != labelled) {
            throw ApiException.badRequest(
                            labelled == null
                                    ? "labels.severity must be one of info, warning, critical"
                                    : "labels.severity and severity differ")
                    .about("labels");
        }
        return own;
    }

    /** Makes a value; a refusal is about the member, or about the first one that it names. */
    private static <T> T about(@Nullable String member, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            String detail = String.valueOf(e.getMessage());
            String named = member == null ? named(detail) : member;
            ApiException refused = ApiException.badRequest(detail);
            throw named == null ? refused : refused.about(named);
        }
    }

    /** The first member of a rule that a sentence names; null for none. */
    static @Nullable String named(String sentence) {
        Matcher word = WORD.matcher(sentence);
        while (word.find()) {
            for (String member : AlertRule.MEMBERS) {
                // "label" is about "labels", too.
                if (member.equals(word.group()) || member.equals(word.group() + "s")) {
                    return member;
                }
            }
        }
        return null;
    }

    private static void checkMembers(String where, JsonNode node, List<String> known) {
        try {
            AlertRule.checkMembers(where, node.propertyNames(), known);
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static AlertScope scope(@Nullable JsonObjectReader scope) {
        if (scope == null) {
            return AlertScope.ALL;
        }
        Set<UUID> clusters = ids(scope, "clusters");
        Set<String> tags = Set.copyOf(scope.texts("tags"));
        Set<UUID> vms = ids(scope, "vms");
        Set<UUID> hosts = ids(scope, "hosts");
        Set<UUID> storageDomains = ids(scope, "storageDomains");
        scope.end();
        return scope.make(() -> new AlertScope(clusters, tags, vms, hosts, storageDomains));
    }

    private static Set<UUID> ids(JsonObjectReader scope, String name) {
        Set<UUID> ids = new HashSet<>();
        for (String each : scope.texts(name)) {
            try {
                ids.add(Ids.uuid(each));
            } catch (ApiException e) {
                throw e.about("scope." + name);
            }
        }
        return ids;
    }
}
