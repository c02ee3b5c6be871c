package org.stillwater.relay.agent;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.relay.state.HostLedger;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.vm.ReportLedger;
import org.stillwater.vdsm.client.CallPassage;

/**
 * Watches one host: polls it each interval, takes its events, and keeps its state in a ledger. Used
 * on the loop only; as a listener it gets calls on the connection's threads and hands them over to
 * the loop.
 */
final class HostWatch implements HostListener {

    private static final Logger log = LoggerFactory.getLogger(HostWatch.class);

    private static final Duration QUIET = Duration.ofMinutes(1);

    private final HostDefinition host;
    private final @Nullable CertificateFingerprint pinned;
    private final HostLedger ledger;
    private final Loop loop;
    private final Duration interval;
    private final int mostEvents;
    private final Environment environment;
    private final ReportLedger vms;
    private final AtomicInteger eventsWaiting = new AtomicInteger();

    /** The certificate that the host showed last and that was accepted; null without TLS. */
    private volatile @Nullable CertificateFingerprint certificate;

    private @Nullable HostConnection connection;
    private boolean connected;
    private @Nullable String reason = "not connected yet";
    private boolean pollPending;
    private long poll;
    private long session;
    private long mark;
    private long eventsDropped;
    private boolean complained;
    private long complainedNanos;
    private @Nullable Instant polledAt;

    /** Services of the relay for a watch. Used on the loop. */
    interface Environment {
        /** The stream to the engine that stands; 0 for none. */
        long session();

        /** The newest mark received over it; 0 for none. */
        long mark();

        /** The ledger of a host has changed. */
        void changed(HostWatch watch);

        /** The wall clock. */
        Instant now();
    }

    /**
     * A watch that is not started.
     *
     * @param pinned the certificate that the host must show; null for a certificate with the host's
     *     address
     * @param mostEvents events that may wait for the loop; further ones are dropped and replaced by
     *     a poll
     */
    HostWatch(
            HostDefinition host,
            @Nullable CertificateFingerprint pinned,
            HostLedger ledger,
            Loop loop,
            Duration interval,
            int mostEvents,
            Environment environment) {
        this.host = host;
        this.pinned = pinned;
        this.ledger = ledger;
        this.loop = loop;
        this.interval = interval;
        this.mostEvents = mostEvents;
        this.environment = environment;
        this.vms = new ReportLedger(ledger, this::complain);
    }

    /** The first problem of each minute is logged. */
    private void complain(String what) {
        long now = loop.nanoTime();
        if (!complained || now - complainedNanos >= QUIET.toNanos()) {
            complained = true;
            complainedNanos = now;
            log.warn("host={} not understood: {}", host.name(), what);
        }
    }

    /** The host. */
    HostDefinition host() {
        return host;
    }

    /** The host as the stream offers it. */
    EngineStream.Offered offered() {
        return new EngineStream.Offered(host.id(), host.name(), ledger.epoch());
    }

    /** Opens the connection and polls at this phase of each interval. */
    void start(HostConnector connector, Duration phase) {
        connection = connector.open(host, this);
        loop.after(phase, this::tick);
    }

    /** Closes the connection. */
    void stop() {
        HostConnection open = connection;
        connection = null;
        if (open != null) {
            open.close();
        }
    }

    /**
     * Passes a call on to the host.
     *
     * @param shown the certificate that the host showed the engine; null without TLS
     */
    void pass(
            CallPassage.PassedCall call,
            @Nullable CertificateFingerprint shown,
            CallPassage.Outcome outcome) {
        CertificateFingerprint own = certificate;
        if (!(connection instanceof CallPassage passage)) {
            outcome.notSent(new HostFailure.Unreachable("the relay ends"));
        } else if (shown != null && own != null && !shown.equals(own)) {
            outcome.notSent(
                    new HostFailure.WrongCertificate(
                            "the host shows the relay another certificate than the engine"));
        } else {
            passage.pass(call, outcome);
        }
    }

    private void tick() {
        if (connection != null) {
            loop.after(interval, this::tick);
            ask();
        }
    }

