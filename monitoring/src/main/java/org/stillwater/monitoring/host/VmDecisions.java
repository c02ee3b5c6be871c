package org.stillwater.monitoring.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.analysis.VmOutcome;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.belief.Transitions;
import org.stillwater.monitoring.belief.Transitions.Because;
import org.stillwater.monitoring.device.ExternalData;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.HostClaim;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * Carries out the core's decisions about VMs after a report of one host: publishes and stores the
 * new state, and executes the consequences. Used by the host's thread only, under the VM's lock.
 */
final class VmDecisions {

    private static final Logger LOG = LoggerFactory.getLogger(VmReportProcessor.class);

    private final MonitoredHost here;
    private final HostId host;
    private final HostServices services;
    private final HostClaims claims;
    private final ExternalData externalData;
    private final ReportMessage message;
    private final ThrottledLog warnings;
    private final HostLog log;
    private int changed;
    private boolean claimed;
    private @Nullable VmRuntime seenElsewhere;

    /**
     * Has no decisions.
     *
     * @param message the analysed message
     */
    VmDecisions(
            MonitoredHost here,
            HostClaims claims,
            ExternalData externalData,
            ReportMessage message) {
        this.here = here;
        this.host = here.id();
        this.services = here.services();
        this.claims = claims;
        this.externalData = externalData;
        this.message = message;
        this.warnings = here.logs().warnings();
        this.log = here.logs().lines();
    }

    /** A message begins. */
    void begin() {
        changed = 0;
    }

    /** VMs that changed since the message began. */
    int changed() {
        return changed;
    }

    /**
     * A report begins that is about a VM of another host.
     *
     * @param seen this host's report of it; null for none
     */
    void beginElsewhere(@Nullable VmRuntime seen) {
        claimed = false;
        seenElsewhere = seen;
    }

    /** Whether that report repeats, or begins, a claim of this host. */
    boolean isClaimed() {
        return claimed;
    }

    /**
     * Carries out an outcome about a VM.
     *
     * @param cause its cause
     * @param stampMillis the host's own stamp of the report, {@link VmReport#NO_STAMP} without one
     */
    void follow(VmManager vm, VmOutcome outcome, BeliefCause cause, long stampMillis) {
        switch (outcome) {
            case VmOutcome.Quiet _ -> {}
            case VmOutcome.Change change -> apply(vm, change, cause, stampMillis);
        }
    }

    private void apply(VmManager vm, VmOutcome.Change change, BeliefCause cause, long stampMillis) {
        VmState before = vm.state();
        vm.commands(change.commands());
        if (change.changesState()) {
            changed++;
            long nanos = services.clock().nanoTime();
            vm.changed(nanos, host);
            services.feed()
                    .vmChanged(
                            vm,
                            new VmState(
                                    change.runtime(),
                                    change.placement(),
                                    0,
                                    message.now,
                                    message.receivedNanos),
                            change.changed(),
                            change.placementChanged());
            services.registry().place(vm, change.placement());
            believe(vm, before, change, new Because(cause, host, stampMillis), nanos);
            noteArrival(vm, before.placement(), change.placement(), nanos);
            services.meters().changed(nanos - message.receivedNanos);
            followStatus(vm, before, change);
        }
        List<PendingWork> work = workOf(change.decisions());
        if (change.changesState() || !work.isEmpty()) {
            services.writer()
                    .changed(
                            vm.id(),
                            change.runtime(),
                            change.changed(),
                            change.placement(),
                            PlacementFields.between(before.placement(), change.placement()),
                            work,
                            message.receivedNanos);
        }
        for (Decision decision : change.decisions()) {
            try {
                perform(vm, decision);
            } catch (RuntimeException e) {
                // One decision must not cost the others.
                warnings.about("decision not carried out", "vm=" + vm.id() + ": " + e, e);
            }
        }
    }

    private void believe(
            VmManager vm, VmState before, VmOutcome.Change change, Because because, long nanos) {
        if (Transitions.is(before, vm.state())) {
            services.beliefs()
                    .add(
                            vm,
                            Transitions.of(
                                    because,
                                    change.rule(),
                                    before.runtime().status(),
                                    vm.state(),
                                    Transitions.decided(change.decisions(), host),
                                    message.now,
                                    message.receivedNanos,
                                    nanos));
        }
    }

    private static void noteArrival(
            VmManager vm, VmPlacement before, VmPlacement after, long nanos) {
        HostId from = before.runOn();
        HostId to = after.runOn();
        if (Objects.equals(from, to)) {
            return;
        }
        vm.arrived(
                from != null && to != null
                        ? new VmManager.Arrival(from, nanos, to.equals(before.migratingTo()))
                        : null);
    }

    private void followStatus(VmManager vm, VmState before, VmOutcome.Change change) {
        VmStatus from = before.runtime().status();
        VmStatus to = change.runtime().status();
        boolean moved = !Objects.equals(before.placement().runOn(), change.placement().runOn());
        if (from != to || moved) {
            log.info(
                    LOG,
                    "vm={} name={} from={} to={} host={}",
                    vm.id(),
                    vm.definition().name(),
                    from.label(),
                    to.label(),
                    change.placement().runOn());
        }
        if (from != to && (to == VmStatus.UP || to == VmStatus.POWERING_UP)) {
            services.caches().luns().poweredUp(vm.id());
        } else if (to.isNotRunning() && !from.isNotRunning()) {
            services.caches().luns().forget(vm.id());
            services.caches().numa().forget(vm.id());
        }
        HostId next = change.placement().runOn();
        if (moved && next != null && !next.equals(host)) {
            // Only the new host can report the VM's arrival.
            here.send(next, new HostMessage.Refresh());
        }
    }

