package org.stillwater.monitoring.explain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.explain.GroupExplanation.Group;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostProvenance;
import org.stillwater.monitoring.write.BatchWriter;

/** Explains the values of one host as of one moment. Used for one explanation. */
final class HostExplainer {

    private final HostId id;
    private final HostProvenance provenance;
    private final Moment moment;
    private final @Nullable Delay ofDatabase;
    private final List<Delay> delays;

    HostExplainer(BatchWriter writer, HostMonitor monitor, Moment moment) {
        this.id = monitor.id();
        this.provenance = monitor.provenance();
        this.moment = moment;
        this.ofDatabase = HostDelays.ofDatabase(writer.durability(id), moment);
        this.delays = HostDelays.of(provenance, moment, true);
    }

    List<GroupExplanation> groups() {
        return List.of(defined(), decided(), reported(), counted(), vms());
    }

    private static GroupExplanation defined() {
        return new GroupExplanation(
                Group.DEFINED,
                null,
                null,
                null,
                null,
                List.of(),
                "These values are defined: an administrator changes them, the host does not report"
                        + " them.");
    }

    private GroupExplanation decided() {
        Instant since = provenance.state().since();
        boolean durable = ofDatabase == null;
        long committed = provenance.committedEpochMillis();
        ChangeTrace change =
                new ChangeTrace(
                        committed == 0 && durable
                                ? ChangeTrace.Cause.DATABASE
                                : ChangeTrace.Cause.HOST,
                        id,
                        provenance.name(),
                        provenance.state().revision(),
                        since,
                        since,
                        since,
                        durable && committed != 0 ? Instant.ofEpochMilli(committed) : null,
                        durable);
        List<Delay> behind = ofDatabase == null ? List.of() : List.of(ofDatabase);
        return new GroupExplanation(
                Group.DECIDED,
                null,
                null,
                null,
                change,
                behind,
                VmExplainer.sentences(
                        "The engine decides these values by the answers, and the silence, of the"
                                + " host. Its status is the same since "
                                + since
                                + ".",
                        behind));
    }

    private GroupExplanation reported() {
        long millis = provenance.capabilitiesEpochMillis();
        Instant at = millis == 0 ? null : Instant.ofEpochMilli(millis);
        List<Delay> all = new ArrayList<>(at == null ? delays : silence());
        if (ofDatabase != null) {
            all.add(ofDatabase);
        }
        return group(
                Group.REPORTED,
                ReportTrace.Kind.CAPABILITIES,
                at,
                null,
                at == null
                        ? "The host has not reported its capabilities since the engine started;"
                                + " they are those of the database."
                        : "The host reported its capabilities %s. The engine reads them at every connection and when they may have changed."
                                .formatted(moment.ago(at)),
                all);
    }

    /** Capabilities are read at events: a late poll does not concern them. */
    private List<Delay> silence() {
        return delays.stream()
                .filter(delay ->
                        delay.code() != Delay.Code.POLL_LATE
                                && delay.code() != Delay.Code.MAILBOX_BEHIND)
                .toList();
    }

    private GroupExplanation counted() {
        Instant at = provenance.statisticsAt();
        return group(
                Group.COUNTED,
                ReportTrace.Kind.STATISTICS,
                at,
                null,
                at == null
                        ? "The host has not reported statistics since the engine started."
                        : "The host reported its statistics %s.".formatted(moment.ago(at)),
                delays);
    }

    private GroupExplanation vms() {
        Instant at = provenance.polledAt();
        return group(
                Group.VMS,
                ReportTrace.Kind.POLL,
                at,
                at == null ? null : moment.at(provenance.pollRequestedNanos()),
                at == null
                        ? "The host has answered no complete poll since the engine started."
                        : "The host listed all its VMs by a complete poll that arrived %s; events report changes in between."
                                .formatted(moment.ago(moment.at(provenance.pollReceivedNanos()))),
                delays);
    }

    private GroupExplanation group(
            Group group,
            ReportTrace.Kind kind,
            @Nullable Instant at,
            @Nullable Instant requested,
            String text,
            List<Delay> why) {
        ReportTrace report =
                at == null
                        ? null
                        : new ReportTrace(
                                kind,
                                id,
                                provenance.name(),
                                null,
                                requested,
                                requested == null
                                        ? null
                                        : moment.at(provenance.pollReceivedNanos()),
                                at);
        return new GroupExplanation(
                group, at, null, report, null, why, VmExplainer.sentences(text, why));
    }
}
