package org.stillwater.monitoring.host;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.VmAnalysis;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.device.DeviceMonitor;
import org.stillwater.monitoring.device.ExternalData;
import org.stillwater.monitoring.device.ExternalVms;
import org.stillwater.monitoring.observe.MonitoringMeters.Outcome;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.HistoryScratch;
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
 *
 * <p>It is long because the way of a report is one piece: its steps share the lock, the stamps and
 * the state of the VM.
 */
final class VmReportProcessor implements VmReportSink {

    private static final int LONGEST_REASON = 500;

    private final MonitoredHost here;
    private final HostId host;
    private final HostServices services;
    private final HostVms home;
    private final ExternalVms externals;
    private final DeviceMonitor devices;
    private final ExternalData externalData;
    private final HostClaims claims;
    private final EventDelays delays;
    private final ThrottledLog warnings;
    private final Runnable betweenVms;
    private final VmEvidence evidence;
    private final VmDecisions decisions;
    private final UnknownVms unknown;
    private final MemoryChecks memoryChecks;
    private final int[] outcomes = new int[Outcome.values().length];

    private final ReportMessage message;
    private final PollOrder order;
    private int seenAtHome;
    private boolean anonymous;
    private int failed;
    private String firstFailure = "";
    private final Set<VmManager> mentionedUnanalysed = new HashSet<>();

    private final HistoryScratch historyScratch = new HistoryScratch();

    // The VM being decoded.
    private @Nullable VmManager current;
    private boolean locked;
    private VmRuntime base = VmRuntime.INITIAL;

    /**
     * A processor of one host's reports.
     *
     * @param betweenVms work between two VMs of a message, with no VM locked
     */
    VmReportProcessor(
            MonitoredHost here,
            DomainReaders domains,
            HostClaims claims,
            EventLimiter limiter,
            EventDelays delays,
            Runnable betweenVms) {
        this.here = here;
        this.host = here.id();
        this.services = here.services();
        this.home = services.registry().on(host);
        this.externals = domains.externals();
        this.devices = domains.devices();
        this.externalData = domains.externalData();
        this.claims = claims;
        this.delays = delays;
        this.warnings = here.logs().warnings();
        this.betweenVms = betweenVms;
        this.message = new ReportMessage(host);
        this.order = new PollOrder(services.registry());
        this.evidence = new VmEvidence(here, message);
        this.decisions = new VmDecisions(here, claims, externalData, message);
        this.unknown = new UnknownVms(here, externals, limiter, message, evidence);
        HostMonitorSettings settings = services.settings();
        this.memoryChecks =
                new MemoryChecks(settings.checks(), settings.interval(), host, here::audit);
    }

    /** VMs that changed in the last message. */
    int changed() {
        return decisions.changed();
    }

    /** VMs of the last message with reports that were not processed. */
    int failed() {
        return failed;
    }

    /** The first of these VMs and the exception; empty for none. */
    String firstFailure() {
        return firstFailure;
    }

    /**
     * Decodes and analyses a message. After a complete poll, VMs that it did not mention are
     * analysed as absent.
     *
     * @return how many VMs were in it
     * @throws MalformedReport if it could not be read to its end; VMs that it lacks are unaffected
     */
    int analyse(VmReports reports, int boot, int session) throws MalformedReport {
        boolean complete = reports.kind() == VmReports.Kind.POLL;
        message.source = new ReportSource(host, boot, session, complete, reports.fetchedNanos());
        message.receivedNanos = reports.receivedNanos();
        message.analysedNow(services.clock());
        message.poll = complete ? services.uniqueNumbers().incrementAndGet() : 0;
        seenAtHome = 0;
        order.begin();
        decisions.begin();
        unknown.begin();
        anonymous = false;
        failed = 0;
        firstFailure = "";
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
                claims.endUnmentioned(
                        message.poll, message.source.fetchedNanos(), mentionedUnanalysed);
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
        VmManager vm = order.find(vmId);
        current = vm;
        if (vm == null) {
            // An event about a VM that is being imported adds to the earlier report.
            VmReport.Running waiting = externals.waiting(vmId);
            return waiting == null ? null : waiting.runtime();
        }
        locked = vm.tryLock();
        if (locked) {
            sample.knownDisksUsageDigest = vm.statistics().disksUsageDigest();
            sample.knownNumaDigest = services.caches().numa().digest(vmId);
        }
        VmRuntime runtime = vm.state().runtime();
        if (!locked) {
            base = runtime; // the report will be parked
        }
        return runtime;
    }

    @Override
    public void accept(VmReport report, @Nullable VmSample sample) {
        VmManager vm = current;
        delays.received(
                !message.source.complete(),
                message.source.boot(),
                report.hostStampMillis(),
                message.receivedNanos);
        HostCadence cadence = here.cadence();
        if (cadence != null && message.isPoll()) {
            cadence.reported(report, vm);
        }
        try {
            if (vm == null) {
                reportedUnknown(report);
            } else if (!locked) {
                park(vm, report);
            } else {
                analyse(vm, report, sample);
            }
        } catch (RuntimeException e) {
            noteFailure("analysis of a VM failed", report.vmId(), e);
            if (vm != null) {
                keepClaim(vm);
            }
        } finally {
            release();
        }
        betweenVms.run();
    }

