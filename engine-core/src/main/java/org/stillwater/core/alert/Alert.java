package org.stillwater.core.alert;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An alert that fired, in the words of that time: it outlives its object and its rule.
 *
 * @param id identity, made from rule, object and begin
 * @param rule the rule's id
 * @param alert the rule's name
 * @param severity the rule's
 * @param expr the rule's condition
 * @param subject subject of the alert
 * @param labels the rule's, with the values of this alert, and the engine's
 * @param annotations the rule's, with the values of this alert
 * @param value the value when it fired; null if it had none
 * @param since when the condition began to hold
 * @param firedAt when it fired
 * @param members objects that it stands for
 * @param resolvedAt when it ended; null while it fires
 * @param resolution why it ended; null while it fires
 * @param acknowledged which user knows of it; null for none
 * @param delivered by receiver, whether the newest notice that it took was about the begin; without
 *     receivers that took none
 */
public record Alert(
        UUID id,
        UUID rule,
        String alert,
        AlertSeverity severity,
        String expr,
        AlertSubject subject,
        Map<String, String> labels,
        Map<String, String> annotations,
        @Nullable Double value,
        Instant since,
        Instant firedAt,
        int members,
        @Nullable Instant resolvedAt,
        @Nullable AlertResolution resolution,
        @Nullable Acknowledgement acknowledged,
        Map<String, Boolean> delivered) {

    /** Which user knows of an alert. */
    public record Acknowledgement(String by, Instant at, String comment) {}

    public Alert {
        labels = java.util.Collections.unmodifiableMap(new TreeMap<>(labels));
        annotations = java.util.Collections.unmodifiableMap(new TreeMap<>(annotations));
        delivered = java.util.Collections.unmodifiableMap(new TreeMap<>(delivered));
    }

    /** An alert that fires now. */
    public static Alert fired(
            AlertRule rule,
            AlertSubject subject,
            double value,
            Instant since,
            Instant now,
            int of) {
        Map<String, String> labels = new TreeMap<>();
        labels.put("alertname", rule.alert());
        labels.put("severity", rule.severity().label());
        labels.put("kind", subject.kind().label());
        labels.put("object", subject.name());
        labels.put("objectId", subject.id().toString());
        Map<String, String> own = filled(rule.labels(), labels, value);
        own.forEach(labels::putIfAbsent);
        String identity = rule.id() + "/" + subject.kind().label() + "/" + subject.id() + "/" + now;
        return new Alert(
                UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8)),
                rule.id(),
                rule.alert(),
                rule.severity(),
                rule.expr(),
                subject,
                labels,
                filled(rule.annotations(), labels, value),
                Double.isNaN(value) ? null : value,
                since,
                now,
                of,
                null,
                null,
                null,
                Map.of());
    }

    private static Map<String, String> filled(
            Map<String, String> texts, Map<String, String> labels, double value) {
        Map<String, String> filled = new TreeMap<>(texts);
        filled.replaceAll((_, text) -> AlertTemplate.filled(text, labels, value));
        return filled;
    }

    /** Whether it fires. */
    public boolean isFiring() {
        return resolvedAt == null;
    }

    /** The same, ended. */
    public Alert resolved(Instant at, AlertResolution why) {
        return with(members, at, why, acknowledged, delivered);
    }

    /** The same about more objects. */
    public Alert of(int count) {
        return with(count, resolvedAt, resolution, acknowledged, delivered);
    }

    /** The same alert with a user's acknowledgement; null withdraws it. */
    public Alert acknowledged(@Nullable Acknowledgement by) {
        return with(members, resolvedAt, resolution, by, delivered);
    }

    /** The same, taken by a receiver: the notice of its begin, or that of its end. */
    public Alert delivered(String receiver, boolean begin) {
        Map<String, Boolean> next = new TreeMap<>(delivered);
        next.put(receiver, begin);
        return with(members, resolvedAt, resolution, acknowledged, next);
    }

    /** Whether a receiver took the notice of the begin and not that of the end. */
    public boolean isToBeEndedAt(String receiver) {
        return Boolean.TRUE.equals(delivered.get(receiver));
    }

    /** The same alert with new values of its changeable members. */
    private Alert with(
            int count,
            @Nullable Instant endedAt,
            @Nullable AlertResolution why,
            @Nullable Acknowledgement by,
            Map<String, Boolean> taken) {
        return new Alert(
                id,
                rule,
                alert,
                severity,
                expr,
                subject,
                labels,
                annotations,
                value,
                since,
                firedAt,
                count,
                endedAt,
                why,
                by,
                taken);
    }
}
