package org.stillwater.server.alert;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Alerts in version 4 of the format that Prometheus' Alertmanager sends to webhooks.
 *
 * @param version of the format
 * @param groupKey names the group of alerts
 * @param truncatedAlerts alerts that are left out
 * @param status {@code firing} if any alert fires, else {@code resolved}
 * @param receiver name of the receiver
 * @param groupLabels labels that the alerts are grouped by
 * @param commonLabels labels that all alerts have
 * @param commonAnnotations annotations that all alerts have
 * @param externalURL where people reach the sender
 * @param alerts the alerts
 */
record WebhookBody(
        String version,
        String groupKey,
        int truncatedAlerts,
        String status,
        String receiver,
        Map<String, String> groupLabels,
        Map<String, String> commonLabels,
        Map<String, String> commonAnnotations,
        String externalURL,
        List<Alert> alerts) {

    /** End time that the format has for an alert that still fires. */
    private static final String NO_END = "0001-01-01T00:00:00Z";

    /** The label that alerts are grouped by. */
    private static final String NAME = "alertname";

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final int SEPARATOR = 0xff;

    private static final String FIRING = "firing";
    private static final String RESOLVED = "resolved";

    /**
     * An alert.
     *
     * @param status {@code firing} or {@code resolved}
     * @param labels identify it; without empty ones, which the format does not have
     * @param annotations describe it
     * @param startsAt when it fired, as Prometheus sends it
     * @param endsAt end; the year 1 while it fires
     * @param generatorURL where it comes from
     * @param fingerprint identity of the labels, by which receivers recognize an alert that fires
     *     again
     */
    record Alert(
            String status,
            Map<String, String> labels,
            Map<String, String> annotations,
            String startsAt,
            String endsAt,
            String generatorURL,
            String fingerprint) {}

    static WebhookBody of(List<Notice> notices, String engine) {
        List<Alert> alerts = notices.stream().map(each -> alert(each, engine)).toList();
        boolean fires = alerts.stream().anyMatch(alert -> alert.status().equals(FIRING));
        String first = notices.getFirst().name();
        boolean alike = notices.stream().allMatch(each -> each.name().equals(first));
        return new WebhookBody(
                "4",
                alike ? "{}:{" + NAME + "=" + quoted(first) + "}" : "{}:{}",
                0,
                fires ? FIRING : RESOLVED,
                "stillwater",
                alike ? Map.of(NAME, first) : Map.of(),
                common(alerts, Alert::labels),
                common(alerts, Alert::annotations),
                engine,
                alerts);
    }

    /** The texts that all alerts have with the same value. */
    private static Map<String, String> common(
            List<Alert> alerts, Function<Alert, Map<String, String>> texts) {
        Map<String, String> common = new TreeMap<>(texts.apply(alerts.getFirst()));
        alerts.forEach(each -> common.entrySet().retainAll(texts.apply(each).entrySet()));
        return common;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static Alert alert(Notice notice, String engine) {
        String end = notice.end();
        Map<String, String> labels = new TreeMap<>(notice.labels());
        labels.values().removeIf(String::isEmpty);
        return new Alert(
                end == null ? FIRING : RESOLVED,
                labels,
                notice.annotations(),
                notice.fired(),
                end == null ? NO_END : end,
                engine.isEmpty() ? "" : engine + notice.path(),
                fingerprint(labels));
    }

    /** As Prometheus makes it: FNV-1a of names and values, each followed by a byte of ones. */
    static String fingerprint(Map<String, String> labels) {
        long[] hash = {FNV_OFFSET};
        new TreeMap<>(labels)
                .forEach((name, value) -> {
                    for (String part : List.of(name, value)) {
                        for (byte each : part.getBytes(StandardCharsets.UTF_8)) {
                            hash[0] = (hash[0] ^ (each & SEPARATOR)) * FNV_PRIME;
                        }
                        hash[0] = (hash[0] ^ SEPARATOR) * FNV_PRIME;
                    }
                });
        return "%016x".formatted(hash[0]);
    }
}