    private void reportedUnknown(VmReport report) {
        if (unknown.isOlderThanRemoval(report)) {
            count(Outcome.STALE_CHANGE);
        } else {
            count(Outcome.UNKNOWN_VM);
            unknown.reported(report);
        }
    }

    @Override
    public void malformed(@Nullable VmId vmId, String reason) {
        count(Outcome.MALFORMED);
        warnings.about("report not understood", "vm=" + vmId + ": " + reason);
        unanalysed(vmId);
    }

    @Override
    public void failed(VmId vmId, RuntimeException bug) {
        noteFailure("report not processed", vmId, bug);
        unanalysed(vmId);
    }

    private void noteFailure(String subject, VmId vmId, RuntimeException bug) {
        count(Outcome.FAILED);
        String what = "vm=" + vmId + ": " + bug;
        warnings.about(subject, what, bug);
        failed++;
        if (failed == 1) {
            firstFailure = SafeText.of(what, LONGEST_REASON);
        }
    }

    /** The message mentions a VM; null for one that it does not name. */
    private void unanalysed(@Nullable VmId vmId) {
        try {
            if (vmId == null) {
                // Its VM was mentioned, so no VM may be called absent.
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
        warnings.about(HostMonitor.TEXTS_ALTERED, "vm=" + vmId + " " + wire);
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
                        message.source,
                        report,
                        base,
                        message.receivedNanos,
                        () -> here.mailbox().post(new HostMessage.Resume(vm))));
        if (vm.tryLock()) {
            // Freed between the attempt and the parking, so no other thread will resume it.
            try {
                resumeLocked(vm);
            } finally {
                vm.unlock();
            }
        }
    }

    /** Analyses a report that was parked while a VM was locked. */
    void resume(VmManager vm) {
        if (vm.tryLock()) {
            try {
                message.analysedNow(services.clock());
                resumeLocked(vm);
            } finally {
                vm.unlock();
                tellOutcomes();
            }
        } else {
            here.schedule().wantPoll();
        }
    }

    private void resumeLocked(VmManager vm) {
        ParkedReport parked = vm.takeParked(host);
        if (parked == null) {
            return;
        }
        ReportSource messageSource = message.source;
        long messageReceived = message.receivedNanos;
        int messagePoll = message.poll;
        message.source = parked.source();
        message.receivedNanos = parked.receivedNanos();
        message.poll = 0;
        try {
            int stale = outcomes[index(Outcome.STALE_CHANGE)];
            analyse(vm, rebased(parked, vm.state().runtime()), null);
            if (outcomes[index(Outcome.STALE_CHANGE)] > stale) {
                // The holder changed the VM after the report was made: only a new one is current.
                here.schedule().wantPoll();
            }
        } finally {
            message.source = messageSource;
            message.receivedNanos = messageReceived;
            message.poll = messagePoll;
        }
    }

