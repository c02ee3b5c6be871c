package org.stillwater.server.api.regression;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Coincidence;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.regression.FindingNames;

/** Findings as records that Jackson writes. Any thread. */
final class FindingJson {

    private static final double MILLIS_PER_HOUR = 3_600_000;

    private final FindingNames names;

    FindingJson(FleetReader fleet) {
        names = new FindingNames(fleet);
    }

    /** One page of findings. */
    record FindingList(List<FindingItem> items, int total) {}

    /** A finding. */
    record FindingItem(
            String id,
            String state,
            String level,
            String object,
            String objectName,
            @Nullable String vmId,
            @Nullable String hostId,
            @Nullable String clusterId,
            String text,
            String begin,
            String earliest,
            String latest,
            String detectedAt,
            @Nullable String endedAt,
            @Nullable String ending,
            int memberCount,
            int vms,
            List<ChangeItem> changes,
            List<CoincidenceItem> coincidences,
            @Nullable AcknowledgedItem acknowledged,
            @Nullable String silencedUntil) {}

    /** Metric that became worse. */
    record ChangeItem(
            String metric,
            String unit,
            double changePercent,
            double lowPercent,
            double highPercent,
            double confidence,
            double before,
            double after,
            double impact,
            String impactUnit) {}

    /** A recorded change near the begin. */
    record CoincidenceItem(String kind, String text, String at, double share) {}

    /** Which user knows of it. */
    record AcknowledgedItem(String by, String at, String comment) {}

    /** A finding with its members and points. */
    record FindingDetails(
            FindingItem finding, List<MemberItem> members, List<EvidenceItem> evidence) {}

    /** An object that changed. */
    record MemberItem(String object, String name) {}

    /** Points of a member. */
    record EvidenceItem(
            String metric,
            String unit,
            String object,
            String name,
            String first,
            String step,
            int begin,
            List<@Nullable Double> values,
            List<String> times,
            List<MarkItem> marks,
            int readBack) {}

    /** A restart or migration of the object, before the point of the position. */
    record MarkItem(long position, String kind) {}

    FindingNames names() {
        return names;
    }

    FindingItem item(Finding finding, Instant now) {
        VmId vm = names.vm(finding.where());
        HostId host = names.host(finding.where());
        ClusterId cluster = names.cluster(finding.where());
        Finding.Acknowledgement by = finding.acknowledged();
        return new FindingItem(
                finding.id().toString(),
                finding.isOpen() ? "open" : "ended",
                finding.where().level(),
                finding.where().name(),
                names.of(finding.where()),
                text(vm),
                text(host),
                text(cluster),
                sentence(finding),
                finding.begin().toString(),
                finding.earliest().toString(),
                finding.latest().toString(),
                finding.detectedAt().toString(),
                text(finding.endedAt()),
                finding.ending() == null ? null : finding.ending().label(),
                finding.memberCount(),
                finding.vms(),
                finding.changes().stream()
                        .map(change -> change(change, finding.lasted(now)))
                        .toList(),
                finding.coincidences().stream().map(FindingJson::coincidence).toList(),
                by == null ? null : new AcknowledgedItem(by.by(), by.at().toString(), by.comment()),
                text(finding.silencedUntil()));
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }

    private static ChangeItem change(Finding.Change change, Duration lasted) {
        RegressionMetric.Unit unit = change.metric().unit();
        return new ChangeItem(
                change.metric().label(),
                unit.label(),
                percent(change.relativeChange()),
                percent(change.low()),
                percent(change.high()),
                change.confidence(),
                change.before(),
                change.after(),
                change.perHour() * lasted.toMillis() / MILLIS_PER_HOUR,
                unit.impactLabel());
    }

    /** With one decimal. */
    private static double percent(double relative) {
        return Math.round(relative * 1_000) / 10.0;
    }

    private static CoincidenceItem coincidence(Coincidence coincidence) {
        return new CoincidenceItem(
                coincidence.kind().label(),
                coincidence.text(),
                coincidence.at().toString(),
                coincidence.share());
    }

    private String sentence(Finding finding) {
        Finding.Change first = finding.changes().getFirst();
        String text =
                String.format(
                        Locale.ROOT,
                        "%s: %s changed by %+.0f %% at %s (members: %d, affected VMs: %d).",
                        names.of(finding.where()),
                        first.metric().label(),
                        100 * first.relativeChange(),
                        finding.begin(),
                        finding.memberCount(),
                        finding.vms());
        return finding.coincidences().isEmpty()
                ? text
                : text
                        + " It coincides with: "
                        + finding.coincidences().getFirst().text()
                        + ". A coincidence is no proof.";
    }

    /**
     * A finding with members and points.
     *
     * @param measuredSince start of this life of the engine; an earlier one measured older points
     */
    FindingDetails details(Finding finding, Instant now, Instant measuredSince) {
        return new FindingDetails(
                item(finding, now),
                finding.members().stream()
                        .map(member ->
                                new MemberItem(member, names.of(names.member(finding, member))))
                        .toList(),
                finding.evidence().stream()
                        .map(each -> evidence(finding, each, measuredSince))
                        .toList());
    }

    private EvidenceItem evidence(
            Finding finding, Finding.Evidence evidence, Instant measuredSince) {
        return new EvidenceItem(
                evidence.metric().label(),
                evidence.metric().unit().label(),
                evidence.member(),
                member(evidence.metric(), evidence.member()),
                evidence.first().toString(),
                finding.interval().toString(),
                begin(finding, evidence),
                evidence.values(),
                evidence.times().stream().map(Instant::toString).toList(),
                evidence.marks().stream()
                        .map(mark -> new MarkItem(mark.index(), mark.kind().label()))
                        .toList(),
                readBack(finding, evidence, measuredSince));
    }

    /** Number of points, from the first on, of earlier lives; runs of benchmarks are no series. */
    private static int readBack(Finding finding, Finding.Evidence evidence, Instant measuredSince) {
        if (!evidence.times().isEmpty()) {
            return 0;
        }
        long before =
                Duration.between(evidence.first(), measuredSince).dividedBy(finding.interval());
        return Math.clamp(before, 0, evidence.values().size());
    }

    /** Position of the first point after the begin. */
    private static int begin(Finding finding, Finding.Evidence evidence) {
        return evidence.times().isEmpty()
                ? (int)
                        Duration.between(evidence.first(), finding.begin())
                                .dividedBy(finding.interval())
                : (int)
                        evidence.times().stream()
                                .filter(time -> time.isBefore(finding.begin()))
                                .count();
    }

    private String member(RegressionMetric metric, String member) {
        return names.of(new SeriesOwner.Shared(FindingNames.level(metric), member));
    }

    /** Clusters of the object; of its members, if it is in none, as a storage domain is. */
    Set<ClusterId> clusters(Finding finding) {
        ClusterId own = names.clusterOf(finding.where());
        if (own != null) {
            return Set.of(own);
        }
        Set<ClusterId> all = new HashSet<>();
        for (String member : finding.members()) {
            ClusterId cluster = names.clusterOf(names.member(finding, member));
            if (cluster != null) {
                all.add(cluster);
            }
        }
        return all;
    }
}
