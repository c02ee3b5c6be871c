package org.stillwater.server.api.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.explain.ChangeTrace;
import org.stillwater.monitoring.explain.Delay;
import org.stillwater.monitoring.explain.Explainer.Explained;
import org.stillwater.monitoring.explain.GroupExplanation;
import org.stillwater.monitoring.explain.GroupExplanation.Group;
import org.stillwater.monitoring.explain.ReportTrace;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.Table;
import org.stillwater.server.api.web.Json;

/** Explanations as records that Jackson writes. */
final class ExplainJson {

    private ExplainJson() {}

    /** A VM. */
    record VmExplanation(
            String vmId,
            String vmName,
            String status,
            @Nullable String hostId,
            @Nullable String hostName,
            String at,
            boolean stale,
            boolean databaseBehind,
            String text,
            List<ExplainedGroup> items) {}

    /** A host. */
    record HostExplanation(
            String hostId,
            String hostName,
            String status,
            String at,
            boolean stale,
            boolean databaseBehind,
            String text,
            List<ExplainedGroup> items) {}

    /** Values that share one observation. */
    record ExplainedGroup(
            String group,
            List<String> values,
            @Nullable String observedAt,
            @Nullable String allObservedAt,
            @Nullable Double ageSeconds,
            @Nullable ExplainedReport report,
            @Nullable ExplainedChange change,
            boolean stale,
            boolean databaseBehind,
            String text,
            List<ExplainedDelay> delays) {}

    /** The report they come from. */
    record ExplainedReport(
            String kind,
            @Nullable String hostId,
            @Nullable String hostName,
            @Nullable Long hostStampMillis,
            @Nullable String requestedAt,
            @Nullable String receivedAt,
            String decodedAt) {}

    /** Their newest change. */
    record ExplainedChange(
            String cause,
            @Nullable String hostId,
            @Nullable String hostName,
            long revision,
            String observedAt,
            @Nullable String appliedAt,
            String publishedAt,
            @Nullable String committedAt,
            boolean durable) {}

    /** A reason for their age. */
    record ExplainedDelay(String code, @Nullable String since, String text, String remedy) {}

    static List<ExplainedGroup> groups(Explained explained, Table<?> table, boolean ofHost) {
        return explained.groups().stream()
                .map(group -> group(group, values(group.group(), table, ofHost), explained.at()))
                .toList();
    }

    /** The members of the object's JSON that belong to a group. */
    private static List<String> values(Group group, Table<?> table, boolean ofHost) {
        List<String> names =
                new ArrayList<>(
                        table.columns().stream()
                                .filter(column -> group(column.origin()) == group)
                                .map(Column::path)
                                .toList());
        if (ofHost) {
            switch (group) {
                case REPORTED -> names.addAll(List.of("capabilities", "hardware"));
                case VMS -> names.add("claims");
                case DEFINED, DECIDED, COUNTED -> {}
            }
        }
        return List.copyOf(names);
    }

    private static Group group(Column.Origin origin) {
        return switch (origin) {
            case DEFINED -> Group.DEFINED;
            case DECIDED -> Group.DECIDED;
            case REPORTED -> Group.REPORTED;
            case COUNTED -> Group.COUNTED;
        };
    }

    private static ExplainedGroup group(GroupExplanation group, List<String> values, Instant at) {
        Instant observed = group.observedAt();
        return new ExplainedGroup(
                Json.word(group.group()),
                values,
                text(observed),
                text(group.allObservedAt()),
                observed == null
                        ? null
                        : (Double) (Math.max(0, Duration.between(observed, at).toMillis()) / 1e3),
                report(group.report()),
                change(group.change()),
                group.stale(),
                group.databaseBehind(),
                group.text(),
                group.delays().stream().map(ExplainJson::delay).toList());
    }

    private static @Nullable ExplainedReport report(@Nullable ReportTrace trace) {
        return trace == null
                ? null
                : new ExplainedReport(
                        Json.word(trace.kind()),
                        text(trace.host()),
                        trace.hostName(),
                        trace.hostStampMillis(),
                        text(trace.requestedAt()),
                        text(trace.receivedAt()),
                        trace.decodedAt().toString());
    }

    private static @Nullable ExplainedChange change(@Nullable ChangeTrace trace) {
        return trace == null
                ? null
                : new ExplainedChange(
                        Json.word(trace.cause()),
                        text(trace.host()),
                        trace.hostName(),
                        trace.revision(),
                        trace.observedAt().toString(),
                        text(trace.appliedAt()),
                        trace.publishedAt().toString(),
                        text(trace.committedAt()),
                        trace.durable());
    }

    private static ExplainedDelay delay(Delay delay) {
        return new ExplainedDelay(
                Json.word(delay.code()), text(delay.since()), delay.text(), delay.remedy());
    }

    /** One sentence about all values. */
    static String summary(Explained explained) {
        StringJoiner stale = new StringJoiner(", ");
        for (GroupExplanation group : explained.groups()) {
            if (group.stale()) {
                stale.add(Json.word(group.group()));
            }
        }
        String memory =
                stale.length() == 0
                        ? "All values are as new as the cycle allows."
                        : "Values that are stale: " + stale + ".";
        return explained.groups().stream().anyMatch(GroupExplanation::databaseBehind)
                ? memory + " The database does not have the newest change yet."
                : memory;
    }

    static @Nullable String text(@Nullable Instant at) {
        return at == null ? null : at.toString();
    }

    static @Nullable String text(@Nullable HostId id) {
        return id == null ? null : id.toString();
    }
}
