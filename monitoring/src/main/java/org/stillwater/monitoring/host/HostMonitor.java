package org.stillwater.monitoring.host;

import io.micrometer.core.instrument.Meter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostDecision;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.HostAnswer;
import org.stillwater.core.port.HostConnection;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.HostListener;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.monitoring.device.DeviceMonitor;
import org.stillwater.monitoring.device.DeviceServices;
import org.stillwater.monitoring.device.ExternalData;
import org.stillwater.monitoring.device.ExternalVms;
import org.stillwater.monitoring.device.HostThread;
import org.stillwater.monitoring.device.IntakeTrouble;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostCalls.Call;
import org.stillwater.monitoring.host.HostTimers.Timer;
import org.stillwater.monitoring.observe.StatisticsCycleEvent;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmManager;

/**
 * Watches one host: keeps the connection, asks on schedule, takes events in, and knows how the host
 * fares. What its answers and its silence mean is decided by the core, see {@link
 * HostStatusKeeper}.
 *
 * <p>Everything happens on one thread, one message after the other, so hosts cannot disturb each
 * other: a host that is slow, stuck or sends nonsense delays only itself. Whatever goes wrong with
 * a message costs that message, is counted, and is told once per quiet period. No call waits for
 * its answer on this thread; each has a deadline.
 *
 * <p>The statistics cycle runs at a fixed phase of the interval that follows from the host's id, so
 * that the polls of a fleet are spread evenly and stay so. A cycle is left out while the previous
 * poll is pending. Hosts in contact are asked nothing else; hosts out of contact are asked who they
 * are at the shorter refresh interval (monitoring specification §3.2, §3.3).
 */