    /** A report decoded against an older runtime, rebased on the present one. */
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
        if (message.isPoll() && vm.isAt(home) && vm.seenIn(message.poll)) {
            seenAtHome++;
        }
    }

    /** A mention that is not analysed also continues the claim. */
    private void keepClaim(VmManager vm) {
        if (vm.claimOf(host) != null) {
            mentionedUnanalysed.add(vm);
        }
    }

    private void analyse(VmManager vm, VmReport report, @Nullable VmSample sample) {
        mention(vm);
        switch (vm.staleness(message.source, report.hostStampMillis())) {
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
                vm.setAside(
                        message.source,
                        report.hostStampMillis(),
                        report instanceof VmReport.Running);
                if (report instanceof VmReport.Running) {
                    keepClaim(vm);
                }
                if (message.source.complete() && !confirms(vm, report)) {
                    // The report may contain more than the change; the next poll repeats it.
                    here.schedule().wantPoll();
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
            // A source may report this for a moment after the VM has left it.
            boolean leaving =
                    running.runtime().status() == VmStatus.MIGRATING_FROM
                            || running.runtime().pauseStatus() == PauseStatus.POSTCOPY;
            if (message.source.complete() && !leaving) {
                vm.confirmed(message.source.fetchedNanos());
                if (!vm.claims().isEmpty()) {
                    claims.refused(vm);
                }
            }
            if (sample != null && running.runtime().status() != VmStatus.MIGRATING_TO) {
                memoryChecks.check(vm, sample, message.nowEpochMillis);
                update(vm, sample);
                services.meters()
                        .historyCutShort(Subject.VM, vm.statistics().remember(historyScratch));
                noteBeside(vm.id(), sample);
            }
            devices.reported(vm, running);
            externalData.reported(vm, running);
        }
    }

    private void update(VmManager vm, VmSample sample) {
        HostCadence cadence = here.cadence();
        if (cadence == null) {
            vm.statistics().update(sample, message.nowEpochMillis, vm.cpus());
            return;
        }
        int before = vm.statistics().usage();
        vm.statistics().update(sample, message.nowEpochMillis, vm.cpus());
        cadence.counted(before, vm.statistics().usage());
    }

    /**
     * A report about a VM for which another host is responsible. It must not make that host's
     * reports look older or newer than they are, and it ends a claim that it does not repeat.
     */
    private void analyseElsewhere(VmManager vm, VmReport report) {
        HostClaim before = vm.claimOf(host);
        decisions.beginElsewhere(
                report instanceof VmReport.Running running ? running.runtime() : null);
        decide(vm, report);
        if (vm.isAt(home)) {
            accepted(vm, report);
            return;
        }
        vm.acceptedElsewhere(
                message.source, report.hostStampMillis(), report instanceof VmReport.Running);
        if (before == null || decisions.isClaimed()) {
            return;
        }
        if (report instanceof VmReport.Running running
                && running.runtime().status() == VmStatus.MIGRATING_FROM
                && before.kind() == HostClaim.Kind.RUNS) {
            decisions.contest(vm, running.runtime());
        } else {
            claims.end(vm);
        }
    }

    private void accepted(VmManager vm, VmReport report) {
        vm.accepted(
                message.source,
                report.hostStampMillis(),
                report instanceof VmReport.Running,
                message.receivedNanos,
                message.nowEpochMillis);
    }

    /** Subjects of their own, each checked only when its own trigger fired. */
    private void noteBeside(VmId vmId, VmSample sample) {
        if (sample.jobs != null) {
            services.caches().jobs().reported(vmId, sample.jobs, message.source.fetchedNanos());
        }
        if (services.caches().luns().awaits(vmId)) {
            services.caches().luns().reported(vmId, sample);
        }
        services.caches().numa().reported(vmId, sample);
    }

    /** Whether a report about a VM of this host equals the known state. */
    @SuppressWarnings("ReferenceEquality") // decoders hand back the known instance: the stable case
    private boolean confirms(VmManager vm, VmReport report) {
        return report instanceof VmReport.Running running
                && running.runtime() == vm.state().runtime()
                && vm.isAt(home);
    }

    private void decide(VmManager vm, VmReport report) {
        decide(vm, report, message.source.complete() ? BeliefCause.POLL : BeliefCause.EVENT);
    }

    private void decide(VmManager vm, VmReport report, BeliefCause cause) {
        decisions.follow(
                vm,
                VmAnalysis.decide(
                        evidence.known(vm, report instanceof VmReport.Absent),
                        report,
                        evidence.contextOf(vm)),
                cause,
                report.hostStampMillis());
    }

    private void findAbsent() {
        List<VmManager> unmentioned = new ArrayList<>();
        home.forEach(unmentioned::add);
        for (VmManager vm : unmentioned) {
            if (vm.tryLock()) {
                try {
                    if (vm.isAt(home)
                            && !vm.wasSeenIn(message.poll)
                            && !mentionedUnanalysed.contains(vm)
                            && vm.unchangedSince(message.source.fetchedNanos())
                            && !vm.isSettledAfter(message.source)
                            && !vm.isHeardOfSince(message.source)) {
                        decide(vm, new VmReport.Absent(vm.id()), BeliefCause.ABSENCE);
                    }
                } catch (RuntimeException e) {
                    noteFailure("analysis of a VM failed", vm.id(), e);
                } finally {
                    vm.unlock();
                }
            }
        }
    }

    /**
     * The host answered a command that it no longer has a VM, which is as good as a poll that does
     * not mention it.
     */
    void gone(VmId vmId, long answeredNanos) {
        VmManager vm = services.registry().find(vmId);
        if (vm == null) {
            return;
        }
        if (!vm.tryLock()) {
            here.schedule().wantPoll();
            return;
        }
        try {
            message.analysedNow(services.clock());
            message.receivedNanos = answeredNanos;
            if (vm.isAt(home) && !vm.isProcessSeenSince(host, answeredNanos)) {
                decide(vm, new VmReport.Absent(vmId), BeliefCause.GONE);
            }
        } finally {
            vm.unlock();
            tellOutcomes();
        }
    }

    /**
     * The host does not respond or is not polled: the state of its VMs becomes unknown.
     *
     * @return false if a command held one of them, which is unchanged
     */
    boolean lost(long nowNanos) {
        boolean all = true;
        claims.lost();
        message.now = services.clock().now();
        message.receivedNanos = nowNanos;
        List<VmManager> vms = new ArrayList<>();
        home.forEach(vms::add);
        for (VmManager vm : vms) {
            if (vm.tryLock()) {
                try {
                    if (vm.isAt(home)) {
                        decisions.follow(
                                vm,
                                VmAnalysis.hostLost(
                                        evidence.known(vm, false), evidence.contextAlone()),
                                BeliefCause.SILENCE,
                                VmReport.NO_STAMP);
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
     * An outgoing migration moved on (monitoring specification §4.9). Its followers are notified
     * even after the VM was handed over: the end of the migration brings the downtime.
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
        services.signals().vms().migrationProgressed(vmId, percent, downtimeMillis);
    }

    /** The first state of an imported VM. */
    StoredVm firstState(VmReport.Running report, VmStatic found) {
        return unknown.firstState(report, found);
    }
}
