package org.stillwater.monitoring.host;

import io.micrometer.core.instrument.Meter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.cadence.HostDemand;
import org.stillwater.core.cadence.Pace;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.monitoring.device.IntakeTrouble;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.vm.VmManager;

/**
 * Watches one host: keeps the connection, polls on schedule, processes events, and holds the host's
 * state. The core evaluates its answers and its silence, see {@link HostStatusKeeper}.
 *
 * <p>One thread processes one message after the other, so hosts cannot disturb each other: a host
 * that is slow, stuck or sends invalid data delays only itself. A failure affects only its message,
 * is counted, and is logged once per quiet period. No call waits for its answer on this thread;
 * each has a deadline.
 *
 * <p>The statistics cycle runs at a fixed phase of the interval that follows from the host's id, so
 * that the polls of a fleet are spread evenly and stay so. A cycle is skipped while the previous
 * poll is pending. Hosts in contact get no other calls; the identity of hosts out of contact is
 * read at the shorter refresh interval (monitoring specification §3.2, §3.3).
 *
 * <p>It is long because it is the only door of other threads to a host.
 */
public final class HostMonitor {

    /** The log of all that concerns the watching of one host. */
    static final Logger LOG = LoggerFactory.getLogger(HostMonitor.class);

    /** Key of the complaint about texts that were cut or cleaned. */
    static final String TEXTS_ALTERED = "texts cut or cleaned";

    private final HostLoop loop;
    private final HostId id;
    private final HostServices services;
    private final Mailbox mailbox;
    private final HostLink link;
    private final long startNanos;

    // Read by any thread.
    private volatile @Nullable Thread thread;
    private volatile boolean abandoned;
    private volatile @Nullable Stall lastStall;

    private @Nullable Meter ageMeter;

    /**
     * A monitor that is not started.
     *
     * @param known the host from the database or as it was added
     * @param connectDelay delay of the first connection
     */
    public HostMonitor(HostState known, HostServices services, Duration connectDelay) {
        this.id = known.definition().id();
        this.services = services;
        this.loop = new HostLoop(known, services, connectDelay);
        this.mailbox = loop.host().mailbox();
        this.link = loop.link();
        this.startNanos = services.clock().nanoTime();
        this.ageMeter =
                services.meters()
                        .reportAge(known.definition().name(), this, HostMonitor::reportAgeSeconds);
    }

    /** Identity of the host. */
    public HostId id() {
        return id;
    }

    /** Starts monitoring on its own thread. */
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
     * Orders the removal of a VM's remains, unless the VM came back. Any thread.
     *
     * @param why one clause for the log
     * @param sinceNanos when that was found
     */
    public void destroy(VmId vmId, String why, long sinceNanos) {
        mailbox.post(new HostMessage.Destroy(vmId, why, sinceNanos, true));
    }

    /** Cleaner of VMs' remains on this host. */
    public OrphanedVmCleaner orphans() {
        return loop.vms().orphans();
    }

    /**
     * Removes the remains of a VM on this host because the VM is wanted here. That it is left must
     * be durable. Any thread.
     *
     * @return completed with the host's answer, on any thread; always
     */
    public CompletableFuture<HostAnswer<VmId>> clear(VmId vmId) {
        CompletableFuture<HostAnswer<VmId>> answer = new CompletableFuture<>();
        mailbox.post(new HostMessage.Clear(vmId, answer));
        return answer;
    }

    /** The host answered a command that it no longer has a VM. Any thread. */
    public void gone(VmId vmId, long answeredNanos) {
        mailbox.post(new HostMessage.Gone(vmId, answeredNanos));
    }

    /**
     * The present connection, for commands; null for none. Whether it stands shows when it is used.
     * Any thread.
     */
    public @Nullable HostConnection connectionForCommands() {
        return link.present();
    }

    /**
     * Changes how the host is reached. Any thread.
     *
     * @return completed when readers see it; cancelled if this monitor has ended
     */
    public CompletableFuture<HostDefinition> redefine(HostDefinition definition) {
        CompletableFuture<HostDefinition> seen = new CompletableFuture<>();
        mailbox.post(new HostMessage.Redefine(definition, seen));
        return seen;
    }

    /** Whether the last contact failed by a refused certificate. Any thread. */
    public boolean isCertificateRefused() {
        return link.isCertificateRefused();
    }

    /** The certificate that was refused is accepted now: connects without a pause. Any thread. */
    public void certificateConfirmed() {
        HostConnection refused = link.present();
        if (refused != null) {
            refused.reconnect("its certificate was confirmed");
        }
    }

    /** The requirements of the host's cluster have changed. Any thread. */
    public void rulesChanged() {
        mailbox.post(new HostMessage.RulesChanged());
    }

    /** Users gave the host tags or took some: its state is published again. Any thread. */
    public void retagged() {
        mailbox.post(new HostMessage.Run("tags", () -> loop.keeper().retagged()));
    }

