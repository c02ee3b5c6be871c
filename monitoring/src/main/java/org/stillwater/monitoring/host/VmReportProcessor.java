package org.stillwater.monitoring.host;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.AnalysisContext;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.analysis.KnownVm;
import org.stillwater.core.analysis.VmAnalysis;
import org.stillwater.core.analysis.VmClaim;
import org.stillwater.core.analysis.VmOutcome;
import org.stillwater.core.model.HistoryMetric;
import org.stillwater.core.model.HistoryMetric.Subject;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.PendingWork;
import org.stillwater.core.model.PlacementFields;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.monitoring.device.DeviceMonitor;
import org.stillwater.monitoring.device.ExternalData;
import org.stillwater.monitoring.device.ExternalVms;
import org.stillwater.monitoring.observe.MonitoringMeters.Outcome;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.HostClaim;
import org.stillwater.monitoring.vm.HostVms;
import org.stillwater.monitoring.vm.ParkedReport;
import org.stillwater.monitoring.vm.ReportSource;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * Processes the reports of one host about VMs: locks each VM once, discards stale reports, lets the
 * core decide, and carries the outcome to memory, feed and writer. Used by the host's thread only.
 *
 * <p>The stable case takes one lookup, one lock, one comparison of stamps and one of references,
 * and copies numbers in place. It allocates nothing.
 */
final class VmReportProcessor implements VmReportSink {

    private static final Logger LOG = LoggerFactory.getLogger(VmReportProcessor.class);

    private final MonitoredHost here;
    private final HostId host;
    private final HostServices services;
    private final HostVms home;
    private final ExternalVms externals;
    private final DeviceMonitor devices;
    private final ExternalData externalData;
    private final HostClaims claims;
    private final ThrottledLog complaints;
    private final HostAuditLog audits;
    private final HostLog log;
    private final Runnable pollWanted;
    private final Runnable betweenVms;
    private final MemoryChecks memoryChecks;
    private final BooleanSupplier intakeAdmitted;
    private final int[] outcomes = new int[Outcome.values().length];

    // The message being analysed.
    private ReportSource source;
    private long receivedNanos;
    private Instant now = Instant.EPOCH;
    private long nowEpochMillis;
    private int poll;
    private int seenAtHome;
    private int changed;
    private int unknownToRemove;
    private boolean anonymous;
    private boolean claimed;
    private @Nullable VmRuntime seenElsewhere;
    private final Set<VmManager> mentionedUnanalysed = new HashSet<>();

    private final double[] historyScratch = new double[HistoryMetric.of(Subject.VM).size()];

    // The VM being decoded.
    private @Nullable VmManager current;
    private boolean locked;
    private VmRuntime base = VmRuntime.INITIAL;

    /**
     * A processor of one host's reports.
     *
     * @param betweenVms what to do between two VMs of a message, with no VM locked
     */
    VmReportProcessor(
            MonitoredHost here,
            DomainReaders domains,
            HostClaims claims,
            EventLimiter limiter,
            Runnable betweenVms) {
        this.here = here;
        this.host = here.id();
        this.services = here.services();
        this.home = services.registry().on(host);
        this.externals = domains.externals();
        this.devices = domains.devices();
        this.externalData = domains.externalData();
        this.claims = claims;
        this.complaints = here.logs().complaints();
        this.audits = here.logs().audits();
        this.log = here.logs().lines();
        this.pollWanted = here.schedule()::wantPoll;
        this.betweenVms = betweenVms;
        this.intakeAdmitted = limiter::admitsIntake;
        HostMonitorSettings settings = services.settings();
        this.memoryChecks =
                new MemoryChecks(settings.checks(), settings.interval(), host, this::audit);
        this.source = new ReportSource(host, 0, 0, false, 0);
    }

    /** VMs that changed in the last message. */
    int changed() {
        return changed;
    }

