package org.stillwater.monitoring.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.explain.Delay.Code;
import org.stillwater.monitoring.explain.GroupExplanation.Group;
import org.stillwater.monitoring.host.Fleet;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostProvenance;
import org.stillwater.monitoring.vm.ParkedReport;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmProvenance;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.write.BatchWriter;

/** Explains the values of one VM as of one moment. Used for one explanation. */
final class VmExplainer {

    private final Fleet fleet;
    private final VmManager vm;
    private final Moment moment;
    private final VmState state;
    private final VmProvenance provenance;
    private final @Nullable HostProvenance host;
    private final boolean detailed;
    private final @Nullable Delay ofDatabase;

    VmExplainer(
            Fleet fleet,
            BatchWriter writer,
            VmManager vm,
            Moment moment,
            Predicate<HostId> detailed) {
        this.fleet = fleet;
        this.vm = vm;
        this.moment = moment;
        this.state = vm.state();
        this.provenance = vm.provenance();
        HostId responsible = state.placement().runOn();
        HostMonitor monitor = responsible == null ? null : fleet.monitor(responsible);
        this.host = monitor == null ? null : monitor.provenance();
        this.detailed = responsible != null && detailed.test(responsible);
        this.ofDatabase = HostDelays.ofDatabase(writer.durability(vm.id()), moment);
    }

    List<GroupExplanation> groups() {
        return List.of(defined(), decided(), reported(), counted());
    }

    private static GroupExplanation defined() {
        return new GroupExplanation(
                Group.DEFINED,
                null,
                null,
                null,
                null,
                List.of(),
                "These values are defined: an operation changes them, no host reports them.");
    }

    private GroupExplanation decided() {
        ChangeTrace change = change();
        List<Delay> delays = ofDatabase == null ? List.of() : List.of(ofDatabase);
        return new GroupExplanation(
                Group.DECIDED,
                null,
                null,
                null,
                change,
                delays,
                sentences("The engine decides these values. " + changed(change), delays));
    }

    private GroupExplanation reported() {
        VmProvenance.Report report = provenance.report();
        List<Delay> delays = new ArrayList<>(delaysOfReports());
        boolean atHost = state.placement().runOn() != null;
        Instant decoded =
                report == null ? null : Instant.ofEpochMilli(provenance.decodedEpochMillis());
        if (delays.isEmpty() && atHost && decoded != null && host != null) {
            notMentioned(decoded, host, delays);
        }
        if (ofDatabase != null) {
            delays.add(ofDatabase);
        }
        ChangeTrace change = change();
        Long all = provenance.confirmedNanos();
        String text;
        if (report == null) {
            text =
                    "No host has reported the VM since the engine started; the values are those of"
                            + " the database.";
        } else {
            text = from(report) + (atHost ? "" : " The VM does not run, so they stay as they are.");
        }
        return new GroupExplanation(
                Group.REPORTED,
                decoded,
                all == null ? null : moment.at(all),
                report == null || decoded == null ? null : trace(report, decoded),
                change,
                delays,
                sentences(text + " " + changed(change), delays));
    }

    private String from(VmProvenance.Report report) {
        Instant received = moment.at(report.receivedNanos());
        return report.poll()
                ? "Host %s reported these values by a complete poll that arrived %s."
                        .formatted(label(report.host()), moment.ago(received))
                : "Host %s reported some of these values by an event that arrived %s; it reported the others before."
                        .formatted(label(report.host()), moment.ago(received));
    }

    private ReportTrace trace(VmProvenance.Report report, Instant decoded) {
        return new ReportTrace(
                report.poll() ? ReportTrace.Kind.POLL : ReportTrace.Kind.EVENT,
                report.host(),
                nameOf(report.host()),
                report.stampMillis() == VmReport.NO_STAMP ? null : (Long) report.stampMillis(),
                report.poll() ? moment.at(report.requestedNanos()) : null,
                moment.at(report.receivedNanos()),
                decoded);
    }

    /** Why no newer report of the VM counts; empty if its reports arrive in time. */
    private List<Delay> delaysOfReports() {
        List<Delay> delays = new ArrayList<>(2);
        locked(delays);
        if (state.placement().runOn() == null) {
            return delays;
        }
        if (host == null) {
            delays.add(
                    new Delay(
                            Code.HOST_NOT_WATCHED,
                            null,
                            "The VM's host is not known any more.",
                            "Another host reports the VM."));
            return delays;
        }
        delays.addAll(HostDelays.of(host, moment, detailed));
        if (provenance.report() == null) {
            delays.add(
                    new Delay(
                            Code.NOT_REPORTED,
                            null,
                            "No host has reported the VM since the engine started.",
                            "Host %s answers its first complete poll.".formatted(host.name())));
        } else if (state.runtime().status() == VmStatus.MIGRATING_TO) {
            delays.add(
                    new Delay(
                            Code.ARRIVING,
                            moment.at(provenance.changedNanos()),
                            "The VM arrives at host %s, which reports its values once it runs there."
                                    .formatted(host.name()),
                            "The migration ends."));
        } else if (state.runtime().status() == VmStatus.UNKNOWN && delays.isEmpty()) {
            delays.add(
                    new Delay(
                            Code.AWAITED,
                            moment.at(provenance.changedNanos()),
                            "Host %s does not run the VM any more, and no host has reported it since."
                                    .formatted(host.name()),
                            "A host reports the VM."));
        }
        return delays;
    }