    /**
     * Asks something of the host. Any thread.
     *
     * @return completed once the order's result is durable, or when the order is refused
     */
    public CompletableFuture<OrderAnswer> order(HostFact.Order order) {
        CompletableFuture<OrderAnswer> answer = new CompletableFuture<>();
        mailbox.post(new HostMessage.Ordered(order, answer));
        return answer;
    }

    /**
     * Ends the monitoring of a host for its removal, unless that is refused. Any thread.
     *
     * @param inAnyStatus whether it need not be in maintenance
     * @return completed when it has ended or was refused
     */
    public CompletableFuture<OrderAnswer> retire(boolean inAnyStatus) {
        CompletableFuture<OrderAnswer> answer = new CompletableFuture<>();
        mailbox.post(new HostMessage.Retire(inAnyStatus, answer));
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
     * Why the monitor makes no progress; null if it does. Silence for less than two cycles is none.
     * Any thread; for a watchdog.
     *
     * @see #abandon
     */
    public @Nullable Stall stall() {
        WatchdogSettings limits = services.settings().watchdog();
        Duration silence = limits.silence().plus(slack());
        Duration cycles = expectedInterval().multipliedBy(2);
        return loop.progress()
                .stall(
                        state().status().isInContact(),
                        new WatchdogSettings(
                                limits.interval(),
                                limits.task(),
                                silence.compareTo(cycles) < 0 ? cycles : silence),
                        thread);
    }

    /** Present work of the monitor's thread with its stack. Any thread. */
    public Stall work() {
        return loop.progress().present(thread);
    }

    /**
     * Abandons the monitor in favour of a new one of the same host: interrupts its thread, which
     * releases all of its locks, and closes its connection. It has no further effect. Any thread.
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
        link.abandon();
        mailbox.close();
    }

    /** Takes the claims of the host's earlier monitor. Before its start. */
    public void takeOver() {
        loop.vms().claims().takeOver();
    }

    /** The host was removed: its claims no longer count. After the monitor has ended. */
    public void forget() {
        loop.vms().claims().forget();
    }

    /** Notes that this monitor replaced one that stood still. Before it is started. */
    public void revived(Stall stall) {
        lastStall = stall;
        logs().warnings()
                .about("monitoring was stuck", stall.time().toSeconds() + " s in " + stall.task());
    }

    /** Known state of the host. */
    public HostState state() {
        return loop.keeper().state();
    }

    /**
     * Time since the host took its status, or since the engine started; a change of the wall clock
     * does not affect it.
     */
    public Duration inStatusFor() {
        return Duration.ofNanos(services.clock().nanoTime() - loop.keeper().movedNanos());
    }

    /** Whether the host's VMs have no reports: it does not respond or is not polled. */
    public boolean isUnheard() {
        HostStatus status = state().status();
        return status == HostStatus.NON_RESPONSIVE || !status.isRefreshed();
    }

    /** Whether a complete poll that was requested after this time has been analysed. Any thread. */
    public boolean isPolledSince(long nanos) {
        return loop.vms().lastPoll().isSince(nanos);
    }

    private HostLogs logs() {
        return loop.host().logs();
    }

    /** Whether its connection stands. Any thread. */
    boolean isConnected() {
        return link.isConnected();
    }

    /** Audit log for entries that this host causes. Any thread. */
    HostAuditLog audits() {
        return logs().audits();
    }

    /** VMs of other hosts that the host claims to run, by id. Any thread. */
    public List<ContestedVm> contested() {
        return loop.vms().claims().list();
    }

    /** The hosts that claim to run a VM for which another host is responsible. Any thread. */
    public static List<ContestedVm> contested(VmManager vm) {
        return HostClaims.of(vm);
    }

    /** The host as a reader sees it. */
    public HostView view() {
        HostNumbers.Seen seen = numbers().seen();
        HostState state = state();
        return new HostView(
                state,
                link.isConnected(),
                seen.statistics(),
                seen.at(),
                seen.usage(),
                loop.vms().lastPoll().at(),
                services.registry().on(id).size(),
                committedMemoryMebibytes(state),
                services.caches().certificates().of(id));
    }

    private long committedMemoryMebibytes(HostState seen) {
        HostCapabilities capabilities = seen.capabilities();
        Long own = capabilities == null ? null : capabilities.memory().guestOverheadMebibytes();
        return services.registry().on(id).committedMemoryMebibytes() + (own == null ? 0 : own);
    }

    /** The host's numbers. */
    public HostNumbers numbers() {
        return loop.numbers();
    }

    /** How late its events arrive. Any thread. */
    public EventDelay eventDelay() {
        return loop.vms().eventDelay();
    }

    /** The interval of its polls and the reason of it; null where intervals do not adapt. */
    public @Nullable Pace pace() {
        HostCadence cadence = loop.host().cadence();
        return cadence == null ? null : cadence.pace();
    }

    /** Its demand on the CPU budget; null with fixed intervals. */
    public @Nullable HostDemand demand() {
        HostCadence cadence = loop.host().cadence();
        return cadence == null || !state().status().isInContact() ? null : cadence.demand();
    }

    /** By how much longer than with the ordinary interval its numbers are not stale. */
    public Duration slack() {
        return expectedInterval().minus(services.settings().interval()).multipliedBy(2);
    }

    private Duration expectedInterval() {
        HostCadence cadence = loop.host().cadence();
        return cadence == null ? services.settings().interval() : cadence.expected();
    }

    /** A client reads it or one of its VMs. Any thread. */
    public void viewed() {
        HostCadence cadence = loop.host().cadence();
        if (cadence != null && cadence.view(services.clock().nanoTime())) {
            attend();
        }
    }

    /** It gets a command, or a VM of it does. Any thread. */
    public void commanded() {
        HostCadence cadence = loop.host().cadence();
        if (cadence != null && cadence.command(services.clock().nanoTime())) {
            attend();
        }
    }

    /**
     * An alert rule covers it or one of its VMs. Any thread.
     *
     * @param atMost longest interval that the rule allows
     * @param time validity of this call, which a further call extends
     */
    public void ruled(Duration atMost, Duration time) {
        HostCadence cadence = loop.host().cadence();
        if (cadence != null && cadence.rule(atMost, time, services.clock().nanoTime())) {
            attend();
        }
    }

    private void attend() {
        mailbox.post(new HostMessage.Run("cadence", loop::pace));
    }

    /** State of the monitoring. */
    public HostHealth health() {
        HostState seen = state();
        Instant polled = loop.vms().lastPoll().at();
        long since = polled == null ? startNanos : loop.vms().lastPoll().receivedNanos();
        long now = services.clock().nanoTime();
        boolean overdue = now - since > expectedInterval().multipliedBy(2).toNanos();
        Instant floods = loop.limiter().since();
        HostFailure failure = link.lastFailure();
        String reason = seen.reason();
        if (failure != null && (seen.status().isSilent() || (reason == null && overdue))) {
            reason = failure.describe(); // the cause of now, which need not be that of then
        } else if (reason == null && polled == null) {
            reason = "no complete poll yet";
        }
        int contested = loop.vms().claims().size();
        if (contested > 0 && reason == null) {
            reason =
                    contested == 1
                            ? "it claims a VM of another host"
                            : "it claims " + contested + " VMs of other hosts";
        }
        IntakeTrouble intake = loop.vms().domains().externals().trouble();
        if (intake != null && reason == null) {
            reason = intake.describe();
        }
        HostHealth.AnalysisTrouble analysis = loop.vms().lastPoll().trouble();
        if (analysis != null && reason == null) {
            reason = analysis.describe();
        }
        return new HostHealth(
                seen.definition(),
                seen.status(),
                seen.since(),
                reason,
                polled,
                overdue,
                logs().warnings().counts(),
                link.answerTimes().at(now),
                isCertificateRefused(),
                lastStall,
                floods == null ? logs().audits().since() : floods,
                contested,
                intake,
                analysis);
    }

    /** The database has everything known about the host until then. Any thread. */
    public void committed(long epochMillis) {
        loop.keeper().committed(epochMillis);
    }

    /** The last transitions of the host, packed; null for none. Any thread. */
    public byte @Nullable [] packedBeliefs() {
        return loop.keeper().packedBeliefs();
    }

    /** Origin of the known state of the host. Any thread. */
    public HostProvenance provenance() {
        LastPoll poll = loop.vms().lastPoll();
        return new HostProvenance(
                state(),
                health(),
                poll.at(),
                poll.requestedNanos(),
                poll.receivedNanos(),
                numbers().seen().at(),
                loop.keeper().capabilitiesEpochMillis(),
                mailbox.size(),
                mailbox.oldestReportNanos(),
                loop.keeper().committedEpochMillis(),
                expectedInterval(),
                services.settings().refresh());
    }

    /** When the oldest report that waits arrived, monotonic; null if none waits. Any thread. */
    public @Nullable Long oldestReportNanos() {
        return mailbox.oldestReportNanos();
    }

    /** Number of TPM and NVRAM data of its VMs that are being saved. */
    public int externalDataOpen() {
        return loop.vms().domains().externalData().open();
    }

    /** Age of the newest complete poll; NaN before the first. */
    public double reportAgeSeconds() {
        return loop.vms().lastPoll().ageSeconds(services.clock().nanoTime());
    }

    /** A copy without the excess of its interval over the ordinary one. */
    public double comparableAgeSeconds() {
        double age = reportAgeSeconds();
        return pace() == null ? age : Math.max(0, age - slack().toMillis() / 2_000.0);
    }

    private void watch() {
        try {
            while (!loop.isStopped() && !abandoned) {
                loop.turn();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // ordered to end at once
        } finally {
            loop.end();
            forgetMeter();
        }
    }

    /**
     * Does everything that can be done without waiting: for tests that drive the monitor on their
     * own thread instead of starting it.
     *
     * @return whether there was anything to do
     */
    public boolean pump() {
        boolean worked = loop.pump();
        if (loop.isEnded()) {
            forgetMeter();
        }
        return worked;
    }

    private void forgetMeter() {
        Meter meter = ageMeter;
        if (meter != null && !abandoned) {
            services.meters().remove(meter);
        }
        ageMeter = null;
    }
}
