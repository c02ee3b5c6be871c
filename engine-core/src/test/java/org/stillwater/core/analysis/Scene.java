package org.stillwater.core.analysis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/**
 * One VM and the reports of hosts about it, in the words of the scenario table (monitoring
 * specification §11): the VM is up on H1, not highly available, without an operation, unless a test
 * changes that.
 */
final class Scene {

    static final VmId VM = new VmId(1, 2);
    static final HostId H1 = new HostId(new UUID(0, 1));
    static final HostId H2 = new HostId(new UUID(0, 2));
    static final HostId H3 = new HostId(new UUID(0, 3));
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    static final String MAC = "56:6f:00:00:00:01";

    private VmRuntime runtime = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP);
    private VmPlacement placement =
            VmPlacement.on(H1)
                    .withRun(
                            new VmRun(
                                    7, NOW, null, "vm", null, null, "Skylake", "q35", false, null,
                                    null));
    private VmCommands commands = VmCommands.NONE;
    private boolean highlyAvailable;
    private boolean externalDataUnsaved;
    private final List<VmClaim> claims = new ArrayList<>();
    private boolean othersUnheard;
    private final Set<HostId> unwatched = new HashSet<>();
    private boolean overdue;
    private boolean polled = true;
    private final Set<HostId> nonResponsive = new HashSet<>();
    private final Set<HostId> outOfContact = new HashSet<>();
    private VmOutcome outcome = VmOutcome.Quiet.QUIET;

    /** A VM in this status on H1. */
    static Scene vm(VmStatus status) {
        Scene scene = new Scene();
        scene.runtime = scene.runtime.with(RuntimeField.STATUS, status);
        if (status.isNotRunning()) {
            scene.placement = scene.placement.withRunOn(null);
        }
        return scene;
    }

    /** A VM that migrates from H1 to H2. */
    static Scene migrating() {
        return vm(VmStatus.MIGRATING_FROM).migratingTo(H2);
    }

    static Scene paused(PauseStatus cause) {
        return vm(VmStatus.PAUSED).with(RuntimeField.PAUSE_STATUS, cause);
    }

    Scene with(RuntimeField field, Object value) {
        runtime = runtime.with(field, value);
        return this;
    }

    Scene on(HostId host) {
        placement = placement.withRunOn(host);
        return this;
    }

    Scene migratingTo(HostId host) {
        placement = placement.withMigratingTo(host);
        return this;
    }

    Scene waitedForBy(InFlight command) {
        commands = new VmCommands(command, commands.coldReboot(), commands.poweringOff());
        return this;
    }

    /** The engine ordered a host to run the VM, by its lease. */
    Scene toldToStartOn(HostId host) {
        commands = new VmCommands(InFlight.RUN, false, false, host);
        return this;
    }

    Scene toBeColdRebooted() {
        commands = new VmCommands(commands.inFlight(), true, commands.poweringOff());
        return this;
    }

    Scene poweredOffJustNow() {
        commands = new VmCommands(commands.inFlight(), commands.coldReboot(), true);
        return this;
    }

    Scene highlyAvailable() {
        highlyAvailable = true;
        return this;
    }

    Scene consoleHeldBy(String user) {
        placement = placement.withRun(placement.run().withConsoleUser(user, new UUID(5, 5)));
        return this;
    }

    Scene withUnsavedExternalData() {
        externalDataUnsaved = true;
        return this;
    }

    Scene afterLongWaiting() {
        overdue = true;
        return this;
    }

    Scene silent(HostId host) {
        nonResponsive.add(host);
        return outOfContact(host);
    }

    /** Nothing can be learned from the host now; it need not be silent for long. */
    Scene outOfContact(HostId host) {
        outOfContact.add(host);
        return this;
    }

    /** A host claims to run the VM; the claim is contested. */
    Scene claimedBy(HostId host, VmStatus status) {
        return claimedBy(host, runtime.with(RuntimeField.STATUS, status));
    }

    Scene claimedBy(HostId host, VmRuntime seen) {
        claims.add(new VmClaim(host, seen, false));
        return this;
    }

    /** A host claims to run the VM, and the responsible host has refused the claim. */
    Scene refusedTo(HostId host, VmStatus status) {
        claims.add(new VmClaim(host, runtime.with(RuntimeField.STATUS, status), true));
        return this;
    }

    /** From now on hosts report by events. */
    Scene byEvent() {
        polled = false;
        return this;
    }

    /** Other hosts must be heard before the end of the VM is believed. */
    Scene othersUnheard() {
        othersUnheard = true;
        return this;
    }

    /** The host is not asked any more. */
    Scene unwatched(HostId host) {
        unwatched.add(host);
        return silent(host);
    }

    /** The VM as the engine believes it to be now. */
    KnownVm known() {
        return new KnownVm(
                VM,
                new VmStatic(
                        "vm",
                        VmOrigin.OVIRT,
                        highlyAvailable,
                        2048,
                        1024,
                        1,
                        2,
                        1,
                        List.of(
                                new VmNic(new UUID(3, 1), "nic1", MAC, new UUID(4, 1), 1000),
                                new VmNic(
                                        new UUID(3, 2), "nic2", "56:6f:00:00:00:02", null, 1000))),
                runtime,
                placement,
                commands,
                externalDataUnsaved,
                claims);
    }

    AnalysisContext context(HostId reporter) {
        return new AnalysisContext(
                reporter,
                NOW,
                nonResponsive::contains,
                outOfContact::contains,
                unwatched::contains,
                overdue,
                () -> !othersUnheard,
                polled);
    }

    /** A host reports the VM as running; absent fields are unchanged, as in an event. */
    Scene says(HostId host, VmStatus status) {
        return says(host, seen -> seen.with(RuntimeField.STATUS, status));
    }

    Scene says(HostId host, UnaryOperator<VmRuntime> content) {
        return hears(new VmReport.Running(VM, 1, "vm", content.apply(runtime), null), host);
    }

    Scene saysPaused(HostId host, PauseStatus cause) {
        return says(
                host,
                seen ->
                        seen.with(RuntimeField.STATUS, VmStatus.PAUSED)
                                .with(RuntimeField.PAUSE_STATUS, cause));
    }

    Scene saysDown(HostId host, ExitStatus status, ExitReason reason) {
        return hears(new VmReport.Exited(VM, 1, status, reason, "msg"), host);
    }

    Scene saysMigratedAway(HostId host) {
        return saysDown(host, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);
    }

    /** A complete poll of H1 does not mention the VM. */
    Scene doesNotMention(HostId host) {
        return hears(new VmReport.Absent(VM), host);
    }

    Scene stopsAnswering(HostId host) {
        return take(VmAnalysis.hostLost(known(), context(host)));
    }

    /** The host was switched off, or has booted. */
    Scene isFenced(HostId host) {
        return take(VmAnalysis.hostFenced(known(), context(host)));
    }

    private Scene hears(VmReport report, HostId reporter) {
        return take(VmAnalysis.decide(known(), report, context(reporter)));
    }

    private Scene take(VmOutcome next) {
        outcome = next;
        if (next instanceof VmOutcome.Change change) {
            runtime = change.runtime();
            placement = change.placement();
            commands = change.commands();
            claims.removeIf(claim ->
                    placement.runOn() == null || claim.claimant().equals(placement.runOn()));
        }
        return this;
    }

    boolean isQuiet() {
        return outcome == VmOutcome.Quiet.QUIET;
    }

    boolean changedState() {
        return outcome instanceof VmOutcome.Change change && change.changesState();
    }

    VmRuntime runtime() {
        return runtime;
    }

    VmStatus status() {
        return runtime.status();
    }

    VmPlacement placement() {
        return placement;
    }

    HostId host() {
        return placement.runOn();
    }

    VmCommands commands() {
        return commands;
    }

    /** The rule that decided; null if nothing did. */
    VmRule rule() {
        return outcome instanceof VmOutcome.Change change ? change.rule() : null;
    }

    List<Decision> decisions() {
        return outcome instanceof VmOutcome.Change change ? change.decisions() : List.of();
    }

    List<AuditEvent> audited() {
        return decisions().stream()
                .filter(Decision.Audit.class::isInstance)
                .map(decision -> ((Decision.Audit) decision).event())
                .toList();
    }

    /** The value of one detail of the only audit event of this kind. */
    String told(AuditEvent event, String detail) {
        return decisions().stream()
                .filter(Decision.Audit.class::isInstance)
                .map(Decision.Audit.class::cast)
                .filter(audit -> audit.event() == event)
                .map(audit -> audit.details().get(detail))
                .findFirst()
                .orElse(null);
    }

    List<WorkKind> queued() {
        return decisions().stream()
                .filter(Decision.Queue.class::isInstance)
                .map(decision -> ((Decision.Queue) decision).work().kind())
                .toList();
    }

    List<Decision.Signal> signals() {
        return decisions().stream()
                .filter(Decision.Tell.class::isInstance)
                .map(decision -> ((Decision.Tell) decision).signal())
                .toList();
    }

    List<HostId> destroyed() {
        return decisions().stream()
                .filter(Decision.DestroyOnHost.class::isInstance)
                .map(decision -> ((Decision.DestroyOnHost) decision).host())
                .toList();
    }

    /** The host with a claim that the last report contests; null for none. */
    HostId contested() {
        return decisions().stream()
                .filter(Decision.Contest.class::isInstance)
                .map(decision -> ((Decision.Contest) decision).claimant())
                .findFirst()
                .orElse(null);
    }

    /** Whether other hosts are polled before the last report counts. */
    boolean hearsOthers() {
        return decisions().contains(new Decision.HearOthers(VM));
    }

    boolean removedJobs() {
        return decisions().contains(new Decision.RemoveJobs(VM));
    }
}
