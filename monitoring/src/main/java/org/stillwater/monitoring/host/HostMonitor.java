package org.stillwater.monitoring.host;

import io.micrometer.core.instrument.Meter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.HostAnalysis;
import org.stillwater.core.analysis.HostAnalysis.Contact;
import org.stillwater.core.model.HostCondition;
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
import org.stillwater.core.port.HostStore.HostChange;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReports;
import org.stillwater.monitoring.device.DeviceMonitor;
import org.stillwater.monitoring.device.DeviceServices;
import org.stillwater.monitoring.device.ExternalData;
import org.stillwater.monitoring.device.ExternalVms;
import org.stillwater.monitoring.device.HostThread;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.observe.StatisticsCycleEvent;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * Watches one host: keeps the connection, polls on schedule, takes events in, and knows how the
 * host fares.
 *
 * <p>Everything happens on one thread, one message after the other, so hosts cannot disturb each
 * other: a host that is slow, stuck or sends nonsense delays only itself. Whatever goes wrong with
 * a message costs that message, is counted, and is told once per quiet period.
 *
 * <p>The statistics cycle runs at a fixed phase of the interval that follows from the host's id, so
 * that the polls of a fleet are spread evenly and stay so. A cycle is left out while the previous
 * poll is pending.
 */
public final class HostMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(HostMonitor.class);
    private static final long NEVER = Long.MAX_VALUE;

    /** A host that booted again says so by more than rounding of its boot time. */
    private static final long BOOT_TIME_TOLERANCE_SECONDS = 5;

    private final HostId id;
    private final HostServices services;
    private final EngineClock clock;
    private final Mailbox mailbox;
    private final Complaints complaints;
    private final ExternalVms externals;
    private final DeviceMonitor devices;
    private final ExternalData externalData;
    private final VmAnalyst analyst;
    private final VmAnalyst eventAnalyst;
    private final long startNanos;

    // Read by any thread.
    private volatile HostState state;
    private volatile boolean connected;
    private volatile @Nullable Numbers numbers;
    private volatile @Nullable Instant lastPollAt;
    private volatile long lastPollNanos;
    private volatile @Nullable Thread thread;

    // Used by the host's thread only.
    private @Nullable HostConnection connection;
    private Contact contact;
    private volatile HostFailure lastFailure = new HostFailure.Unreachable("no connection yet");

    /** Whether a first attempt to connect has ended; until then silence says nothing. */
    private boolean attempted;

    private int session;
    private int boot;
    private @Nullable String bootUuid;
    private boolean capabilitiesMissed;
    private @Nullable Long bootTimeSeconds;
    private long connectAt;
    private long cycleAt = NEVER;
    private long pollNumber;
    private long pendingPoll;
    private long pendingPollSince;
    private boolean pollWanted;
    private long lastPollAskedNanos;
    private boolean everPolled;
    private final Set<VmId> destroying = new HashSet<>();
    private final Map<VmId, Long> destroyedAt = new HashMap<>();
    private boolean pollUnderAnalysis;
    private boolean stopped;
    private @Nullable Meter ageMeter;

    private record Numbers(HostStatistics statistics, Instant at) {}

    /**
     * A monitor that does nothing until it is told to begin.
     *
     * @param known the host as the database holds it or as it was added
     * @param connectDelay how long to wait before the first connection
     */
    public HostMonitor(HostState known, HostServices services, Duration connectDelay) {
        this.id = known.definition().id();
        this.services = services;
        this.clock = services.clock();
        this.state = known;
        HostMonitorSettings settings = services.settings();
        this.mailbox = new Mailbox(settings.mailboxEvents(), settings.mailboxBytes());
        this.complaints =
                new Complaints(
                        LOG, clock, settings.quietPeriod(), "host=" + known.definition().name());
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
                        domains,
                        settings.unknownLimit(),
                        settings.domainChunk(),
                        settings.quietPeriod());
        this.devices =
                new DeviceMonitor(
                        id,
                        shared,
                        here,
                        complaints,
                        domains,
                        settings.unknownLimit(),
                        settings.domainChunk());
        this.externalData =
                new ExternalData(
                        shared,
                        here,
                        complaints,
                        settings.unknownLimit(),
                        settings.externalDataCalls());
        this.analyst = newAnalyst(this::takeEvents);
        this.eventAnalyst = newAnalyst(() -> {});
        this.startNanos = clock.nanoTime();
        this.connectAt = isRefreshed(known.status()) ? startNanos + connectDelay.toNanos() : NEVER;
        this.contact = new Contact(known.status(), 0, startNanos);
        this.ageMeter =
                services.meters()
                        .reportAge(known.definition().name(), this, HostMonitor::reportAgeSeconds);
    }

    private VmAnalyst newAnalyst(Runnable betweenVms) {
        return new VmAnalyst(
                id,
                services,
                externals,
                devices,
                externalData,
                complaints,
                this::wantPoll,
                mailbox::post,
                betweenVms);
    }

    private StoredVm firstState(VmReport.Running report, VmStatic definition) {
        return analyst.firstState(report, definition);
    }

    /** Hosts in these states are left alone (monitoring specification §3.1). */
    private static boolean isRefreshed(HostStatus status) {
        return switch (status) {
            case INSTALLING,
                    INSTALL_FAILED,
                    REBOOT,
                    MAINTENANCE,
                    PENDING_APPROVAL,
                    INSTALLING_OS,
                    DOWN,
                    KDUMPING ->
                    false;
            case UNASSIGNED,
                    UP,
                    NON_RESPONSIVE,
                    ERROR,
                    PREPARING_FOR_MAINTENANCE,
                    NON_OPERATIONAL,
                    INITIALIZING,
                    CONNECTING ->
                    true;
        };
    }

    /** Identity of the host. */
    public HostId id() {
        return id;
    }

    /** Begins to watch, on a thread of its own. */
    public void start() {
        thread = Thread.ofVirtual().name("host-" + state.definition().name()).start(this::run);
    }

    /** Hands a message in. Any thread; does not block. */
    void tell(HostMessage message) {
        mailbox.post(message);
    }

    /** Asks for a complete poll outside the schedule. Any thread. */
    public void refresh() {
        mailbox.post(new HostMessage.Refresh());
    }

    /** Changes how the host is reached. Any thread. */
    public void redefine(HostDefinition definition) {
        mailbox.post(new HostMessage.Redefine(definition));
    }

    /** Asks the monitor to end; {@link #awaitEnd} waits for it. Any thread. */
    public void stop() {
        mailbox.post(new HostMessage.Stop());
    }

    /** Waits for the end of the thread, and insists when it does not come. */
    public void awaitEnd(Duration patience) throws InterruptedException {
        Thread running = thread;
        if (running != null && !running.join(patience)) {
            LOG.warn("host={} monitor did not stop in time", state.definition().name());
            running.interrupt();
        }
    }

    /** What is known about the host. */
    public HostState state() {
        return state;
    }

    /** Whether the host is known not to respond. */
    public boolean isNonResponsive() {
        return state.status() == HostStatus.NON_RESPONSIVE;
    }

    /** The host as a reader sees it. */
    public HostView view() {
        Numbers seen = numbers;
        return new HostView(
                state,
                connected,
                seen == null ? null : seen.statistics(),
                seen == null ? null : seen.at(),
                lastPollAt,
                services.registry().on(id).size(),
                committedMemoryMebibytes(state));
    }

    private long committedMemoryMebibytes(HostState seen) {
        HostCapabilities capabilities = seen.capabilities();
        Long own = capabilities == null ? null : capabilities.memory().guestOverheadMebibytes();
        return services.registry().on(id).committedMemoryMebibytes() + (own == null ? 0 : own);
    }

    /** How the watching fares. */
    public HostHealth health() {
        HostState seen = state;
        Instant polled = lastPollAt;
        long since = polled == null ? startNanos : lastPollNanos;
        boolean overdue =
                clock.nanoTime() - since > services.settings().interval().multipliedBy(2).toNanos();
        String reason = seen.reason();
        if (reason == null && overdue) {
            reason = lastFailure.describe();
        } else if (reason == null && polled == null) {
            reason = "no complete poll yet";
        }
        return new HostHealth(
                seen.definition(),
                seen.status(),
                seen.since(),
                reason,
                polled,
                overdue,
                complaints.counts());
    }

    /** Number of TPM and NVRAM data of its VMs that are being saved. */
    public int externalDataOpen() {
        return externalData.open();
    }

    /** Age of the newest complete poll; NaN before the first. */
    public double reportAgeSeconds() {
        return lastPollAt == null ? Double.NaN : (clock.nanoTime() - lastPollNanos) / 1e9;
    }

    private void run() {
        try {
            while (!stopped) {
                HostMessage message = mailbox.await(untilDue());
                if (message != null) {
                    handle(message);
                }
                runDue();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // told to end at once
        } finally {
            end();
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
        return worked;
    }

    private long untilDue() {
        long now = clock.nanoTime();
        long until = NEVER;
        if (connectAt != NEVER) {
            until = Math.min(until, connectAt - now);
        }
        if (cycleAt != NEVER) {
            until = Math.min(until, cycleAt - now);
        }
        if (pendingPoll != 0) {
            until =
                    Math.min(
                            until,
                            pendingPollSince + services.settings().pollDeadline().toNanos() - now);
        } else if (pollWanted && connected) {
            until = Math.min(until, wantedPollAt() - now);
        }
        return until;
    }

    private long wantedPollAt() {
        return everPolled
                ? lastPollAskedNanos + services.settings().repollPause().toNanos()
                : clock.nanoTime();
    }

    private void runDue() {
        guard("schedule", this::runTimers);
    }

    private void runTimers() {
        long now = clock.nanoTime();
        if (connectAt != NEVER && connectAt - now <= 0) {
            connectAt = NEVER;
            cycleAt = nextCycleAfter(now);
            open();
        }
        if (pendingPoll != 0
                && now - pendingPollSince >= services.settings().pollDeadline().toNanos()) {
            pendingPoll = 0;
            pollFailed(
                    new HostFailure.TimedOut(
                            "the poll", Duration.ofNanos(now - pendingPollSince).toMillis()));
        }
        if (cycleAt != NEVER && cycleAt - now <= 0) {
            cycleAt = nextCycleAfter(now);
            cycle();
        }
        long dropped = mailbox.takeDropped();
        if (dropped > 0) {
            for (long i = 0; i < dropped; i++) {
                services.meters().eventDropped();
            }
            complaints.about("events dropped", dropped + " did not fit, a poll makes up for them");
            wantPoll();
        }
        if (pollWanted && connected && pendingPoll == 0 && wantedPollAt() - now <= 0) {
            poll();
        }
    }

    /** The next moment of this host's phase, which its id fixes. */
    private long nextCycleAfter(long now) {
        long interval = services.settings().interval().toNanos();
        long phase = Math.floorMod(id.hashCode() * 0x9E3779B97F4A7C15L, interval);
        long next = now - Math.floorMod(now, interval) + phase;
        return next - now <= 0 ? next + interval : next;
    }

    private void guard(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            // One message or timer is lost; the host goes on being watched.
            complaints.about("failed: " + what, e.toString(), e);
        }
    }

    private void handle(HostMessage message) {
        String what =
                message instanceof HostMessage.Run(String told, _)
                        ? told
                        : message.getClass().getSimpleName();
        guard(what, () -> dispatch(message));
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
            case HostMessage.PollAnswered(long poll, HostAnswer<VmReports> answer) ->
                    pollAnswered(poll, answer);
            case HostMessage.CapabilitiesAnswered(
                            int answeredSession,
                            HostAnswer<HostCapabilities> answer) -> {
                if (answeredSession == session) {
                    capabilitiesAnswered(answer);
                }
            }
            case HostMessage.HardwareAnswered(
                            int answeredSession,
                            HostAnswer<HostHardware> answer) -> {
                if (answeredSession == session) {
                    hardwareAnswered(answer);
                }
            }
            case HostMessage.StatisticsAnswered(
                            int answeredSession,
                            HostAnswer<HostStatistics> answer) -> {
                if (answeredSession == session) {
                    statisticsAnswered(answer);
                }
            }
            case HostMessage.Run(_, Runnable work) -> work.run();
            case HostMessage.Destroy destroy -> destroy(destroy);
            case HostMessage.DestroyAnswered(VmId vmId, HostAnswer<VmId> answer) ->
                    destroyAnswered(vmId, answer);
            case HostMessage.Resume(var vm) -> analyst.resume(vm);
            case HostMessage.Refresh _ -> wantPoll();
            case HostMessage.Redefine(HostDefinition definition) -> reopen(definition);
            case HostMessage.Stop _ -> stopped = true;
        }
    }

    private void open() {
        connection = services.connector().open(state.definition(), new Listener());
    }

    private void reopen(HostDefinition definition) {
        closeConnection();
        HostState seen = state;
        publish(
                new HostState(
                        definition,
                        seen.status(),
                        seen.since(),
                        seen.reason(),
                        seen.capabilities(),
                        seen.hardware(),
                        0));
        if (connectAt == NEVER) {
            open();
        }
    }

    private void closeConnection() {
        HostConnection open = connection;
        connection = null;
        connected = false;
        session++;
        pendingPoll = 0;
        if (open != null) {
            open.close();
        }
    }

    private void end() {
        guard("end", this::closeConnection);
        mailbox.close();
        externals.clear();
        devices.clear();
        services.meters().remove(ageMeter);
        ageMeter = null;
    }

    private void connected() {
        session++;
        attempted = true;
        connected = true;
        destroying.clear();
        LOG.info("host={} connected", state.definition().name());
        // A poll that was asked for on the former connection was answered with its loss.
        pendingPoll = 0;
        askCapabilities();
        HostConnection open = connection;
        if (open != null) {
            int asked = session;
            open.hardware(answer -> mailbox.post(new HostMessage.HardwareAnswered(asked, answer)));
        }
        askStatistics();
        poll();
    }

    private void disconnected(HostFailure failure) {
        if (connected) {
            LOG.info("host={} disconnected: {}", state.definition().name(), failure.describe());
        }
        attempted = true;
        connected = false;
        session++;
        pendingPoll = 0;
        failed("no connection", failure);
    }

    private void cycle() {
        if (!connected) {
            if (attempted) {
                failed("no connection", lastFailure);
            }
            return;
        }
        askStatistics();
        if (capabilitiesMissed) {
            askCapabilities();
        }
        if (pendingPoll != 0) {
            services.meters().cycleSkipped();
            return;
        }
        poll();
        askDomains();
    }

    private void askCapabilities() {
        HostConnection open = connection;
        if (open != null && connected) {
            int asked = session;
            open.capabilities(
                    answer -> mailbox.post(new HostMessage.CapabilitiesAnswered(asked, answer)));
        }
    }

    private void askStatistics() {
        HostConnection open = connection;
        if (open != null && connected) {
            int asked = session;
            open.statistics(
                    answer -> mailbox.post(new HostMessage.StatisticsAnswered(asked, answer)));
        }
    }

    private void wantPoll() {
        pollWanted = true;
    }

    private void poll() {
        HostConnection open = connection;
        if (open == null || !connected) {
            return;
        }
        pollWanted = false;
        everPolled = true;
        long number = ++pollNumber;
        pendingPoll = number;
        pendingPollSince = clock.nanoTime();
        lastPollAskedNanos = pendingPollSince;
        open.vmStatistics(answer -> mailbox.post(new HostMessage.PollAnswered(number, answer)));
    }

    private void pollAnswered(long number, HostAnswer<VmReports> answer) {
        boolean expected = number == pendingPoll;
        switch (answer) {
            case HostAnswer.Success<VmReports>(VmReports reports) -> {
                try (reports) {
                    if (expected) {
                        pendingPoll = 0;
                        pollArrived(reports);
                    }
                }
            }
            case HostAnswer.Failed<VmReports>(HostFailure failure) -> {
                if (expected) {
                    pendingPoll = 0;
                    pollFailed(failure);
                }
            }
        }
    }

    private void pollFailed(HostFailure failure) {
        failed("poll failed", failure);
    }

    private void pollArrived(VmReports reports) {
        StatisticsCycleEvent event = new StatisticsCycleEvent();
        event.begin();
        long started = clock.nanoTime();
        event.host = state.definition().name();
        event.bytes = reports.sizeBytes();
        services.meters().decoded(reports.sizeBytes());
        try {
            pollUnderAnalysis = true;
            event.vms = analyst.analyse(reports, boot, session);
            event.complete = true;
            lastPollNanos = reports.receivedNanos();
            lastPollAt = clock.now();
            forgetOldDestroys(reports.fetchedNanos());
            contact = new Contact(contact.status(), 0, clock.nanoTime());
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
            eventAnalyst.analyse(reports, boot, session);
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
                    boolean mayHaveBooted = bootUuid == null && session > 1;
                    if (mayHaveBooted || (bootUuid != null && !bootUuid.equals(reported))) {
                        rebooted(mayHaveBooted ? "boot id told at last" : "boot id changed");
                    }
                    bootUuid = reported;
                }
                HostState seen = state;
                if (!capabilities.equals(seen.capabilities())) {
                    HostCapabilities before = seen.capabilities();
                    services.numa()
                            .reported(
                                    id,
                                    capabilities.numaNodes(),
                                    before == null ? null : before.numaNodes());
                    publish(
                            new HostState(
                                    seen.definition(),
                                    seen.status(),
                                    seen.since(),
                                    seen.reason(),
                                    capabilities,
                                    seen.hardware(),
                                    0));
                    services.writer()
                            .changed(
                                    new HostChange(
                                            id,
                                            HostCondition.of(seen.status()),
                                            List.of(),
                                            capabilities,
                                            null));
                }
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
            case HostAnswer.Success<HostHardware>(HostHardware hardware) -> {
                HostState seen = state;
                if (!hardware.equals(seen.hardware())) {
                    publish(
                            new HostState(
                                    seen.definition(),
                                    seen.status(),
                                    seen.since(),
                                    seen.reason(),
                                    seen.capabilities(),
                                    hardware,
                                    0));
                    services.writer()
                            .changed(
                                    new HostChange(
                                            id,
                                            HostCondition.of(seen.status()),
                                            List.of(),
                                            null,
                                            hardware));
                }
            }
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
                        rebooted("boot time changed");
                    }
                    bootTimeSeconds = bootTime;
                }
                numbers = new Numbers(statistics, clock.now());
                compareClocks(statistics.hostClock());
                contact = HostAnalysis.answered(contact, clock.nanoTime());
                takeStatus(null);
            }
            case HostAnswer.Failed<HostStatistics>(HostFailure failure) ->
                    failed("statistics failed", failure);
        }
    }

    /** A wrong clock is told and changes nothing: no decision depends on a host's wall clock. */
    private void compareClocks(@Nullable Instant hostClock) {
        if (hostClock == null) {
            return;
        }
        Duration ahead = Duration.between(clock.now(), hostClock);
        Duration tolerance = services.settings().clockTolerance();
        if (ahead.abs().compareTo(tolerance) > 0) {
            complaints.about(
                    "clock differs",
                    "the host's clock is "
                            + ahead.abs().toSeconds()
                            + (ahead.isNegative() ? " s behind" : " s ahead of")
                            + " the engine's, more than "
                            + tolerance.toSeconds()
                            + " s: check its time synchronisation");
        }
    }

    private void rebooted(String how) {
        boot++;
        LOG.info("host={} booted again: {}", state.definition().name(), how);
        // Reports that were sorted out by the stamps of the former boot are asked for again.
        wantPoll();
    }

    private void failed(String subject, HostFailure failure) {
        lastFailure = failure;
        complaints.about(subject, failure.describe());
        switch (failure) {
            case HostFailure.Unreachable _,
                    HostFailure.UnknownAddress _,
                    HostFailure.Untrusted _,
                    HostFailure.TimedOut _,
                    HostFailure.Recovering _ -> {
                contact =
                        HostAnalysis.failed(
                                contact,
                                failure,
                                clock.nanoTime(),
                                services.registry().on(id).size(),
                                services.settings().patience());
                takeStatus(failure);
            }
            case HostFailure.Overloaded _,
                    HostFailure.Refused _,
                    HostFailure.ProtocolViolation _ -> {
                // It answers, so it is there.
            }
        }
    }

    private void takeStatus(@Nullable HostFailure failure) {
        HostState seen = state;
        HostStatus next = contact.status();
        if (seen.status() != next) {
            String reason = failure == null ? null : failure.describe();
            if (next == HostStatus.UP) {
                LOG.info("host={} from={} to={}", seen.definition().name(), seen.status(), next);
            } else {
                LOG.warn(
                        "host={} from={} to={}: {}",
                        seen.definition().name(),
                        seen.status(),
                        next,
                        reason);
            }
            publish(
                    new HostState(
                            seen.definition(),
                            next,
                            clock.now(),
                            reason,
                            seen.capabilities(),
                            seen.hardware(),
                            0));
            services.writer().changed(HostChange.of(id, HostCondition.of(next)));
        }
        if (next == HostStatus.NON_RESPONSIVE) {
            analyst.lost(clock.nanoTime());
        }
    }

    private void publish(HostState next) {
        if (Objects.equals(next.withRevision(state.revision()), state)) {
            return;
        }
        state = services.feed().hostChanged(next, clock.nanoTime());
    }

    /** Once all that a poll says is known: its VMs are asked for together. */
    private void askDomains() {
        if (!pollUnderAnalysis) {
            devices.ask();
            externals.ask();
            externalData.ask();
        }
    }

    private void destroy(HostMessage.Destroy order) {
        HostConnection open = connection;
        VmId vmId = order.vmId();
        Long done = destroyedAt.get(vmId);
        boolean alreadyDone = done != null && order.fetchedNanos() - done <= 0;
        if (open == null || !connected || alreadyDone || !destroying.add(vmId)) {
            // While there is no connection nothing can be done; the host will say again that the VM
            // is there.
            return;
        }
        if (isWantedAgain(order)) {
            destroying.remove(vmId);
            LOG.info(
                    "vm={} not destroyed on host={}, it came back since: {}",
                    vmId,
                    state.definition().name(),
                    order.why());
            return;
        }
        LOG.info(
                "vm={} destroying its remains on host={}: {}",
                vmId,
                state.definition().name(),
                order.why());
        services.meters().destroyed();
        open.destroy(vmId, answer -> mailbox.post(new HostMessage.DestroyAnswered(vmId, answer)));
    }

    /**
     * An order waits until its cause is durable, which takes as long as the database is away. By
     * then the VM may run here again, or be about to arrive: what would be destroyed is the VM.
     */
    private boolean isWantedAgain(HostMessage.Destroy order) {
        VmManager vm = services.registry().find(order.vmId());
        if (vm == null) {
            return false;
        }
        if (vm.hasParked(id) || !vm.tryLock()) {
            // Whoever holds the VM may be about to start it; the host says again what is left.
            return true;
        }
        try {
            VmState known = vm.state();
            boolean runsHere =
                    known.placement().isOn(id) && !known.runtime().status().isNotRunning();
            boolean comesHere =
                    id.equals(known.placement().migratingTo())
                            && known.observedNanos() - order.fetchedNanos() > 0;
            return runsHere || comesHere || vm.isProcessSeenSince(id, order.fetchedNanos());
        } finally {
            vm.unlock();
        }
    }

    private void destroyAnswered(VmId vmId, HostAnswer<VmId> answer) {
        destroying.remove(vmId);
        switch (answer) {
            case HostAnswer.Success<VmId> _ -> destroyedAt.put(vmId, clock.nanoTime());
            case HostAnswer.Failed<VmId>(HostFailure failure) ->
                    complaints.about("destroy failed", "vm=" + vmId + ": " + failure.describe());
        }
    }

    /** A poll that was asked for later than a VM was destroyed knows that it was. */
    private void forgetOldDestroys(long fetchedNanos) {
        if (!destroyedAt.isEmpty()) {
            destroyedAt.values().removeIf(done -> done - fetchedNanos < 0);
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
    }
}