public final class HostMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(HostMonitor.class);

    /** A host that booted again says so by more than rounding of its boot time. */
    private static final long BOOT_TIME_TOLERANCE_SECONDS = 5;

    /** What the complaint about texts that were cut or cleaned is called. */
    static final String TEXTS_ALTERED = "texts cut or cleaned";

    private final HostId id;
    private final HostServices services;
    private final HostMonitorSettings settings;
    private final EngineClock clock;
    private final Mailbox mailbox;
    private final ThrottledLog complaints;
    private final HostStatusKeeper keeper;
    private final OrphanedVmCleaner leftovers;
    private final ExternalVms externals;
    private final DeviceMonitor devices;
    private final ExternalData externalData;
    private final HostClaims claims;
    private final VmReportProcessor analyst;
    private final VmReportProcessor eventAnalyst;
    private final Progress progress;
    private final HostNumbers numbers;
    private final EventLimiter limiter;
    private final HostAuditLog audits;
    private final HostLog log;
    private final long startNanos;

    // Read by any thread.
    private volatile boolean connected;
    private volatile @Nullable HostConnection connection;
    private volatile @Nullable Instant lastPollAt;
    private volatile long lastPollNanos;
    private volatile long lastPollFetchedNanos;
    private volatile @Nullable Thread thread;
    private volatile @Nullable HostFailure lastFailure;
    private volatile boolean abandoned;
    private volatile @Nullable Stall lastStall;

    // Used by the host's thread only.
    private final HostCalls calls;
    private final AnswerTimes answerTimes;
    private final HostTimers timers = new HostTimers();

    /** Whether a first attempt to connect has ended; until then silence says nothing. */
    private boolean attempted;

    /** Whether VMs may be shown as known although nobody watches the host. */
    private boolean vmsToLose;

    private int session;
    private int sessionOfStamps;
    private int boot;
    private @Nullable String bootUuid;
    private boolean capabilitiesMissed;

    /** Whether a change of the network was left out: an answer under way may not show it. */
    private boolean networkMissed;

    private @Nullable Long bootTimeSeconds;
    private boolean pollWanted;
    private long lastPollAskedNanos;
    private boolean everPolled;
    private boolean pollUnderAnalysis;
    private boolean stopped;
    private boolean ended;
    private @Nullable Meter ageMeter;

    /**
     * A monitor that does nothing until it is told to begin.
     *
     * @param known the host as the database holds it or as it was added
     * @param connectDelay how long to wait before the first connection
     */
    public HostMonitor(HostState known, HostServices services, Duration connectDelay) {
        this.id = known.definition().id();
        this.services = services;
        this.settings = services.settings();
        this.clock = services.clock();
        this.mailbox = new Mailbox(settings.mailboxEvents(), settings.mailboxBytes());
        this.complaints =
                new ThrottledLog(
                        LOG, clock, settings.quietPeriod(), "host=" + known.definition().name());
        this.limiter = new EventLimiter(id, services, complaints);
        this.audits = new HostAuditLog(id, services, complaints);
        this.log = new HostLog(settings.flood(), clock, complaints);
        this.progress = new Progress(clock);
        this.answerTimes = new AnswerTimes(settings.slowAnswer());
        this.calls = new HostCalls(settings.pollDeadline(), answerTimes);
        this.keeper = new HostStatusKeeper(known, services, complaints, audits, log, this::run);
        this.leftovers = new OrphanedVmCleaner(id, services, complaints, log, mailbox::post);
        HostThread here = new Here();
        DeviceServices shared = services.devices();
        DomainXmlReader domains = new DomainXmlReader(settings.domainXmlLimit());
        this.externals =
                new ExternalVms(
                        id,
                        shared,
                        here,
                        complaints,
                        this::firstState,
                        this::tookIn,
                        domains,
                        settings.unknownLimit(),
                        settings.domainChunk(),
                        settings.interval(),
                        settings.quietPeriod(),
                        this::intakeFailed);
        this.devices =
                new DeviceMonitor(
                        id,
                        shared,
                        here,
                        complaints,
                        domains,
                        settings.unknownLimit(),
                        settings.domainChunk(),
                        settings.interval(),
                        settings.quietPeriod());
        this.externalData =
                new ExternalData(
                        id,
                        shared,
                        here,
                        complaints,
                        settings.unknownLimit(),
                        settings.externalDataCalls());
        this.numbers =
                new HostNumbers(
                        id,
                        settings.limits(),
                        audits,
                        clock,
                        services.meters(),
                        services.recentHistory());
        this.claims = new HostClaims(id, services, complaints, audits);
        this.analyst = newAnalyst(this::takeEvents);
        this.eventAnalyst = newAnalyst(() -> {});
        this.boot = services.uniqueNumbers().incrementAndGet();
        this.startNanos = clock.nanoTime();
        this.vmsToLose = !known.status().isRefreshed();
        if (known.status().isRefreshed()) {
            timers.set(Timer.CONNECT, startNanos + connectDelay.toNanos());
        }
        this.ageMeter =
                services.meters()
                        .reportAge(known.definition().name(), this, HostMonitor::reportAgeSeconds);
    }

    private VmReportProcessor newAnalyst(Runnable betweenVms) {
        return new VmReportProcessor(
                id,
                services,
                externals,
                devices,
                externalData,
                claims,
                complaints,
                limiter,
                audits,
                log,
                this::wantPoll,
                mailbox::post,
                betweenVms);
    }

    private StoredVm firstState(VmReport.Running report, VmStatic definition) {
        return analyst.firstState(report, definition.in(state().definition().cluster()));
    }

    private void tookIn(VmId vm) {
        limiter.tookIn();
        audits.record(AuditEvent.EXTERNAL_VM_ADDED, vm, id, Map.of());
    }

    private void intakeFailed(IntakeTrouble trouble) {
        audits.record(
                AuditEvent.EXTERNAL_VMS_NOT_ADDED,
                null,
                id,
                Map.of("count", Integer.toString(trouble.vms()), "reason", trouble.reason()));
    }

    /** Identity of the host. */
    public HostId id() {
        return id;
    }

    /** Begins to watch, on a thread of its own. */
    public void start() {
        thread = Thread.ofVirtual().name("host-" + state().definition().name()).start(this::watch);
    }

    /** Hands a message in. Any thread; does not block. */
    void tell(HostMessage message) {
        mailbox.post(message);
    }

    /** Asks for a complete poll and the capabilities outside the schedule. Any thread. */
    public void refresh() {
        mailbox.post(new HostMessage.Refresh());
    }

    /** Asks for a complete poll outside the schedule. Any thread. */
    public void pollForCommands() {
        mailbox.post(new HostMessage.Poll());
    }

    /**
     * What is left of a VM is to be removed, unless the VM came back. Any thread.
     *
     * @param why one clause for the log
     * @param sinceNanos when that was found
     */
    public void destroy(VmId vmId, String why, long sinceNanos) {
        mailbox.post(new HostMessage.Destroy(vmId, why, sinceNanos, true));
    }

    /**
     * Something is left of a VM on this host and will be removed ({@link #destroy}) once that is
     * durable. Any thread, under the VM's lock.
     *
     * @param sinceNanos when that was found
     */
    public void remains(VmId vmId, long sinceNanos) {
        leftovers.found(vmId, sinceNanos);
    }

    /**
     * The same of a VM that was on its way to this host when the host that it came from was
     * switched off: until it is removed, it may run here. Any thread, under the VM's lock.
     *
     * @param sinceNanos when that host was off
     */
    public void remainsArriving(VmId vmId, long sinceNanos) {
        leftovers.foundArriving(vmId, sinceNanos);
    }

    /** Whether a VM that is shown as down may run on this host. Any thread. */
    public boolean mayRun(VmId vmId) {
        return leftovers.mayRun(vmId);
    }

    /** This host was switched off, or has booted: no process is left on it. Any thread. */
    public void nothingRuns() {
        leftovers.nothingRuns();
    }

    /** Whether something is left of a VM on this host, as far as known. Any thread. */
    public boolean hasRemains(VmId vmId) {
        return leftovers.holds(vmId);
    }

    /**
     * Removes what is left of a VM on this host because the VM is wanted here. That it is left must
     * be durable. Any thread.
     *
     * @return completed with what the host said, on any thread; always
     */
    public CompletableFuture<HostAnswer<VmId>> clear(VmId vmId) {
        CompletableFuture<HostAnswer<VmId>> answer = new CompletableFuture<>();
        mailbox.post(new HostMessage.Clear(vmId, answer));
        return answer;
    }

    /** A command orders the host to remove a VM. Any thread. */
    public void removalOrdered(VmId vmId) {
        leftovers.removalOrdered(vmId);
    }

    /**
     * The host answered that order. Any thread.
     *
     * @param removed whether it removed the VM, or has none
     */
    public void removalAnswered(VmId vmId, boolean removed) {
        leftovers.removalAnswered(vmId, removed);
    }

    /** The host answered a command that it does not have a VM any more. Any thread. */
    public void gone(VmId vmId, long answeredNanos) {
        mailbox.post(new HostMessage.Gone(vmId, answeredNanos));
    }

    /**
     * The present connection, for commands; null for none. Whether it stands shows when it is used.
     * Any thread.
     */
    public @Nullable HostConnection connectionForCommands() {
        return connection;
    }

    /** Changes how the host is reached. Any thread. */
    public void redefine(HostDefinition definition) {
        mailbox.post(new HostMessage.Redefine(definition));
    }

    /** Whether the last contact failed by the host's certificate. Any thread. */
    public boolean isCertificateRefused() {
        return lastFailure instanceof HostFailure.WrongCertificate;
    }

    /** The certificate that was refused is accepted now: connects without a pause. Any thread. */
    public void certificateConfirmed() {
        HostConnection refused = connection;
        if (refused != null) {
            refused.reconnect("its certificate was confirmed");
        }
    }

    /** What the host's cluster demands of it has changed. Any thread. */
    public void rulesChanged() {
        mailbox.post(new HostMessage.RulesChanged());
    }

    /**
     * Asks something of the host. Any thread.
     *
     * @return completed once what follows from the order is durable, or when it is refused
     */
    public CompletableFuture<OrderAnswer> order(HostFact.Order order) {
        CompletableFuture<OrderAnswer> answer = new CompletableFuture<>();
        mailbox.post(new HostMessage.Ordered(order, answer));
        return answer;
    }

    /**
     * Ends the watching of a host that is to be removed, if it may be. Any thread.
     *
     * @return completed once it has ended, or when it is refused
     */
    public CompletableFuture<OrderAnswer> retire() {
        CompletableFuture<OrderAnswer> answer = new CompletableFuture<>();
        mailbox.post(new HostMessage.Retire(answer));
        return answer;
    }

    /** Asks the monitor to end; {@link #awaitEnd} waits for it. Any thread. */
    public void stop() {
        mailbox.post(new HostMessage.Stop());
    }

    /** Waits for the end of the thread, and insists when it does not come. */
    public void awaitEnd(Duration patience) throws InterruptedException {
        Thread running = thread;
        if (running != null && !running.join(patience)) {
            LOG.warn("host={} monitor did not stop in time", state().definition().name());
            running.interrupt();
        }
    }

    /**
     * Why the monitor makes no progress; null if it does. Any thread; for a watchdog.
     *
     * @see #abandon
     */
    public @Nullable Stall stall() {
        return progress.stall(state().status().isInContact(), settings.watchdog(), thread);
    }

    /**
     * Gives the monitor up for another one of the same host: what it does is interrupted, which
     * frees every lock that it holds, and its connection is closed. It acts no more. Any thread.
     */
    public void abandon() {
        abandoned = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
        Meter meter = ageMeter;
        if (meter != null) {
            services.meters().remove(meter);
        }
        HostConnection open = connection;
        if (open != null) {
            open.close();
        }
        mailbox.close();
    }

    /** Goes on with what another monitor of the host was told. Before it is started. */
    public void takeOver() {
        claims.takeOver();
    }

    /** The host was removed: what it said counts for nothing. After the monitor has ended. */
    public void forget() {
        claims.forget();
    }

    /** Notes that this monitor took the place of one that stood still. Before it is started. */
    public void revived(Stall stall) {
        lastStall = stall;
        complaints.about(
                "watching stood still", stall.time().toSeconds() + " s in " + stall.task());
    }

    /** What is known about the host. */
    public HostState state() {
        return keeper.state();
    }

    /** Whether nothing is heard of the host's VMs: it does not respond, or is not asked. */
    public boolean isUnheard() {
        HostStatus status = state().status();
        return status == HostStatus.NON_RESPONSIVE || !status.isRefreshed();
    }

    /** Whether a complete poll that was asked for after this time has been analysed. Any thread. */
    public boolean isPolledSince(long nanos) {
        return lastPollAt != null && lastPollFetchedNanos - nanos > 0;
    }

    /** Where entries that this host causes are recorded. Any thread. */
    HostAuditLog audits() {
        return audits;
    }

    /** VMs of other hosts that the host says it runs, by id. Any thread. */
    public List<ContestedVm> contested() {
        return claims.list();
    }

    /** The hosts that say they run a VM for which another host is responsible. Any thread. */
    public static List<ContestedVm> contested(VmManager vm) {
        return HostClaims.of(vm);
    }

    /** The host as a reader sees it. */
    public HostView view() {
        HostNumbers.Seen seen = numbers.seen();
        HostState state = state();
        return new HostView(
                state,
                connected,
                seen.statistics(),
                seen.at(),
                seen.usage(),
                lastPollAt,
                services.registry().on(id).size(),
                committedMemoryMebibytes(state),
                services.certificates().of(id));
    }

    private long committedMemoryMebibytes(HostState seen) {
        HostCapabilities capabilities = seen.capabilities();
        Long own = capabilities == null ? null : capabilities.memory().guestOverheadMebibytes();
        return services.registry().on(id).committedMemoryMebibytes() + (own == null ? 0 : own);
    }

    /** The host's numbers. */
    public HostNumbers numbers() {
        return numbers;
    }

    /** How the watching fares. */
    public HostHealth health() {
        HostState seen = state();
        Instant polled = lastPollAt;
        long since = polled == null ? startNanos : lastPollNanos;
        boolean overdue = clock.nanoTime() - since > settings.interval().multipliedBy(2).toNanos();
        Instant floods = limiter.since();
        HostFailure failure = lastFailure;
        String reason = seen.reason();
        if (failure != null && (seen.status().isSilent() || (reason == null && overdue))) {
            reason = failure.describe(); // the cause of now, which need not be that of then
        } else if (reason == null && polled == null) {
            reason = "no complete poll yet";
        }
        int contested = claims.size();
        if (contested > 0 && reason == null) {
            reason =
                    contested == 1
                            ? "it says that it runs a VM of another host"
                            : "it says that it runs " + contested + " VMs of other hosts";
        }
        IntakeTrouble intake = externals.trouble();
        if (intake != null && reason == null) {
            reason = intake.describe();
        }
        return new HostHealth(
                seen.definition(),
                seen.status(),
                seen.since(),
                reason,
                polled,
                overdue,
                complaints.counts(),
                answerTimes.at(clock.nanoTime()),
                isCertificateRefused(),
                lastStall,
                floods == null ? audits.since() : floods,
                contested,
                intake);
    }

    /** Number of TPM and NVRAM data of its VMs that are being saved. */
    public int externalDataOpen() {
        return externalData.open();
    }

    /** Age of the newest complete poll; NaN before the first. */
    public double reportAgeSeconds() {
        return lastPollAt == null ? Double.NaN : (clock.nanoTime() - lastPollNanos) / 1e9;
    }

    private void watch() {
        try {
            while (!stopped && !abandoned) {
                watchOnce();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // told to end at once
        } finally {
            end();
        }
    }

    /**
     * The top frame of a turn: an error that no guard below takes care of, such as {@link
     * OutOfMemoryError}, costs one message and never the watching of the host.
     */
    private void watchOnce() throws InterruptedException {
        try {
            HostMessage message = mailbox.await(untilDue());
            if (message != null) {
                handle(message);
            }
            runDue();
        } catch (InterruptedException stop) {
            throw stop;
        } catch (Throwable e) {
            complaints.about("watching failed and goes on", e.toString(), e);
        }
    }

    /**
     * Does everything that can be done without waiting: for tests that drive the monitor on their
     * own thread instead of starting it.
     *
     * @return whether there was anything to do
     */
    public boolean pump() {
        boolean worked = false;
        while (!stopped) {
            boolean due = untilDue() <= 0;
            HostMessage message = mailbox.poll();
            if (message != null) {
                handle(message);
            }
            runDue();
            if (message == null && !due) {
                return worked;
            }
            worked = true;
        }
        if (!ended) {
            end();
            return true;
        }
        return worked;
    }

    private long untilDue() {
        long now = clock.nanoTime();
        long until = Math.min(timers.untilNext(now), calls.untilDeadline(now));
        return isPollWanted() ? Math.min(until, wantedPollAt() - now) : until;
    }

    private boolean isPollWanted() {
        return pollWanted
                && connected
                && !calls.isPending(Call.VMS)
                && keeper.status().isInContact();
    }

    private long wantedPollAt() {
        return everPolled
                ? lastPollAskedNanos + settings.repollPause().toNanos()
                : clock.nanoTime();
    }

    private void runDue() {
        guard("schedule", this::runTimers);
    }

    /** What fails costs the rest of this turn only: the timers are set all the same. */
    private void runTimers() {
        try {
            fireTimers(clock.nanoTime());
        } finally {
            plan(clock.nanoTime());
        }
    }

    private void fireTimers(long now) {
        if (timers.fire(Timer.CONNECT, now)) {
            open();
        }
        for (HostFailure late = calls.giveUp(now); late != null; late = calls.giveUp(now)) {
            failed("no answer", late);
        }
        if (timers.fire(Timer.CYCLE, now)) {
            cycle();
        }
        if (timers.fire(Timer.REFRESH, now)) {
            lookAgain();
        }
        if (timers.fire(Timer.RECHECK, now)) {
            askCapabilities();
        }
        limiter.timePassed();
        audits.timePassed();
        long dropped = mailbox.takeDropped();
        if (dropped > 0) {
            for (long i = 0; i < dropped; i++) {
                services.meters().eventDropped();
            }
            complaints.about("events dropped", dropped + " did not fit, a poll makes up for them");
            wantPoll();
        }
        if (isPollWanted() && wantedPollAt() - now <= 0) {
            poll();
        }
    }

    /** Sets the timers that the host's status asks for. */
    private void plan(long now) {
        HostStatus status = keeper.status();
        boolean watched = status.isRefreshed() && !timers.isSet(Timer.CONNECT);
        plan(Timer.CYCLE, watched, nextCycleAfter(now));
        boolean moving =
                status == HostStatus.REBOOT
                        || status == HostStatus.PREPARING_FOR_MAINTENANCE
                        || (vmsToLose && !status.isRefreshed())
                        || (watched && !status.isInContact());
        plan(Timer.REFRESH, moving, now + settings.refresh().toNanos());
        plan(
                Timer.RECHECK,
                status == HostStatus.NON_OPERATIONAL,
                now + settings.policy().autoRecovery().toNanos());
    }

    private void plan(Timer timer, boolean wanted, long next) {
        if (!wanted) {
            timers.cancel(timer);
        } else if (!timers.isSet(timer)) {
            timers.set(timer, next);
        }
    }

    /** The next moment of this host's phase, which its id fixes. */
    private long nextCycleAfter(long now) {
        long interval = settings.interval().toNanos();
        long phase = Math.floorMod(id.hashCode() * 0x9E3779B97F4A7C15L, interval);
        long next = now - Math.floorMod(now, interval) + phase;
        return next - now <= 0 ? next + interval : next;
    }

    private void guard(String what, Runnable work) {
        String outer = progress.begin(what);
        try {
            work.run();
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            // One message or timer is lost; the host goes on being watched.
            complaints.about("failed: " + what, e.toString(), e);
        } finally {
            progress.end(outer);
        }
    }

    private void handle(HostMessage message) {
        String what =
                message instanceof HostMessage.Run(String told, _)
                        ? told
                        : message.getClass().getSimpleName();
        if (message instanceof HostMessage.Unasked && !limiter.admitsEvent()) {
            leaveOut(message);
        } else {
            guard(what, () -> dispatch(message));
        }
    }

    /** One poll, and the capabilities with the next cycle, tell what such messages would have. */
    private void leaveOut(HostMessage message) {
        message.discard();
        if (message instanceof HostMessage.NetworkChanged) {
            networkMissed = true;
        } else {
            wantPoll();
        }
    }

    private void dispatch(HostMessage message) {
        switch (message) {
            case HostMessage.Event(VmReports reports) -> event(reports);
            case HostMessage.MigrationProgressed(VmId vmId, int percent, Long downtimeMillis) ->
                    eventAnalyst.migrationProgressed(vmId, percent, downtimeMillis);
            case HostMessage.NetworkChanged _ -> askCapabilities();
            case HostMessage.Malformed(String reason) ->
                    complaints.about("message not understood", reason);
            case HostMessage.Connected _ -> connected();
            case HostMessage.Disconnected(HostFailure failure) -> disconnected(failure);
            case HostMessage.PollAnswered(long number, HostAnswer<VmReports> answer) ->
                    pollAnswered(arrived(Call.VMS, number), answer);
            case HostMessage.CapabilitiesAnswered(
                            long number,
                            HostAnswer<HostCapabilities> answer) -> {
                if (arrived(Call.CAPABILITIES, number)) {
                    capabilitiesAnswered(answer);
                }
            }
            case HostMessage.HardwareAnswered(long number, HostAnswer<HostHardware> answer) -> {
                if (arrived(Call.HARDWARE, number)) {
                    hardwareAnswered(answer);
                }
            }
            case HostMessage.StatisticsAnswered(long number, HostAnswer<HostStatistics> answer) -> {
                if (arrived(Call.STATISTICS, number)) {
                    statisticsAnswered(answer);
                }
            }
            case HostMessage.Run(_, Runnable work) -> {
                work.run();
                loseVmsIfUnwatched();
            }
            case HostMessage.Destroy destroy -> leftovers.destroy(destroy, usable());
            case HostMessage.Clear clear -> leftovers.clear(clear, usable());
            case HostMessage.DestroyAnswered(VmId vmId, HostAnswer<VmId> answer) ->
                    leftovers.answered(vmId, answer, usable());
            case HostMessage.Gone(VmId vmId, long answeredNanos) ->
                    analyst.gone(vmId, answeredNanos);
            case HostMessage.Poll _ -> wantPoll();
            case HostMessage.Resume(var vm) -> {
                analyst.resume(vm);
                loseVmsIfUnwatched();
            }
            case HostMessage.Refresh _ -> {
                askCapabilities();
                wantPoll();
            }
            case HostMessage.RulesChanged _ -> keeper.rulesChanged();
            case HostMessage.Ordered(HostFact.Order order, var answer) -> ordered(order, answer);
            case HostMessage.Retire(var answer) -> retire(answer);
            case HostMessage.Redefine(HostDefinition definition) -> redefined(definition);
            case HostMessage.Stop _ -> stopped = true;
        }
    }

    private boolean arrived(Call call, long number) {
        progress.heard();
        return calls.arrived(call, number, clock.nanoTime());
    }

    private void ordered(HostFact.Order order, CompletableFuture<OrderAnswer> answer) {
        String refusal = keeper.decide(order);
        if (refusal != null) {
            answer.complete(new OrderAnswer.Refused(keeper.status(), refusal));
        } else {
            HostStatus status = keeper.status();
            services.writer()
                    .afterCommit(id, () -> answer.complete(new OrderAnswer.Followed(status)));
        }
    }

    private void retire(CompletableFuture<OrderAnswer> answer) {
        HostStatus status = keeper.status();
        int vms = services.registry().on(id).size();
        if (!HostAnalysis.isRemovable(status)) {
            answer.complete(
                    new OrderAnswer.Refused(status, "it must be put into maintenance first"));
        } else if (vms > 0) {
            answer.complete(new OrderAnswer.Refused(status, vms + " VMs are on it"));
        } else {
            // Whoever asked and did not wait leaves the host watched.
            stopped = answer.complete(new OrderAnswer.Followed(status));
        }
    }

    /** Whether its connection stands. Any thread. */
    boolean isConnected() {
        return connected;
    }

    /** Carries out what the core decided about the watching itself. */
    private void run(HostDecision.Step step) {
        switch (step) {
            case LOSE_VMS -> loseVms();
            case FORGET_STAMPS -> forgetStamps();
            case FORGET_USAGE -> numbers.forgetUsage();
            case FORGET_STORAGE -> numbers.forgetStorage();
            case ASK_CAPABILITIES -> askCapabilities();
            case ASK_STATISTICS -> askStatistics();
            case POLL -> wantPollNow();
            case CONNECT -> {
                attempted = false;
                timers.set(Timer.CONNECT, clock.nanoTime());
            }
            case DISCONNECT -> {
                timers.cancel(Timer.CONNECT);
                closeConnection();
            }
        }
    }

    /** What was said before the host was left alone is not the truth any more. */
    private void loseVmsIfUnwatched() {
        if (!keeper.status().isRefreshed()) {
            loseVms();
        }
    }

    /** Nobody can say how the VMs fare; one that a command holds is looked at again. */
    private void loseVms() {
        vmsToLose = !analyst.lost(clock.nanoTime());
    }

    /**
     * A host that became up or non-operational may have booted meanwhile, so that its clock started
     * again. One that tells its boot id says so itself, and one whose connection stood all the time
     * did not boot: their stamps go on to tell what is older.
     */
    private void forgetStamps() {
        if (bootUuid == null && session != sessionOfStamps) {
            boot = services.uniqueNumbers().incrementAndGet();
        }
        sessionOfStamps = session;
    }

    /** If it fails, it is tried again. */
    private void open() {
        timers.set(Timer.CONNECT, clock.nanoTime() + settings.refresh().toNanos());
        connection = services.connector().open(state().definition(), new Listener());
        timers.cancel(Timer.CONNECT);
    }

    private void redefined(HostDefinition definition) {
        HostDefinition before = state().definition();
        keeper.redefined(definition);
        if (!definition.isReachedLike(before)) {
            reopen();
        }
    }

    private void reopen() {
        boolean wanted = keeper.status().isRefreshed() && !timers.isSet(Timer.CONNECT);
        if (wanted) {
            // Should closing fail, it is opened at the next turn.
            timers.set(Timer.CONNECT, clock.nanoTime());
        }
        closeConnection();
        if (wanted) {
            open();
        }
    }

    private void closeConnection() {
        HostConnection open = connection;
        connection = null;
        connected = false;
        session++;
        calls.forget();
        if (open != null) {
            open.close();
            mailbox.forgetConnection();
        }
    }

    private void end() {
        ended = true;
        guard("end", this::closeConnection);
        mailbox.close();
        externals.clear();
        devices.clear();
        Meter meter = ageMeter;
        if (meter != null && !abandoned) {
            services.meters().remove(meter);
        }
        ageMeter = null;
    }

    /** The connection while it stands, otherwise null. */
    private @Nullable HostConnection usable() {
        return connected ? connection : null;
    }

    private void connected() {
        session++;
        attempted = true;
        connected = true;
        if (isCertificateRefused()) {
            lastFailure = null;
        }
        calls.forget();
        leftovers.connected();
        claims.connected();
        externals.connected();
        devices.connected();
        log.info(LOG, "host={} connected", state().definition().name());
        askCapabilities();
        askHardware();
        if (keeper.status().isInContact()) {
            askStatistics();
            poll();
        }
    }

    private void disconnected(HostFailure failure) {
        if (connected) {
            log.info(
                    LOG,
                    "host={} disconnected: {}",
                    state().definition().name(),
                    failure.describe());
        }
        attempted = true;
        connected = false;
        session++;
        calls.forget();
        failed("no connection", failure);
    }

    /** The statistics cycle of a host in contact (monitoring specification §3.2). */
    private void cycle() {
        if (!connected || !keeper.status().isInContact()) {
            return;
        }
        askStatistics();
        if (capabilitiesMissed || networkMissed) {
            networkMissed = calls.isPending(Call.CAPABILITIES);
            askCapabilities();
        }
        if (calls.isPending(Call.VMS)) {
            services.meters().cycleSkipped();
            return;
        }
        poll();
        askDomains();
    }

    /** A host out of contact is asked who it is; one that is being left, who is still there. */
    private void lookAgain() {
        keeper.decide(new HostFact.TimePassed());
        HostStatus status = keeper.status();
        if (!status.isRefreshed()) {
            if (vmsToLose) {
                loseVms();
            }
            return;
        }
        if (!connected) {
            HostFailure cause = lastFailure;
            if (attempted && cause != null) {
                failed("no connection", cause);
            }
        } else if (status == HostStatus.PREPARING_FOR_MAINTENANCE) {
            askStatistics();
        } else if (!status.isInContact()) {
            askCapabilities();
        }
    }

    private void askCapabilities() {
        HostConnection open = usable();
        if (open != null && !calls.isPending(Call.CAPABILITIES)) {
            long number = calls.asked(Call.CAPABILITIES, clock.nanoTime());
            open.capabilities(
                    answer -> mailbox.post(new HostMessage.CapabilitiesAnswered(number, answer)));
        }
    }

    private void askHardware() {
        HostConnection open = usable();
        if (open != null) {
            long number = calls.asked(Call.HARDWARE, clock.nanoTime());
            open.hardware(answer -> mailbox.post(new HostMessage.HardwareAnswered(number, answer)));
        }
    }

    private void askStatistics() {
        HostConnection open = usable();
        if (open != null && !calls.isPending(Call.STATISTICS)) {
            long number = calls.asked(Call.STATISTICS, clock.nanoTime());
            open.statistics(
                    answer -> mailbox.post(new HostMessage.StatisticsAnswered(number, answer)));
        }
    }

    private void wantPoll() {
        pollWanted = true;
    }

    private void wantPollNow() {
        wantPoll();
        if (isPollWanted()) {
            poll();
        }
    }

    private void poll() {
        HostConnection open = usable();
        if (open == null) {
            return;
        }
        pollWanted = false;
        everPolled = true;
        lastPollAskedNanos = clock.nanoTime();
        long number = calls.asked(Call.VMS, lastPollAskedNanos);
        open.vmStatistics(answer -> mailbox.post(new HostMessage.PollAnswered(number, answer)));
    }

    private void pollAnswered(boolean expected, HostAnswer<VmReports> answer) {
        switch (answer) {
            case HostAnswer.Success<VmReports>(VmReports reports) -> {
                try (reports) {
                    if (expected) {
                        pollArrived(reports);
                    }
                }
            }
            case HostAnswer.Failed<VmReports>(HostFailure failure) -> {
                if (expected) {
                    failed("poll failed", failure);
                }
            }
        }
    }

    private void pollArrived(VmReports reports) {
        StatisticsCycleEvent event = new StatisticsCycleEvent();
        event.begin();
        long started = clock.nanoTime();
        event.host = state().definition().name();
        event.bytes = reports.sizeBytes();
        services.meters().decoded(reports.sizeBytes());
        try {
            pollUnderAnalysis = true;
            event.vms = analyst.analyse(reports, boot, session);
            event.complete = true;
            lastPollNanos = reports.receivedNanos();
            lastPollFetchedNanos = reports.fetchedNanos();
            lastPollAt = clock.now();
            leftovers.polled(reports.fetchedNanos());
            externals.polled(reports.receivedNanos());
            keeper.decide(new HostFact.Answered());
            services.feed().statisticsRefreshed(id);
            services.meters().cycle(clock.nanoTime() - started, event.vms);
        } catch (MalformedReport e) {
            complaints.about("poll not understood", String.valueOf(e.getMessage()));
            lastFailure = new HostFailure.ProtocolViolation(String.valueOf(e.getMessage()));
        } finally {
            pollUnderAnalysis = false;
            event.changed = analyst.changed();
            event.commit();
        }
        askDomains();
    }

    /**
     * Handles what the host sent while one of its polls is being analysed, so that an event never
     * waits for thousands of VMs. What the poll says about a VM that such an event changed is older
     * than the event, and dropped as such.
     */
    private void takeEvents() {
        HostMessage message = mailbox.pollUnasked();
        while (message != null) {
            handle(message);
            message = mailbox.pollUnasked();
        }
    }

    private void event(VmReports reports) {
        try (reports) {
            services.meters().event();
            services.meters().decoded(reports.sizeBytes());
            limiter.charge(eventAnalyst.analyse(reports, boot, session) - 1);
        } catch (MalformedReport e) {
            complaints.about("event not understood", String.valueOf(e.getMessage()));
            wantPoll();
        }
        askDomains();
    }

    private void capabilitiesAnswered(HostAnswer<HostCapabilities> answer) {
        switch (answer) {
            case HostAnswer.Success<HostCapabilities>(HostCapabilities capabilities) -> {
                capabilitiesMissed = false;
                String reported = capabilities.bootUuid();
                if (reported != null) {
                    if (bootUuid == null && session > 1) {
                        // Whether it is another boot than before nobody knows: a claim is kept.
                        claims.lost();
                        rebooted("first report of a boot id");
                    } else if (bootUuid != null && !bootUuid.equals(reported)) {
                        claims.booted();
                        rebooted("boot id changed");
                        bootTimeSeconds = null; // the new boot time belongs to this boot
                    }
                    bootUuid = reported;
                    claims.bootTold();
                }
                numbers.take(capabilities);
                keeper.capabilities(capabilities);
            }
            case HostAnswer.Failed<HostCapabilities>(HostFailure failure) -> {
                // A boot that nobody told of would keep old stamps in force.
                capabilitiesMissed = true;
                failed("capabilities failed", failure);
            }
        }
    }

    private void hardwareAnswered(HostAnswer<HostHardware> answer) {
        switch (answer) {
            case HostAnswer.Success<HostHardware>(HostHardware hardware) ->
                    keeper.hardware(hardware);
            case HostAnswer.Failed<HostHardware>(HostFailure failure) ->
                    complaints.about("hardware failed", failure.describe());
        }
    }

    private void statisticsAnswered(HostAnswer<HostStatistics> answer) {
        switch (answer) {
            case HostAnswer.Success<HostStatistics>(HostStatistics statistics) -> {
                Long bootTime = statistics.bootTimeEpochSeconds();
                if (bootTime != null) {
                    if (bootTimeSeconds != null
                            && Math.abs(bootTime - bootTimeSeconds) > BOOT_TIME_TOLERANCE_SECONDS) {
                        claims.booted();
                        rebooted("boot time changed");
                        bootUuid = null; // the next boot id belongs to this boot
                    }
                    bootTimeSeconds = bootTime;
                    claims.bootTold();
                }
                numbers.take(statistics, services.rules().memory(id));
                services.feed().hostRefreshed();
                keeper.statistics(statistics);
            }
            case HostAnswer.Failed<HostStatistics>(HostFailure failure) ->
                    failed("statistics failed", failure);
        }
    }

    private void rebooted(String how) {
        boot = services.uniqueNumbers().incrementAndGet();
        log.info(LOG, "host={} booted again: {}", state().definition().name(), how);
        // Reports that were sorted out by the stamps of the former boot are asked for again.
        wantPoll();
    }

    private void failed(String subject, HostFailure failure) {
        progress.heard();
        lastFailure = failure;
        complaints.about(subject, failure.describe());
        switch (failure) {
            case HostFailure.Unreachable _,
                    HostFailure.UnknownAddress _,
                    HostFailure.Untrusted _,
                    HostFailure.WrongCertificate _,
                    HostFailure.TimedOut _,
                    HostFailure.Recovering _ ->
                    keeper.failed(failure);
            case HostFailure.Overloaded _,
                    HostFailure.Refused _,
                    HostFailure.ProtocolViolation _ -> {
                // It answers, so it is there.
                keeper.decide(new HostFact.Answered());
            }
        }
    }

    /** Once all that a poll says is known: its VMs are asked for together. */
    private void askDomains() {
        if (!pollUnderAnalysis) {
            devices.ask();
            externals.ask();
            externalData.ask();
        }
    }

    /** What the devices of the host's VMs need of this monitor. */
    private final class Here implements HostThread {

        @Override
        public @Nullable HostConnection connection() {
            return connected ? connection : null;
        }

        @Override
        public void run(String what, Runnable work) {
            mailbox.post(new HostMessage.Run(what, work));
        }

        @Override
        public void wantPoll() {
            HostMonitor.this.wantPoll();
        }
    }

    /** Passes on what the connection says, tagged with nothing: order of arrival is enough. */
    private final class Listener implements HostListener {

        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return services.certificates().shown(dialled, shown);
        }

        @Override
        public void connected() {
            mailbox.post(new HostMessage.Connected());
        }

        @Override
        public void disconnected(HostFailure failure) {
            mailbox.post(new HostMessage.Disconnected(failure));
        }

        @Override
        public void vmsChanged(VmReports reports) {
            mailbox.post(new HostMessage.Event(reports));
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            mailbox.post(new HostMessage.MigrationProgressed(vmId, percent, downtimeMillis));
        }

        @Override
        public void networkChanged() {
            mailbox.post(new HostMessage.NetworkChanged());
        }

        @Override
        public void malformed(String reason) {
            mailbox.post(new HostMessage.Malformed(reason));
        }

        @Override
        public void unexplained(String what) {
            mailbox.post(new HostMessage.Malformed(what));
        }

        @Override
        public void slowed() {
            mailbox.post(new HostMessage.Run("a flood of data", limiter::slowed));
        }

        @Override
        public void altered(String call) {
            services.meters().textAltered();
            complaints.about(TEXTS_ALTERED, "in the answer to " + call);
        }
    }
}