    /**
     * Whether a decision may be carried out already. A VM that still has a process is destroyed
     * only after the host that is thought to run it has confirmed it, in a complete poll requested
     * after the other process was seen: if the engine missed a migration, the other process is the
     * VM. If the VM turned up on an unexpected host, that host's report is no proof against a third
     * one's: only remains on the host that the VM came from are destroyed then.
     */
    private boolean isProvenEnough(VmManager vm, Decision.DestroyOnHost destroy) {
        if (!destroy.hasProcess() || !destroy.host().equals(host)) {
            return true;
        }
        claimed = true;
        HostClaim leftover =
                claims.mention(
                        vm,
                        HostClaim.Kind.LEFTOVER,
                        seenElsewhere == null ? vm.state().runtime() : seenElsewhere,
                        message.now,
                        message.receivedNanos,
                        message.poll);
        if (leftover == null) {
            return false;
        }
        VmManager.Arrival arrival = vm.arrival();
        if (arrival != null && !arrival.expected() && !arrival.from().equals(host)) {
            warnings.about(
                    "keeps a paused process of a VM that turned up on another host",
                    "vm=%s is on host=%s".formatted(vm.id(), vm.state().placement().runOn()));
            return false;
        }
        if (vm.isRefused(leftover)) {
            claims.end(vm);
            return true;
        }
        askResponsible(vm);
        return false;
    }

    /**
     * A host without responsibility claims to run the VM: records the claim, and asks the
     * responsible host until it answers.
     */
    void contest(VmManager vm, VmRuntime seen) {
        claimed = true;
        HostClaim claim =
                claims.mention(
                        vm,
                        HostClaim.Kind.RUNS,
                        seen,
                        message.now,
                        message.receivedNanos,
                        message.poll);
        if (claim != null && !vm.isRefused(claim)) {
            askResponsible(vm);
        }
    }

    /**
     * A running poll was requested too early: another one follows it. A host out of contact is
     * polled when it is in contact again; until then its silence decides, so the claimant is not
     * asked more often either.
     */
    private void askResponsible(VmManager vm) {
        HostId responsible = vm.state().placement().runOn();
        if (responsible != null && !services.fleet().isOutOfContact(responsible)) {
            here.send(responsible, new HostMessage.Poll());
            here.schedule().wantPoll();
        }
    }

    private void perform(VmManager vm, Decision decision) {
        switch (decision) {
            case Decision.DestroyOnHost destroy -> {
                if (isProvenEnough(vm, destroy)) {
                    HostMessage order =
                            new HostMessage.Destroy(
                                    vm.id(),
                                    destroy.why(),
                                    message.source.fetchedNanos(),
                                    message.source.complete() || !destroy.host().equals(host));
                    HostMonitor there = services.fleet().monitor(destroy.host());
                    if (there != null) {
                        there.orphans().found(vm.id(), message.source.fetchedNanos());
                    }
                    services.writer().afterCommit(vm.id(), () -> here.send(destroy.host(), order));
                }
            }
            case Decision.Contest(VmId _, HostId _, VmRuntime seen) -> contest(vm, seen);
            case Decision.HearOthers _ -> {
                VmManager.Arrival arrival = vm.arrival();
                if (arrival != null) {
                    here.send(arrival.from(), new HostMessage.Poll());
                }
                HostId destination = vm.state().placement().migratingTo();
                if (destination != null) {
                    here.send(destination, new HostMessage.Poll());
                }
                here.schedule().wantPoll();
            }
            case Decision.Tell(VmId vmId, HostId where, Decision.Signal signal) -> {
                if (signal == Decision.Signal.MEMORY_UNPLUG_FORGOTTEN) {
                    vm.devices().memoryUnplugsForgotten();
                }
                services.writer()
                        .afterCommit(
                                vmId, () -> services.signals().vms().told(vmId, where, signal));
            }
            case Decision.Audit audit -> here.audit(audit);
            case Decision.Queue _ -> {} // went to the writer with the state it follows from
            case Decision.SaveExternalData _ -> externalData.save(vm, here.schedule()::wantPoll);
            case Decision.RemoveJobs(VmId vmId) -> services.caches().jobs().remove(vmId);
            case Decision.TakeInExternal _ -> {}
            case Decision.NoteUnexpected(VmId vmId, String what) ->
                    warnings.about("unexpected report", "vm=" + vmId + " " + what);
        }
    }

    private static List<PendingWork> workOf(List<Decision> decisions) {
        List<PendingWork> work = List.of();
        for (Decision decision : decisions) {
            if (decision instanceof Decision.Queue(PendingWork queued)) {
                work = work.isEmpty() ? new ArrayList<>(2) : work;
                work.add(queued);
            }
        }
        return work;
    }
}