    private void locked(List<Delay> delays) {
        if (provenance.parked().isEmpty()) {
            return;
        }
        ParkedReport newest = provenance.parked().getLast();
        Instant received = moment.at(newest.receivedNanos());
        delays.add(
                new Delay(
                        Code.VM_LOCKED,
                        received,
                        "%s the VM; a report of host %s that arrived %s waits until it ends."
                                .formatted(
                                        provenance.held()
                                                ? "An operation holds"
                                                : "A command locks",
                                        label(newest.source().reporter()),
                                        moment.ago(received)),
                        "The operation ends; GET /api/v1/operations?vm="
                                + vm.id()
                                + " lists those under way."));
    }

    /** The host answers in time, and its answers do not contain this VM. */
    private void notMentioned(Instant decoded, HostProvenance there, List<Delay> delays) {
        Duration age = Duration.between(decoded, moment.now());
        if (age.compareTo(there.interval().multipliedBy(2)) > 0) {
            delays.add(
                    new Delay(
                            Code.NOT_MENTIONED,
                            decoded,
                            "Host %s answers its polls, but no report of the VM has counted since %s."
                                    .formatted(there.name(), decoded),
                            "The next complete poll decides; POST /api/v1/hosts/%s/refresh requests one now."
                                    .formatted(there.state().definition().id())));
        }
    }

    private GroupExplanation counted() {
        long millis = vm.observedEpochMillis();
        Instant observed = millis == 0 ? null : Instant.ofEpochMilli(millis);
        List<Delay> delays = new ArrayList<>();
        if (!state.runtime().status().isRunningOrPaused()) {
            delays.add(
                    new Delay(
                            Code.NOT_RUNNING,
                            null,
                            "The VM is in status %s, in which no host measures it."
                                    .formatted(word(state.runtime().status())),
                            "The VM runs."));
        } else {
            delays.addAll(delaysOfReports());
            if (delays.isEmpty() && observed != null && host != null) {
                notMentioned(observed, host, delays);
            }
        }
        VmProvenance.Report report = provenance.report();
        boolean ofReport = report != null && millis == provenance.decodedEpochMillis();
        String text =
                observed == null
                        ? "No host has measured the VM since the engine started."
                        : "The newest measurement of the VM was decoded %s%s."
                                .formatted(
                                        moment.ago(observed),
                                        ofReport && report != null
                                                ? "; host %s sent it"
                                                        .formatted(label(report.host()))
                                                : "");
        return new GroupExplanation(
                Group.COUNTED,
                observed,
                null,
                observed == null
                        ? null
                        : ofReport && report != null
                                ? trace(report, observed)
                                : new ReportTrace(
                                        ReportTrace.Kind.SAMPLE,
                                        null,
                                        null,
                                        null,
                                        null,
                                        null,
                                        observed),
                null,
                delays,
                sentences(text, delays));
    }

    private ChangeTrace change() {
        boolean tracked = provenance.everChanged();
        HostId by = tracked ? provenance.changedBy() : null;
        Instant applied = tracked ? moment.at(provenance.changedNanos()) : null;
        boolean durable = ofDatabase == null;
        long committed = provenance.committedEpochMillis();
        return new ChangeTrace(
                !tracked
                        ? ChangeTrace.Cause.DATABASE
                        : by == null ? ChangeTrace.Cause.COMMAND : ChangeTrace.Cause.HOST,
                by,
                nameOf(by),
                state.revision(),
                moment.at(state.observedNanos()),
                applied,
                applied == null ? state.observedAt() : applied,
                durable && tracked && committed != 0 ? Instant.ofEpochMilli(committed) : null,
                durable);
    }

    private String changed(ChangeTrace change) {
        String when = moment.ago(change.publishedAt());
        return switch (change.cause()) {
            case DATABASE ->
                    "The state is that of the database, read %s, and has not changed since."
                            .formatted(when);
            case COMMAND -> "An operation changed the state last, %s.".formatted(when);
            case HOST ->
                    "A report of host %s changed the state last, %s."
                            .formatted(label(change.host()), when);
        };
    }

    static String sentences(String first, List<Delay> delays) {
        StringJoiner all = new StringJoiner(" ");
        all.add(first.strip());
        for (Delay delay : delays) {
            all.add(delay.text());
        }
        return all.toString();
    }

    private String label(@Nullable HostId id) {
        String name = nameOf(id);
        return name != null ? name : id == null ? "unknown" : id.toString();
    }

    private @Nullable String nameOf(@Nullable HostId id) {
        HostMonitor monitor = id == null ? null : fleet.monitor(id);
        return monitor == null ? null : monitor.state().definition().name();
    }

    private static String word(VmStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }
}
