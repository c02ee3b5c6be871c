package org.stillwater.server.api.alert;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertExpression;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.alert.Silence;
import org.stillwater.monitoring.alert.RuleBackTest;

/** Rules, alerts and silences as records that Jackson writes. Stateless. */
final class AlertJson {

    /** Objects that the text of a back-test names. */
    private static final int PLACES = 3;

    private AlertJson() {}

    /** Rules. */
    record RuleList(List<RuleItem> items, int total) {}

    /**
     * A rule; {@code for} is no name of a component in Java.
     *
     * @param unknown names of the scope that do not exist now
     */
    record RuleItem(
            String id,
            int revision,
            String alert,
            String expr,
            @com.fasterxml.jackson.annotation.JsonProperty("for") String lasting,
            @com.fasterxml.jackson.annotation.JsonProperty("keep_firing_for") String keepFiring,
            ScopeItem scope,
            ScopeItem unknown,
            String severity,
            Map<String, String> labels,
            Map<String, String> annotations,
            boolean enabled,
            int flood) {}

    /** Which objects a rule watches. */
    record ScopeItem(
            List<String> clusters,
            List<String> tags,
            List<String> vms,
            List<String> hosts,
            List<String> storageDomains) {}

    /** A page of alerts. */
    record AlertList(List<AlertItem> items, int total, @Nullable String next) {}

    /** An alert. */
    record AlertItem(
            String id,
            String state,
            String ruleId,
            String alert,
            String severity,
            String expr,
            String kind,
            String objectId,
            String objectName,
            @Nullable String vmId,
            @Nullable String hostId,
            Map<String, String> labels,
            Map<String, String> annotations,
            @Nullable Double value,
            String since,
            String firedAt,
            int members,
            @Nullable String resolvedAt,
            @Nullable String resolution,
            boolean silenced,
            @Nullable AcknowledgedItem acknowledged) {}

    /** Which user knows of it. */
    record AcknowledgedItem(String by, String at, String comment) {}

    /** Silences. */
    record SilenceList(List<SilenceItem> items, int total) {}

    /** A silence. */
    record SilenceItem(
            String id,
            List<MatcherItem> matchers,
            String startsAt,
            String endsAt,
            String author,
            String comment) {}

    /** A condition on a label. */
    record MatcherItem(String label, String value, boolean equal) {}

    /** Alerts that a rule would have fired. */
    record BackTestItem(
            String text,
            int fired,
            String from,
            String to,
            String step,
            String coarsest,
            int objects,
            int leftOut,
            List<FiredItem> items) {}

    /** An alert that would have fired. */
    record FiredItem(
            String kind,
            String objectId,
            String objectName,
            String from,
            @Nullable String until,
            int members) {}

    static RuleItem rule(AlertRule rule, ScopeItem unknown) {
        return new RuleItem(
                rule.id().toString(),
                rule.revision(),
                rule.alert(),
                rule.expr(),
                AlertExpression.text(rule.lasting()),
                AlertExpression.text(rule.keepFiring()),
                new ScopeItem(
                        ids(rule.scope().clusters()),
                        rule.scope().tags().stream().sorted().toList(),
                        ids(rule.scope().vms()),
                        ids(rule.scope().hosts()),
                        ids(rule.scope().storageDomains())),
                unknown,
                rule.severity().label(),
                rule.labels(),
                rule.annotations(),
                rule.enabled(),
                rule.flood());
    }

    private static List<String> ids(java.util.Set<UUID> ids) {
        return ids.stream().map(UUID::toString).sorted().toList();
    }

    /**
     * An alert.
     *
     * @param silenced whether a silence covers it now; the end of an alert is delivered all the
     *     same
     */
    static AlertItem alert(Alert alert, boolean silenced) {
        Alert.Acknowledgement by = alert.acknowledged();
        AlertSubject subject = alert.subject();
        return new AlertItem(
                alert.id().toString(),
                alert.isFiring() ? "firing" : "resolved",
                alert.rule().toString(),
                alert.alert(),
                alert.severity().label(),
                alert.expr(),
                subject.kind().label(),
                subject.id().toString(),
                subject.name(),
                text(subject.vmOrOwner()),
                text(subject.hostOrOwner()),
                alert.labels(),
                alert.annotations(),
                alert.value(),
                alert.since().toString(),
                alert.firedAt().toString(),
                alert.members(),
                alert.resolvedAt() == null ? null : alert.resolvedAt().toString(),
                alert.resolution() == null ? null : alert.resolution().label(),
                alert.isFiring() && silenced,
                by == null
                        ? null
                        : new AcknowledgedItem(by.by(), by.at().toString(), by.comment()));
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }

    static SilenceItem silence(Silence silence) {
        return new SilenceItem(
                silence.id().toString(),
                silence.matchers().stream()
                        .map(each -> new MatcherItem(each.label(), each.value(), each.equal()))
                        .toList(),
                silence.startsAt().toString(),
                silence.endsAt().toString(),
                silence.author(),
                silence.comment());
    }

    /** In one sentence: number of firings, period, and objects. */
    private static String text(RuleBackTest.Answer answer) {
        Duration span = Duration.between(answer.from(), answer.to());
        String text =
                "would have fired %d %s in %s"
                        .formatted(
                                answer.fired(),
                                answer.fired() == 1 ? "time" : "times",
                                span.toDays() > 1
                                        ? span.toDays() + " days"
                                        : AlertExpression.text(span));
        Map<String, Long> places =
                answer.intervals().stream()
                        .collect(
                                Collectors.groupingBy(
                                        each -> each.subject().name(),
                                        LinkedHashMap::new,
                                        Collectors.counting()));
        if (places.isEmpty()) {
            return text;
        }
        return text
                + ", here: "
                + places.entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .limit(PLACES)
                        .map(each -> each.getKey() + " (" + each.getValue() + ")")
                        .collect(Collectors.joining(", "))
                + (places.size() > PLACES ? " and %d more".formatted(places.size() - PLACES) : "");
    }

    static BackTestItem backTest(RuleBackTest.Answer answer) {
        return new BackTestItem(
                text(answer),
                answer.fired(),
                answer.from().toString(),
                answer.to().toString(),
                answer.step().toString(),
                answer.coarsest().toString(),
                answer.objects(),
                answer.leftOut(),
                answer.intervals().stream()
                        .map(each ->
                                new FiredItem(
                                        each.subject().kind().label(),
                                        each.subject().id().toString(),
                                        each.subject().name(),
                                        each.from().toString(),
                                        each.until() == null ? null : each.until().toString(),
                                        each.members()))
                        .toList());
    }
}
