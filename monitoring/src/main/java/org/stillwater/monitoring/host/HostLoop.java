package org.stillwater.monitoring.host;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostDecision;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.cadence.CadenceReason;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmReports;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostCalls.Call;
import org.stillwater.monitoring.host.HostTimers.Timer;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * The work of one host's thread: one message after the other, then the due work of the schedule.
 *
 * <p>A failure of a message costs only that message, is counted, and is reported once per quiet
 * period. No call waits for its answer on this thread; each has a deadline.
 *
 * <p>It is long because messages, timers and the due work of a host are one order on one thread.
 */
final class HostLoop {

    private static final Logger LOG = HostMonitor.LOG;

    private final MonitoredHost host;
    private final ThrottledLog warnings;
    private final HostStatusKeeper keeper;
    private final HostLink link;
    private final HostQuestions questions;
    private final HostReadings readings;
    private final HostNumbers numbers;
    private final EventLimiter limiter;
    private final VmReportIntake vms;
    private final Progress progress;

    /** Whether VMs may be shown as known although the host is not watched. */
    private boolean vmsToLose;

    /** Whether a time is known at which the next turn is due at the latest. */
    private boolean planned;

    private long dueNanos;

    private boolean stopped;
    private boolean ended;

    /**
     * A loop that does not run.
     *
     * @param known the host from the database or as it was added
     * @param connectDelay delay of the first connection
     */
    HostLoop(HostState known, HostServices services, Duration connectDelay) {
        HostId id = known.definition().id();
        HostMonitorSettings settings = services.settings();
        this.warnings =
                new ThrottledLog(
                        LOG,
                        services.clock(),
                        settings.quietPeriod(),
                        "host=" + known.definition().name());
        HostAuditLog audits = new HostAuditLog(id, services, warnings);
        this.host =
                new MonitoredHost(
                        id,
                        services,
                        new HostLogs(
                                warnings,
                                audits,
                                new HostLog(settings.flood(), services.clock(), warnings)),
                        new Mailbox(settings.mailboxEvents(), settings.mailboxBytes()),
                        new PollSchedule(id, settings),
                        HostCadence.of(services));
        this.limiter = new EventLimiter(id, services, warnings);
        this.progress = new Progress(services.clock());
        this.link = new HostLink(host, limiter, progress);
        this.keeper = new HostStatusKeeper(known, host, this::run);
        this.questions = new HostQuestions(host, link, keeper);
        this.vms = new VmReportIntake(host, link, keeper, limiter, this::takeEvents);
        this.numbers =
                new HostNumbers(
                        id,
                        settings.limits(),
                        audits,
                        services.clock(),
                        services.meters(),
                        services.recentHistory());
        this.readings = new HostReadings(host, questions, keeper, vms.claims(), numbers);
        this.vmsToLose = !known.status().isRefreshed();
        if (known.status().isRefreshed()) {
            host.schedule().connectAt(host.nanoTime() + connectDelay.toNanos());
        }
    }

    // Parts that other threads may use.

    MonitoredHost host() {
        return host;
    }

    HostStatusKeeper keeper() {
        return keeper;
    }

    HostLink link() {
        return link;
    }

    HostNumbers numbers() {
        return numbers;
    }

    EventLimiter limiter() {
        return limiter;
    }

    VmReportIntake vms() {
        return vms;
    }

    Progress progress() {
        return progress;
    }

    /** Whether the host's watching is to end. On the host's thread. */
    boolean isStopped() {
        return stopped;
    }

    /**
     * The top frame of a turn: an error that no guard below takes care of, such as {@link
     * OutOfMemoryError}, costs one message and never the watching of the host.
     */
    void turn() throws InterruptedException {
        try {
            HostMessage message = host.mailbox().await(untilDue());
            noticeStandstill();
            if (message != null) {
                handle(message);
            }
            runDue();
        } catch (InterruptedException stop) {
            throw stop;
        } catch (Throwable e) {
            warnings.about("monitoring failed and continues", e.toString(), e);
        }
    }

