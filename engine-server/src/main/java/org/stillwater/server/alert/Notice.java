package org.stillwater.server.alert;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.regression.Finding;

/**
 * That a finding or an alert of a rule began or ended, in the words of its time: it outlives its
 * objects.
 *
 * @param id of the finding or alert
 * @param name of the alert
 * @param labels that identify it
 * @param annotations that describe it
 * @param begin when it began: the condition of an alert holds since then
 * @param fired when a finding began, or an alert fired
 * @param end when it ended, null while it lasts
 * @param path of the finding or alert at this engine
 */
record Notice(
        UUID id,
        String name,
        Map<String, String> labels,
        Map<String, String> annotations,
        String begin,
        String fired,
        @Nullable String end,
        String path) {

    private static final String REGRESSION = "StillwaterRegression";

    static Notice of(Finding finding, String object) {
        Finding.Change first = finding.changes().getFirst();
        String summary =
                String.format(
                        Locale.ROOT,
                        "%s: %s changed by %+.0f %% (members: %d, affected VMs: %d)",
                        object,
                        first.metric().label(),
                        100 * first.relativeChange(),
                        finding.memberCount(),
                        finding.vms());
        if (!finding.coincidences().isEmpty()) {
            summary += "; coincides with: " + finding.coincidences().getFirst().text();
        }
        return new Notice(
                finding.id(),
                REGRESSION,
                Map.of(
                        "alertname",
                        REGRESSION,
                        "finding",
                        finding.id().toString(),
                        "level",
                        finding.where().level(),
                        "object",
                        object,
                        "metric",
                        first.metric().label(),
                        "severity",
                        "warning"),
                Map.of(
                        "summary",
                        summary,
                        "ending",
                        finding.ending() == null ? "" : finding.ending().label()),
                finding.begin().toString(),
                finding.begin().toString(),
                finding.endedAt() == null ? null : finding.endedAt().toString(),
                "/api/v1/findings/" + finding.id());
    }

    static Notice of(Alert alert) {
        Map<String, String> annotations = new TreeMap<>(alert.annotations());
        annotations.putIfAbsent("summary", alert.subject().name() + ": " + alert.expr());
        annotations.put("expr", alert.expr());
        if (alert.value() != null) {
            annotations.put("value", alert.value().toString());
        }
        annotations.put("ending", alert.resolution() == null ? "" : alert.resolution().label());
        return new Notice(
                alert.id(),
                alert.alert(),
                alert.labels(),
                annotations,
                alert.since().toString(),
                alert.firedAt().toString(),
                alert.resolvedAt() == null ? null : alert.resolvedAt().toString(),
                "/api/v1/alerts/" + alert.id());
    }
}
