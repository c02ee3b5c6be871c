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
 * @param subject what it is about
 * @param labels the rule's and the engine's
 * @param annotations the rule's
 * @param value the value when it fired; null if it had none
 * @param since when the condition began to hold
 * @param firedAt when it fired
 * @param members objects that it stands for
 * @param resolvedAt when it ended; null while it fires
 * @param resolution why it ended; null while it fires
 * @param acknowledged which user knows of it; null for none
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
        @Nullable Acknowledgement acknowledged) {

    /** Which user knows of an alert. */
    public record Acknowledgement(String by, Instant at, String comment) {}

    public Alert {
        labels = java.util.Collections.unmodifiableMap(new TreeMap<>(labels));
        annotations = java.util.Collections.unmodifiableMap(new TreeMap<>(annotations));
    }

    /** An alert that fires now. */
    public static Alert fired(
            AlertRule rule,
            AlertSubject subject,
            double value,
            Instant since,
            Instant now,
            int of) {
        Map<String, String> labels = new TreeMap<>(rule.labels());
        labels.put("alertname", rule.alert());
        labels.put("severity", rule.severity().label());
        labels.put("kind", subject.kind().label());
        labels.put("object", subject.name());
        labels.put("objectId", subject.id().toString());
        String identity = rule.id() + "/" + subject.kind().label() + "/" + subject.id() + "/" + now;
        return new Alert(
                UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8)),
                rule.id(),
                rule.alert(),
                rule.severity(),
                rule.expr(),
                subject,
                labels,
                rule.annotations(),
                Double.isNaN(value) ? null : value,
                since,
                now,
                of,
                null,
                null,
                null);
    }

    /** Whether it fires. */
    public boolean isFiring() {
        return resolvedAt == null;
    }

    /** The same, ended. */
    public Alert resolved(Instant at, AlertResolution why) {
        return with(members, at, why, acknowledged);
    }

    /** The same about more objects. */
    public Alert of(int count) {
        return with(count, resolvedAt, resolution, acknowledged);
    }

    /** The same with what a user says; null takes it back. */
    public Alert acknowledged(@Nullable Acknowledgement by) {
        return with(members, resolvedAt, resolution, by);
    }

    /** The same, with what may change of an alert. */
    private Alert with(
            int count,
            @Nullable Instant endedAt,
            @Nullable AlertResolution why,
            @Nullable Acknowledgement by) {
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
                by);
    }
}