    /**
     * Decodes and analyses a message. After a complete poll, VMs that it did not mention are
     * analysed as absent.
     *
     * @return how many VMs were in it
     * @throws MalformedReport if it could not be read to its end; nothing was concluded from what
     *     it did not mention
     */
    int analyse(VmReports reports, int boot, int session) throws MalformedReport {
        boolean complete = reports.kind() == VmReports.Kind.POLL;
        source = new ReportSource(host, boot, session, complete, reports.fetchedNanos());
        receivedNanos = reports.receivedNanos();
        now = services.clock().now();
        nowEpochMillis = now.toEpochMilli();
        poll = complete ? services.uniqueNumbers().incrementAndGet() : 0;
        seenAtHome = 0;
        changed = 0;
        unknownToRemove = 0;
        anonymous = false;
        mentionedUnanalysed.clear();
        int homeBefore = home.changes();
        try {
            int vms = reports.decode(this);
            if (complete && !anonymous) {
                boolean everybodyIsThere =
                        seenAtHome == home.size() && homeBefore == home.changes();
                if (!everybodyIsThere) {
                    findAbsent();
                }
                claims.endUnmentioned(poll, source.fetchedNanos(), mentionedUnanalysed);
            }
            return vms;
        } finally {
            release();
            tellOutcomes();
        }
    }

    private void tellOutcomes() {
        for (Outcome outcome : Outcome.values()) {
            int count = outcomes[index(outcome)];
            if (count > 0) {
                services.meters().reports(outcome, count);
                outcomes[index(outcome)] = 0;
            }
        }
    }

    @SuppressWarnings("EnumOrdinal") // an index into an array of this process only
    private static int index(Outcome outcome) {
        return outcome.ordinal();
    }

    private void count(Outcome outcome) {
        outcomes[index(outcome)]++;
    }