    /** Does everything that can be done without waiting; whether there was anything to do. */
    boolean pump() {
        boolean worked = false;
        while (!stopped) {
            boolean due = untilDue() <= 0;
            noticeStandstill();
            HostMessage message = host.mailbox().poll();
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

    /** Closes the connection and frees waiting callers. */
    void end() {
        ended = true;
        guard("end", link::close);
        host.mailbox().close();
        vms.domains().clear();
    }

    boolean isEnded() {
        return ended;
    }

    private long untilDue() {
        long now = host.nanoTime();
        long until = Math.min(host.schedule().untilNext(now), link.calls().untilDeadline(now));
        return questions.isPollPossible()
                ? Math.min(until, host.schedule().untilWantedPoll(now))
                : until;
    }

    /**
     * A turn that comes much too late means that the engine stood still, as on a machine that was
     * paused. Nothing was heard of any host then, so the time does not count as silence of this
     * one.
     */
    private void noticeStandstill() {
        if (!planned) {
            return;
        }
        long now = host.nanoTime();
        long late = now - dueNanos;
        if (late > host.settings().interval().toNanos()) {
            keeper.notWatchedFor(late);
            dueNanos = now;
        }
    }

    private void runDue() {
        guard("schedule", this::runTimers);
        long until = untilDue();
        planned = until != Long.MAX_VALUE;
        dueNanos = planned ? host.nanoTime() + Math.max(0, until) : 0;
    }

    /** A failure costs the rest of this turn only: the timers are set anyway. */
    private void runTimers() {
        try {
            fireTimers(host.nanoTime());
        } finally {
            host.schedule().plan(keeper.status(), vmsToLose, host.nanoTime());
        }
    }

    private void fireTimers(long now) {
        PollSchedule schedule = host.schedule();
        if (schedule.fire(Timer.CONNECT, now)) {
            open();
        }
        HostCalls calls = link.calls();
        for (HostFailure late = calls.giveUp(now); late != null; late = calls.giveUp(now)) {
            readings.failed("no answer", late);
        }
        if (schedule.fire(Timer.CYCLE, now)) {
            if (questions.cycle()) {
                vms.askDomains();
            }
            pace();
        }
        if (schedule.fire(Timer.REFRESH, now)) {
            lookAgain();
        }
        if (schedule.fire(Timer.RECHECK, now)) {
            questions.askCapabilities();
        }
        limiter.timePassed();
        host.logs().audits().timePassed();
        long dropped = host.mailbox().takeDropped();
        if (dropped > 0) {
            for (long i = 0; i < dropped; i++) {
                host.services().meters().eventDropped();
            }
            warnings.about("events dropped", dropped + " did not fit; a poll replaces them");
            schedule.wantPoll();
        }
        if (questions.isPollPossible() && schedule.untilWantedPoll(now) <= 0) {
            questions.poll();
        }
    }

    private void guard(String what, Runnable work) {
        String outer = progress.begin(what);
        try {
            work.run();
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            // One message or timer is lost; monitoring continues.
            warnings.about("failed: " + what, e.toString(), e);
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

    /** One poll, and the capabilities with the next cycle, replace the content of such messages. */
    private void leaveOut(HostMessage message) {
        message.discard();
        if (message instanceof HostMessage.NetworkChanged) {
            questions.networkMissed();
        } else {
            host.schedule().wantPoll();
        }
    }

    private void dispatch(HostMessage message) {
        switch (message) {
            case HostMessage.Event(VmReports reports) -> vms.event(reports);
            case HostMessage.MigrationProgressed(VmId vmId, int percent, Long downtimeMillis) ->
                    vms.migrationProgressed(vmId, percent, downtimeMillis);
            case HostMessage.NetworkChanged _ -> questions.askCapabilities();
            case HostMessage.Malformed(String reason) ->
                    warnings.about("message not understood", reason);
            case HostMessage.Connected _ -> connected();
            case HostMessage.Disconnected(HostFailure failure) -> disconnected(failure);
            case HostMessage.PollAnswered(long number, HostAnswer<VmReports> answer) ->
                    pollAnswered(link.arrived(Call.VMS, number), answer);
            case HostMessage.CapabilitiesAnswered(
                            long number,
                            HostAnswer<HostCapabilities> answer) -> {
                if (link.arrived(Call.CAPABILITIES, number)) {
                    readings.capabilities(answer);
                }
            }
            case HostMessage.HardwareAnswered(long number, HostAnswer<HostHardware> answer) -> {
                if (link.arrived(Call.HARDWARE, number)) {
                    readings.hardware(answer);
                }
            }
            case HostMessage.StatisticsAnswered(long number, HostAnswer<HostStatistics> answer) -> {
                if (link.arrived(Call.STATISTICS, number)) {
                    readings.statistics(answer);
                    pace();
                }
            }
            case HostMessage.Run(_, Runnable work) -> {
                work.run();
                loseVmsIfUnwatched();
            }
            case HostMessage.Destroy destroy -> vms.orphans().destroy(destroy, link.connection());
            case HostMessage.Clear clear -> vms.orphans().clear(clear, link.connection());
            case HostMessage.DestroyAnswered(VmId vmId, HostAnswer<VmId> answer) ->
                    vms.orphans().answered(vmId, answer, link.connection());
            case HostMessage.Gone(VmId vmId, long answeredNanos) -> vms.gone(vmId, answeredNanos);
            case HostMessage.Poll _ -> host.schedule().wantPoll();
            case HostMessage.Resume(var vm) -> {
                vms.resume(vm);
                loseVmsIfUnwatched();
            }
            case HostMessage.Refresh _ -> {
                questions.askCapabilities();
                host.schedule().wantPoll();
            }
            case HostMessage.RulesChanged _ -> keeper.rulesChanged();
            case HostMessage.Ordered(HostFact.Order order, var answer) -> ordered(order, answer);
            case HostMessage.Retire(var inAnyStatus, var answer) -> retire(inAnyStatus, answer);
            case HostMessage.Redefine(HostDefinition definition, var seen) ->
                    redefined(definition, seen);
            case HostMessage.Stop _ -> stopped = true;
        }
    }

    /** Adapts the interval to the present state; without effect with fixed intervals. */
    void pace() {
        HostCadence cadence = host.cadence();
        if (cadence != null) {
            long now = host.nanoTime();
            host.schedule().pace(cadence.decide(keepsOrdinary(), now), now);
        }
    }

    private @Nullable CadenceReason keepsOrdinary() {
        HostStatus status = keeper.status();
        if (status != HostStatus.UP) {
            return new CadenceReason.Trouble(
                    "its status is " + status.name().toLowerCase(Locale.ROOT));
        }
        if (keeper.isInterfaceDown()) {
            return new CadenceReason.Trouble("an interface of a required network is down");
        }
        if (vms.claims().size() > 0) {
            return new CadenceReason.Trouble("it reports VMs of other hosts");
        }
        return questions.isLastCyclePushed() ? new CadenceReason.Pushed() : null;
    }

    private void ordered(HostFact.Order order, CompletableFuture<OrderAnswer> answer) {
        String refusal = keeper.decide(order);
        pace();
        if (refusal != null) {
            answer.complete(new OrderAnswer.Refused(keeper.status(), refusal));
        } else {
            HostStatus status = keeper.status();
            host.services()
                    .writer()
                    .afterCommit(
                            host.id(), () -> answer.complete(new OrderAnswer.Followed(status)));
        }
    }

    private void retire(boolean inAnyStatus, CompletableFuture<OrderAnswer> answer) {
        HostStatus status = keeper.status();
        int count = host.services().registry().on(host.id()).size();
        if (!inAnyStatus && !HostAnalysis.isRemovable(status)) {
            answer.complete(new OrderAnswer.Refused(status, "put it into maintenance first"));
        } else if (count > 0) {
            answer.complete(new OrderAnswer.Refused(status, count + " VMs are on it"));
        } else {
            // A caller that did not wait leaves the host watched.
            stopped = answer.complete(new OrderAnswer.Followed(status));
        }
    }

    /** Carries out a step of the core about the watching itself. */
    private void run(HostDecision.Step step) {
        switch (step) {
            case LOSE_VMS -> loseVms();
            case FORGET_STAMPS -> link.boots().becameUsable(link.session());
            case FORGET_USAGE -> numbers.forgetUsage();
            case FORGET_STORAGE -> numbers.forgetStorage();
            case ASK_CAPABILITIES -> questions.askCapabilities();
            case ASK_STATISTICS -> questions.askStatistics();
            case POLL -> questions.pollNow();
            case CONNECT -> {
                link.beginAnew();
                host.schedule().connectAt(host.nanoTime());
            }
            case DISCONNECT -> {
                host.schedule().cancelConnect();
                link.close();
            }
        }
    }

    /** Reports from before the host was left alone no longer hold. */
    private void loseVmsIfUnwatched() {
        if (!keeper.status().isRefreshed()) {
            loseVms();
        }
    }

    /** The VMs' state is unknown; one that a command holds is checked again. */
    private void loseVms() {
        vmsToLose = !vms.lost();
    }

    private void open() {
        link.open(keeper.state().definition());
    }

    private void redefined(HostDefinition definition, CompletableFuture<HostDefinition> seen) {
        HostDefinition before = keeper.state().definition();
        keeper.redefined(definition);
        seen.complete(definition); // before it connects again, which may take a while
        if (!definition.isReachedLike(before)) {
            link.reopen(
                    definition,
                    keeper.status().isRefreshed() && !host.schedule().isConnectPlanned());
        }
    }

    private void connected() {
        link.stands();
        vms.connected();
        host.logs().lines().info(LOG, "host={} connected", keeper.state().definition().name());
        questions.askCapabilities();
        questions.askHardware();
        if (keeper.status().isInContact()) {
            questions.askStatistics();
            questions.poll();
        }
    }

    private void disconnected(HostFailure failure) {
        if (link.isConnected()) {
            host.logs()
                    .lines()
                    .info(
                            LOG,
                            "host={} disconnected: {}",
                            keeper.state().definition().name(),
                            failure.describe());
        }
        link.lost();
        readings.failed("no connection", failure);
    }

    /** Reads the identity of a host out of contact, and the VMs of one that is being left. */
    private void lookAgain() {
        keeper.decide(new HostFact.TimePassed());
        HostStatus status = keeper.status();
        if (!status.isRefreshed()) {
            if (vmsToLose) {
                loseVms();
            }
            return;
        }
        if (!link.isConnected()) {
            HostFailure cause = link.causeOfSilence();
            if (cause != null) {
                readings.failed("no connection", cause);
            }
        } else if (status == HostStatus.PREPARING_FOR_MAINTENANCE) {
            questions.askStatistics();
        } else if (!status.isInContact()) {
            questions.askCapabilities();
        }
    }

    private void pollAnswered(boolean expected, HostAnswer<VmReports> answer) {
        switch (answer) {
            case HostAnswer.Success<VmReports>(VmReports reports) -> {
                try (reports) {
                    if (expected) {
                        vms.poll(reports);
                        pace();
                    }
                }
            }
            case HostAnswer.Failed<VmReports>(HostFailure failure) -> {
                if (expected) {
                    readings.failed("poll failed", failure);
                }
            }
        }
    }

    /**
     * Handles events of the host while one of its polls is being analysed, so that an event never
     * waits for thousands of VMs. The poll's report about a VM that such an event changed is older
     * than the event, and dropped as such.
     */
    private void takeEvents() {
        HostMessage message = host.mailbox().pollUnasked();
        while (message != null) {
            handle(message);
            message = host.mailbox().pollUnasked();
        }
    }
}
