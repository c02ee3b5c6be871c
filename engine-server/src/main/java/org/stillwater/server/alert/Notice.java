package org.stillwater.server.alert;

import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.regression.Finding;

/**
 * That a finding began or ended, in the words of its time: it outlives its objects.
 *
 * @param id of the finding
 * @param level kind of its object
 * @param object its object in words
 * @param metric what changed most
 * @param summary a sentence
 * @param begin when it began
 * @param end when it ended, null while it lasts
 * @param ending why it ended, empty while it lasts
 */
record Notice(
        UUID id,
        String level,
        String object,
        String metric,
        String summary,
        String begin,
        @Nullable String end,
        String ending) {

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
        return new Notice(
                finding.id(),
                finding.where().level(),
                object,
                first.metric().label(),
                finding.coincidences().isEmpty()
                        ? summary
                        : summary + "; coincides with: " + finding.coincidences().getFirst().text(),
                finding.begin().toString(),
                finding.endedAt() == null ? null : finding.endedAt().toString(),
                finding.ending() == null ? "" : finding.ending().label());
    }
}