    @Override
    public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
        release();
        VmManager vm = services.registry().find(vmId);
        current = vm;
        if (vm == null) {
            // An event about a VM that is being taken in adds to what was said before.
            VmReport.Running waiting = externals.waiting(vmId);
            return waiting == null ? null : waiting.runtime();
        }
        locked = vm.tryLock();
        if (locked) {
            sample.knownDisksUsageDigest = vm.statistics().disksUsageDigest();
            sample.knownNumaDigest = services.numa().digest(vmId);
            sample.jobsWanted = services.jobs().has(vmId);
        }
        base = vm.state().runtime();
        return base;
    }

    @Override
    public void accept(VmReport report, @Nullable VmSample sample) {
        VmManager vm = current;
        try {
            if (vm == null) {
                acceptUnknown(report);
            } else if (!locked) {
                park(vm, report);
            } else {
                analyse(vm, report, sample);
            }
        } catch (RuntimeException e) {
            count(Outcome.FAILED);
            complaints.about("analysis of a VM failed", "vm=" + report.vmId() + ": " + e, e);
            if (vm != null) {
                keepClaim(vm);
            }
        } finally {
            release();
        }
        betweenVms.run();
    }

    @Override
    public void malformed(@Nullable VmId vmId, String reason) {
        count(Outcome.MALFORMED);
        complaints.about("report not understood", "vm=" + vmId + ": " + reason);
        try {
            if (vmId == null) {
                // Whoever it was about was mentioned, so nobody may be called absent.
                anonymous = true;
            } else {
                VmManager vm = services.registry().find(vmId);
                boolean holding = locked && vm != null && vm == current;
                if (vm != null && (holding || vm.tryLock())) {
                    try {
                        mention(vm);
                    } finally {
                        if (!holding) {
                            vm.unlock();
                        }
                    }
                } else if (vm != null) {
                    mentionedUnanalysed.add(vm);
                }
                if (vm != null) {
                    keepClaim(vm);
                }
            }
        } finally {
            release();
        }
    }

    @Override
    public void altered(VmId vmId, String wire) {
        services.meters().textAltered();
        complaints.about(HostMonitor.TEXTS_ALTERED, "vm=" + vmId + " " + wire);
    }

    private void release() {
        VmManager vm = current;
        boolean held = locked;
        current = null;
        locked = false;
        if (vm != null && held) {
            vm.unlock();
        }
    }

    private void park(VmManager vm, VmReport report) {
        count(Outcome.PARKED);
        mentionedUnanalysed.add(vm);
        vm.park(
                new ParkedReport(
                        source,
                        report,
                        base,
                        receivedNanos,
                        () -> here.mailbox().post(new HostMessage.Resume(vm))));
        if (vm.tryLock()) {
            // Freed between the attempt and the parking, so nobody else will tell.
            try {
                resumeLocked(vm);
            } finally {
                vm.unlock();
            }
        }
    }

    /** Analyses what was parked while a VM was locked. */
    void resume(VmManager vm) {
        if (vm.tryLock()) {
            try {
                now = services.clock().now();
                nowEpochMillis = now.toEpochMilli();
                resumeLocked(vm);
            } finally {
                vm.unlock();
                tellOutcomes();
            }
        } else {
            pollWanted.run();
        }
    }

    private void resumeLocked(VmManager vm) {
        ParkedReport parked = vm.takeParked(host);
        if (parked == null) {
            return;
        }
        ReportSource messageSource = source;
        long messageReceived = receivedNanos;
        int messagePoll = poll;
        source = parked.source();
        receivedNanos = parked.receivedNanos();
        poll = 0;
        try {
            int stale = outcomes[index(Outcome.STALE_CHANGE)];
            analyse(vm, rebased(parked, vm.state().runtime()), null);
            if (outcomes[index(Outcome.STALE_CHANGE)] > stale) {
                // The holder changed the VM after the report was made: only a new one can tell.
                pollWanted.run();
            }
        } finally {
            source = messageSource;
            receivedNanos = messageReceived;
            poll = messagePoll;
        }
    }

    /** What a report decoded against an older runtime says about the present one. */
    @SuppressWarnings("ReferenceEquality") // the same instance needs no carrying over
    private static VmReport rebased(ParkedReport parked, VmRuntime present) {
        if (!(parked.report() instanceof VmReport.Running running) || parked.base() == present) {
            return parked.report();
        }
        VmRuntime.Draft draft = present.edit();
        running.runtime()
                .differencesFrom(parked.base())
                .forEach(field -> draft.set(field, running.runtime().value(field)));
        return new VmReport.Running(
                running.vmId(),
                running.hostStampMillis(),
                running.name(),
                draft.build(),
                running.deviceHash(),
                running.tpmHash(),
                running.nvramHash());
    }

    /**
     * Only of a VM of this host: a VM that migrated is mentioned by two hosts at a time, and the
     * record that it left behind must not make the other's mention forgotten.
     */
    private void mention(VmManager vm) {
        if (poll != 0 && vm.isAt(home) && vm.seenIn(poll)) {
            seenAtHome++;
        }
    }

    /** A mention that is not analysed says no less that the claim goes on. */
    private void keepClaim(VmManager vm) {
        if (vm.claimOf(host) != null) {
            mentionedUnanalysed.add(vm);
        }
    }

    private void analyse(VmManager vm, VmReport report, @Nullable VmSample sample) {
        mention(vm);
        switch (vm.staleness(source, report.hostStampMillis())) {
            case FRESH -> count(Outcome.ACCEPTED);
            case OLDER_THAN_LAST_REPORT -> {
                count(Outcome.STALE_REPORT);
                if (report instanceof VmReport.Running) {
                    keepClaim(vm);
                }
                return;
            }
            case OLDER_THAN_LAST_CHANGE -> {
                count(Outcome.STALE_CHANGE);
                vm.setAside(source, report.hostStampMillis(), report instanceof VmReport.Running);
                if (report instanceof VmReport.Running) {
                    keepClaim(vm);
                }
                if (source.complete() && !confirms(vm, report)) {
                    // It may tell more than the change did, and says so again when asked again.
                    pollWanted.run();
                }
                return;
            }
        }
        if (vm.isAt(home) || vm.state().placement().runOn() == null) {
            accepted(vm, report);
            if (!confirms(vm, report)) {
                decide(vm, report);
            }
        } else {
            analyseElsewhere(vm, report);
        }
        if (report instanceof VmReport.Running running && vm.isAt(home)) {
            // A source may say so for a moment after the VM has left it.
            boolean leaving =
                    running.runtime().status() == VmStatus.MIGRATING_FROM
                            || running.runtime().pauseStatus() == PauseStatus.POSTCOPY;
            if (source.complete() && !leaving) {
                vm.confirmed(source.fetchedNanos());
                if (!vm.claims().isEmpty()) {
                    claims.refused(vm);
                }
            }
            if (sample != null && running.runtime().status() != VmStatus.MIGRATING_TO) {
                memoryChecks.check(vm, sample, nowEpochMillis);
                vm.statistics().update(sample, nowEpochMillis, vm.cpus());
                services.meters()
                        .historyCutShort(Subject.VM, vm.statistics().remember(historyScratch));
                noteBeside(vm.id(), sample);
            }
            devices.reported(vm, running);
            externalData.reported(vm, running);
        }
    }

    /**
     * A report about a VM for which another host is responsible. It must not make what that host
     * said look older or newer than it is, and it ends a claim that it does not repeat.
     */
    private void analyseElsewhere(VmManager vm, VmReport report) {
        HostClaim before = vm.claimOf(host);
        claimed = false;
        seenElsewhere = report instanceof VmReport.Running running ? running.runtime() : null;
        decide(vm, report);
        if (vm.isAt(home)) {
            accepted(vm, report);
            return;
        }
        vm.acceptedElsewhere(source, report.hostStampMillis(), report instanceof VmReport.Running);
        if (before == null || claimed) {
            return;
        }
        if (report instanceof VmReport.Running running
                && running.runtime().status() == VmStatus.MIGRATING_FROM
                && before.kind() == HostClaim.Kind.RUNS) {
            contest(vm, running.runtime());
        } else {
            claims.end(vm);
        }
    }

    private void accepted(VmManager vm, VmReport report) {
        vm.accepted(
                source,
                report.hostStampMillis(),
                report instanceof VmReport.Running,
                nowEpochMillis);
    }

    /** Subjects of their own, each looked at only when its own trigger fired. */
    private void noteBeside(VmId vmId, VmSample sample) {
        if (sample.jobs != null) {
            services.jobs().reported(vmId, sample.jobs, source.fetchedNanos());
        }
        if (services.luns().awaits(vmId)) {
            services.luns().reported(vmId, sample);
        }
        services.numa().reported(vmId, sample);
    }

    /** Whether a report says of a VM of this host exactly what is known. */
    @SuppressWarnings("ReferenceEquality") // decoders hand back the known instance: the stable case
    private boolean confirms(VmManager vm, VmReport report) {
        return report instanceof VmReport.Running running
                && running.runtime() == vm.state().runtime()
                && vm.isAt(home);
    }

    private void decide(VmManager vm, VmReport report) {
        AnalysisContext context = context(handOverOverdue(vm), () -> othersHeard(vm));
        follow(
                vm,
                VmAnalysis.decide(known(vm, report instanceof VmReport.Absent), report, context));
    }

    private KnownVm known(VmManager vm, boolean absent) {
        VmState state = vm.state();
        return new KnownVm(
                vm.id(),
                vm.definition(),
                state.runtime(),
                state.placement(),
                vm.commands(services.clock().nanoTime()),
                vm.externalDataUnsaved(),
                claimsOf(vm, absent));
    }

    /**
     * The claims of hosts other than the reporter. A paused process counts as a claim if the
     * responsible host does not list the VM any more and has not confirmed it since (ADR 0032).
     *
     * @param absent whether the responsible host does not list the VM
     */
    private List<VmClaim> claimsOf(VmManager vm, boolean absent) {
        List<HostClaim> all = vm.claims();
        if (all.isEmpty()) {
            return List.of();
        }
        List<VmClaim> others = new ArrayList<>(all.size());
        for (HostClaim claim : all) {
            if (claim.kind() == HostClaim.Kind.RUNS && isOfAnother(claim)) {
                others.add(new VmClaim(claim.claimant(), claim.seen(), vm.isRefused(claim)));
            }
        }
        if (absent && others.isEmpty()) {
            for (HostClaim claim : all) {
                if (claim.kind() == HostClaim.Kind.LEFTOVER
                        && isOfAnother(claim)
                        && !vm.isRefused(claim)) {
                    others.add(new VmClaim(claim.claimant(), claim.seen(), false));
                }
            }
        }
        return others;
    }

    private boolean isOfAnother(HostClaim claim) {
        return !claim.claimant().equals(host) && services.fleet().monitor(claim.claimant()) != null;
    }

    private void follow(VmManager vm, VmOutcome outcome) {
        switch (outcome) {
            case VmOutcome.Quiet _ -> {}
            case VmOutcome.Change change -> apply(vm, change);
        }
    }

    private AnalysisContext context(boolean handOverOverdue, BooleanSupplier othersHeard) {
        return new AnalysisContext(
                host,
                now,
                services.fleet()::isUnheard,
                services.fleet()::isOutOfContact,
                services.fleet()::isUnwatched,
                handOverOverdue,
                othersHeard,
                poll != 0);
    }

    /**
     * Whether what this host says of the VM's end needs no other host's word. A VM that came here
     * as its migration was to needs that of its former host, one that came here otherwise that of
     * every host, and one that left its host for nobody knows where too; no longer than the engine
     * waits for a migrated VM to be seen.
     */
    private boolean othersHeard(VmManager vm) {
        long patience = services.settings().handOver().toNanos();
        long nanos = services.clock().nanoTime();
        if (!vm.isAt(home)) {
            long since = vm.changedSince(services.startedNanos());
            return nanos - since > patience
                    || services.fleet().haveOthersAnsweredSince(host, since);
        }
        HostId destination = vm.state().placement().migratingTo();
        long changed = vm.changedSince(services.startedNanos());
        if (destination != null
                && !destination.equals(host)
                && nanos - changed <= patience
                && !services.fleet().hasAnsweredSince(destination, changed)) {
            return false;
        }
        VmManager.Arrival arrival = vm.arrival();
        if (arrival == null) {
            return true;
        }
        boolean heard =
                nanos - arrival.nanos() > patience
                        || (arrival.expected()
                                ? services.fleet().hasAnsweredSince(arrival.from(), arrival.nanos())
                                : services.fleet().haveOthersAnsweredSince(host, arrival.nanos()));
        if (heard) {
            vm.arrived(null);
        }
        return heard;
    }

    /** For how long a VM has been awaited counts from when that was concluded, not reported. */
    private boolean handOverOverdue(VmManager vm) {
        long patience = services.settings().handOver().toNanos();
        long now = services.clock().nanoTime();
        return now - vm.state().observedNanos() > patience && vm.unchangedSince(now - patience);
    }

    private void apply(VmManager vm, VmOutcome.Change change) {
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
                                    change.runtime(), change.placement(), 0, now, receivedNanos),
                            change.changed(),
                            change.placementChanged());
            services.registry().place(vm, change.placement());
            noteArrival(vm, before.placement(), change.placement(), nanos);
            services.meters().changed(nanos - receivedNanos);
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
                            receivedNanos);
        }
        for (Decision decision : change.decisions()) {
            try {
                perform(vm, decision);
            } catch (RuntimeException e) {
                // One decision must not cost the others.
                complaints.about("decision not carried out", "vm=" + vm.id() + ": " + e, e);
            }
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
            services.luns().poweredUp(vm.id());
        } else if (to.isNotRunning() && !from.isNotRunning()) {
            services.luns().forget(vm.id());
            services.numa().forget(vm.id());
        }
        HostId next = change.placement().runOn();
        if (moved && next != null && !next.equals(host)) {
            // Only the new host can say that the VM arrived.
            here.send(next, new HostMessage.Refresh());
        }
    }

    /**
     * Whether a decision may be carried out already. What still has a process is only destroyed
     * once the host that is thought to run the VM has said so, in a complete poll asked for after
     * the other process was seen: if the engine missed a migration, the other process is the VM.
     * Where the VM turned up on a host that nobody had named, that host's word is no proof against
     * a third one's: only what is left on the host that the VM came from is destroyed then.
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
                        now,
                        receivedNanos,
                        poll);
        if (leftover == null) {
            return false;
        }
        VmManager.Arrival arrival = vm.arrival();
        if (arrival != null && !arrival.expected() && !arrival.from().equals(host)) {
            complaints.about(
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
     * A host that is not believed says that it runs the VM: it is remembered, and the responsible
     * host is asked, until that has answered.
     */
    private void contest(VmManager vm, VmRuntime seen) {
        claimed = true;
        HostClaim claim = claims.mention(vm, HostClaim.Kind.RUNS, seen, now, receivedNanos, poll);
        if (claim != null && !vm.isRefused(claim)) {
            askResponsible(vm);
        }
    }

    /**
     * A poll that is under way was asked for too early: its host asks again after it. A host that
     * nothing can be learned from is polled when it is in contact again, and until then its silence
     * decides, so the claimant need not be asked more often either.
     */
    private void askResponsible(VmManager vm) {
        HostId responsible = vm.state().placement().runOn();
        if (responsible != null && !services.fleet().isOutOfContact(responsible)) {
            here.send(responsible, new HostMessage.Poll());
            pollWanted.run();
        }
    }

    private void perform(VmManager vm, Decision decision) {
        switch (decision) {
            case Decision.DestroyOnHost destroy -> {
                if (isProvenEnough(vm, destroy)) {
                    HostMessage message =
                            new HostMessage.Destroy(
                                    vm.id(),
                                    destroy.why(),
                                    source.fetchedNanos(),
                                    source.complete() || !destroy.host().equals(host));
                    HostMonitor there = services.fleet().monitor(destroy.host());
                    if (there != null) {
                        there.orphans().found(vm.id(), source.fetchedNanos());
                    }
                    services.writer().afterCommit(vm.id(), () -> here.send(destroy.host(), message));
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
                pollWanted.run();
            }
            case Decision.Tell(VmId vmId, HostId where, Decision.Signal signal) -> {
                if (signal == Decision.Signal.MEMORY_UNPLUG_FORGOTTEN) {
                    vm.devices().memoryUnplugsForgotten();
                }
                services.writer()
                        .afterCommit(vmId, () -> services.signals().told(vmId, where, signal));
            }
            case Decision.Audit audit -> audit(audit);
            case Decision.Queue _ -> {} // went to the writer with the state it follows from
            case Decision.SaveExternalData _ -> externalData.save(vm, pollWanted);
            case Decision.RemoveJobs(VmId vmId) -> services.jobs().remove(vmId);
            case Decision.TakeInExternal _ -> {}
            case Decision.NoteUnexpected(VmId vmId, String what) ->
                    complaints.about("unexpected report", "vm=" + vmId + " " + what);
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

    private void audit(Decision.Audit audit) {
        audits.record(audit.event(), audit.vmId(), audit.host(), audit.details());
    }

    private void findAbsent() {
        List<VmManager> unmentioned = new ArrayList<>();
        home.forEach(unmentioned::add);
        for (VmManager vm : unmentioned) {
            if (vm.tryLock()) {
                try {
                    if (vm.isAt(home)
                            && !vm.wasSeenIn(poll)
                            && !mentionedUnanalysed.contains(vm)
                            && vm.unchangedSince(source.fetchedNanos())
                            && !vm.isSettledAfter(source)
                            && !vm.isHeardOfSince(source)) {
                        decide(vm, new VmReport.Absent(vm.id()));
                    }
                } catch (RuntimeException e) {
                    count(Outcome.FAILED);
                    complaints.about("analysis of a VM failed", "vm=" + vm.id() + ": " + e, e);
                } finally {
                    vm.unlock();
                }
            }
        }
    }

    /**
     * The host answered a command that it does not have a VM any more, which is as good as a poll
     * that does not mention it.
     */
    void gone(VmId vmId, long answeredNanos) {
        VmManager vm = services.registry().find(vmId);
        if (vm == null) {
            return;
        }
        if (!vm.tryLock()) {
            pollWanted.run();
            return;
        }
        try {
            now = services.clock().now();
            nowEpochMillis = now.toEpochMilli();
            receivedNanos = answeredNanos;
            if (vm.isAt(home) && !vm.isProcessSeenSince(host, answeredNanos)) {
                decide(vm, new VmReport.Absent(vmId));
            }
        } finally {
            vm.unlock();
            tellOutcomes();
        }
    }

    private void acceptUnknown(VmReport report) {
        if (services.registry().wasRemovedAfter(report.vmId(), source.fetchedNanos())) {
            count(Outcome.STALE_CHANGE);
            return;
        }
        count(Outcome.UNKNOWN_VM);
        boolean ended = true;
        for (Decision decision :
                VmAnalysis.decideUnknown(report, host, services.settings().hostedEngineName())) {
            switch (decision) {
                case Decision.DestroyOnHost destroy -> {
                    // Those beyond are said again by the next poll.
                    if (unknownToRemove++ < services.settings().unknownLimit()) {
                        here.send(
                                destroy.host(),
                                new HostMessage.Destroy(
                                        destroy.vmId(),
                                        destroy.why(),
                                        source.fetchedNanos(),
                                        source.complete()));
                    } else {
                        complaints.about(
                                "more unknown VMs have ended than are removed at once",
                                "vm=" + destroy.vmId());
                    }
                }
                case Decision.TakeInExternal _ -> {
                    ended = false;
                    if (report instanceof VmReport.Running running) {
                        externals.seen(running, receivedNanos, intakeAdmitted);
                    }
                }
                case Decision.Audit audit -> audit(audit);
                case Decision.Queue _,
                        Decision.Tell _,
                        Decision.Contest _,
                        Decision.HearOthers _,
                        Decision.RemoveJobs _,
                        Decision.SaveExternalData _,
                        Decision.NoteUnexpected _ -> {}
            }
        }
        if (ended) {
            externals.gone(report.vmId());
        }
    }

    /**
     * The host does not respond, or is not asked: nobody knows how its VMs fare.
     *
     * @return false if a command held one of them, which is as it was
     */
    boolean lost(long nowNanos) {
        boolean all = true;
        claims.lost();
        now = services.clock().now();
        receivedNanos = nowNanos;
        List<VmManager> vms = new ArrayList<>();
        home.forEach(vms::add);
        for (VmManager vm : vms) {
            if (vm.tryLock()) {
                try {
                    if (vm.isAt(home)) {
                        follow(
                                vm,
                                VmAnalysis.hostLost(known(vm, false), context(false, () -> true)));
                    }
                } finally {
                    vm.unlock();
                }
            } else {
                all = false;
            }
        }
        return all;
    }

    /**
     * An outgoing migration moved on (monitoring specification §4.9). Whoever follows it is told
     * even when the VM is handed over already: the downtime comes with its end.
     */
    void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
        VmManager vm = services.registry().find(vmId);
        if (vm == null) {
            return;
        }
        VmState state = vm.state();
        boolean migrating = state.runtime().status() == VmStatus.MIGRATING_FROM;
        if (!state.placement().isOn(host) && (migrating || !host.equals(vm.cameFrom()))) {
            return; // another host's migration
        }
        if (migrating && vm.tryLock()) {
            try {
                if (vm.isAt(home) && vm.state().runtime().status() == VmStatus.MIGRATING_FROM) {
                    vm.statistics().migrationProgressed(percent);
                }
            } finally {
                vm.unlock();
            }
        }
        services.signals().migrationProgressed(vmId, percent, downtimeMillis);
    }

    /**
     * How a VM that is taken in is known at first. Its name says that the engine did not make it;
     * the VM that runs the engine itself keeps its own.
     */
    StoredVm firstState(VmReport.Running report, VmStatic found) {
        now = services.clock().now();
        String name = found.name();
        VmStatic definition =
                name.equals(services.settings().hostedEngineName())
                        ? found.named(name, VmOrigin.HOSTED_ENGINE)
                        : found.named("external-" + name, VmOrigin.EXTERNAL);
        KnownVm nothing =
                new KnownVm(report.vmId(), definition, VmRuntime.INITIAL, VmPlacement.on(host));
        return switch (VmAnalysis.decide(nothing, report, context(false, () -> true))) {
            case VmOutcome.Change change ->
                    new StoredVm(report.vmId(), definition, change.runtime(), change.placement());
            case VmOutcome.Quiet _ ->
                    new StoredVm(report.vmId(), definition, report.runtime(), VmPlacement.on(host));
        };
    }
}