    private void ask() {
        HostConnection open = connection;
        if (open == null || !connected || pollPending) {
            return;
        }
        pollPending = true;
        ReportLedger.Asked asked = vms.asked();
        long askedSession = environment.session();
        long askedMark = environment.mark();
        open.vmStatistics(
                answer -> loop.execute(() -> answered(answer, asked, askedSession, askedMark)));
    }

    private void answered(
            HostAnswer<VmReports> answer,
            ReportLedger.Asked asked,
            long askedSession,
            long askedMark) {
        if (!vms.isPresent(asked)) {
            if (answer instanceof HostAnswer.Success<VmReports>(VmReports late)) {
                late.close();
            }
            return; // of a closed connection
        }
        pollPending = false;
        switch (answer) {
            case HostAnswer.Failed<VmReports>(HostFailure failure) ->
                    log.warn("host={} a poll failed: {}", host.name(), failure.describe());
            case HostAnswer.Success<VmReports>(VmReports reports) -> {
                try (reports) {
                    if (vms.polled(asked, reports)) {
                        poll++;
                        session = askedSession;
                        mark = askedMark;
                        polledAt = environment.now();
                    }
                } catch (MalformedReport malformed) {
                    complain("a poll: " + malformed.getMessage());
                }
                changed();
            }
        }
    }

    private void changed() {
        ledger.put(HostCells.id(), new HostCells(connected, poll, session, mark, reason).cells());
        ledger.commit();
        environment.changed(this);
    }

    private void event(VmReports reports) {
        eventsWaiting.decrementAndGet();
        try (reports) {
            vms.event(reports);
            changed();
        } catch (MalformedReport malformed) {
            complain("an event: " + malformed.getMessage());
            ask();
        }
    }

    // Callbacks of the connection, on its own threads.

    @Override
    public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
        String refusal = refusal(dialled, shown);
        if (refusal == null) {
            certificate = shown.fingerprint();
        }
        return refusal;
    }

    private @Nullable String refusal(HostDefinition dialled, HostCertificate shown) {
        if (pinned != null) {
            return shown.fingerprint().equals(pinned)
                    ? null
                    : "the host shows another certificate than the relay's configuration names";
        }
        return shown.names().match(dialled.address())
                ? null
                : "the certificate is not for "
                        + dialled.address()
                        + "; name its SHA-256 fingerprint in the relay's configuration to accept"
                        + " it";
    }

    @Override
    public void connected() {
        loop.execute(() -> {
            vms.connectionChanged();
            connected = true;
            reason = null;
            pollPending = false;
            log.info("host={} connected", host.name());
            changed();
            ask();
        });
    }

    @Override
    public void disconnected(HostFailure failure) {
        loop.execute(() -> {
            vms.connectionChanged();
            connected = false;
            pollPending = false;
            reason = failure.describe();
            log.warn("host={} not connected: {}", host.name(), reason);
            changed();
        });
    }

    @Override
    public void vmsChanged(VmReports reports) {
        if (eventsWaiting.incrementAndGet() > mostEvents) {
            eventsWaiting.decrementAndGet();
            reports.close();
            loop.execute(this::dropped);
        } else {
            loop.execute(() -> event(reports));
        }
    }

    private void dropped() {
        eventsDropped++;
        ask();
    }

    @Override
    public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
        // The engine's own connection to the host reports this.
    }

    @Override
    public void networkChanged() {
        // The engine reads capabilities itself.
    }

    @Override
    public void malformed(String why) {
        loop.execute(() -> complain(why));
    }

    /** State of the watch, for the health page. Used on the loop. */
    HostStatus status() {
        return new HostStatus(host, connected, reason, polledAt, ledger.size() - 1, eventsDropped);
    }

    /**
     * State of the watch of one host.
     *
     * @param vms VMs in the state
     * @param eventsDropped events that did not fit
     */
    record HostStatus(
            HostDefinition host,
            boolean connected,
            @Nullable String reason,
            @Nullable Instant polledAt,
            int vms,
            long eventsDropped) {}
}
