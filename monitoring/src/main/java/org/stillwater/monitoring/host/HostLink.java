package org.stillwater.monitoring.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.monitoring.device.HostThread;

/**
 * The connection to one host: opens and closes it, tracks whether it is open, and converts its
 * answers and events to messages to the host's thread. Used by the host's thread only, unless a
 * method documents otherwise.
 */
final class HostLink implements HostThread {

    private final MonitoredHost host;
    private final EventLimiter limiter;
    private final Progress progress;
    private final BootDetection boots;
    private final AnswerTimes answerTimes;
    private final HostCalls calls;

    // Read by any thread.
    private volatile boolean connected;
    private volatile @Nullable HostConnection connection;
    private volatile @Nullable HostFailure lastFailure;

    /** Whether a first attempt to connect has ended; silence before that proves nothing. */
    private boolean attempted;

    private int session;

    /** A link that is not opened. */
    HostLink(MonitoredHost host, EventLimiter limiter, Progress progress) {
        this.host = host;
        this.limiter = limiter;
        this.progress = progress;
        this.boots = new BootDetection(host.services().uniqueNumbers());
        this.answerTimes = new AnswerTimes(host.settings().slowAnswer());
        this.calls = new HostCalls(host.settings().pollDeadline(), answerTimes);
    }

    /** Opens the connection. If that fails, it is tried again. */
    void open(HostDefinition definition) {
        host.schedule().connectAgain(host.nanoTime());
        connection = host.services().connector().open(definition, new Listener());
        host.schedule().cancelConnect();
    }

    /**
     * Closes the connection and opens it again.
     *
     * @param wanted whether it opens at once
     */
    void reopen(HostDefinition definition, boolean wanted) {
        if (wanted) {
            // Should closing fail, it is opened at the next turn.
            host.schedule().connectAt(host.nanoTime());
        }
        close();
        if (wanted) {
            open(definition);
        }
    }

    /** Closes the connection; its unhandled messages are discarded. */
    void close() {
        HostConnection open = connection;
        connection = null;
        connected = false;
        session++;
        calls.forget();
        if (open != null) {
            open.close();
            host.mailbox().forgetConnection();
        }
    }

    /** Closes the connection of a monitor that is given up. Any thread. */
    void abandon() {
        HostConnection open = connection;
        if (open != null) {
            open.close();
        }
    }

    /** The connection stands. */
    void stands() {
        session++;
        attempted = true;
        connected = true;
        if (isCertificateRefused()) {
            lastFailure = null;
        }
        calls.forget();
    }

    /** The connection is lost, or was not made. */
    void lost() {
        attempted = true;
        connected = false;
        session++;
        calls.forget();
    }

    /** From now on silence proves nothing until another attempt to connect has ended. */
    void beginAnew() {
        attempted = false;
    }

    /** Why the host is silent; null while no attempt to connect has ended, or none has failed. */
    @Nullable HostFailure causeOfSilence() {
        return attempted ? lastFailure : null;
    }

    /** Counts connections and their losses. */
    int session() {
        return session;
    }

    /** Which boot of the host its reports are of. */
    BootDetection boots() {
        return boots;
    }

    /** Accepts an answer; false if no call waits for it. */
    boolean arrived(HostCalls.Call call, long number) {
        progress.heard();
        return calls.arrived(call, number, host.nanoTime());
    }

    /** The calls that wait for an answer. */
    HostCalls calls() {
        return calls;
    }

    /** How long the host takes to answer. Any thread. */
    AnswerTimes answerTimes() {
        return answerTimes;
    }

    /** Whether the connection stands. Any thread. */
    boolean isConnected() {
        return connected;
    }

    /** The connection, whether it stands or not; null for none. Any thread. */
    @Nullable HostConnection present() {
        return connection;
    }

    /** The host's answer is not a report. */
    void misunderstood(String reason) {
        lastFailure = new HostFailure.ProtocolViolation(reason);
    }

    /** A contact failed. */
    void failed(HostFailure failure) {
        progress.heard();
        lastFailure = failure;
    }

    /** The newest failure of a contact; null for none. Any thread. */
    @Nullable HostFailure lastFailure() {
        return lastFailure;
    }

    /** Whether the last contact failed by a refused certificate. Any thread. */
    boolean isCertificateRefused() {
        HostFailure failure = lastFailure;
        return failure != null && failure.isUntrusted();
    }

    /** The connection while it stands, otherwise null. */
    @Override
    public @Nullable HostConnection connection() {
        return connected ? connection : null;
    }

    @Override
    public void run(String what, Runnable work) {
        host.mailbox().post(new HostMessage.Run(what, work));
    }

    @Override
    public void wantPoll() {
        host.schedule().wantPoll();
    }

    /** Passes messages of the connection on without tags: the order of arrival is enough. */
    private final class Listener implements HostListener {

        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return host.services().caches().certificates().shown(dialled, shown);
        }

        @Override
        public void connected() {
            host.mailbox().post(new HostMessage.Connected());
        }

        @Override
        public void disconnected(HostFailure failure) {
            host.mailbox().post(new HostMessage.Disconnected(failure));
        }

        @Override
        public void vmsChanged(VmReports reports) {
            host.mailbox().post(new HostMessage.Event(reports));
        }

        @Override
        public void vmsPushed() {
            host.mailbox().post(new HostMessage.Poll());
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            host.mailbox().post(new HostMessage.MigrationProgressed(vmId, percent, downtimeMillis));
        }

        @Override
        public void orderFailed(VmOrder order, HostFailure failure) {
            host.services().signals().vms().orderFailed(order, failure);
        }

        @Override
        public void networkChanged() {
            host.mailbox().post(new HostMessage.NetworkChanged());
        }

        @Override
        public void malformed(String reason) {
            host.mailbox().post(new HostMessage.Malformed(reason));
        }

        @Override
        public void unexplained(String what) {
            host.mailbox().post(new HostMessage.Malformed(what));
        }

        @Override
        public void slowed() {
            host.mailbox().post(new HostMessage.Run("a flood of data", limiter::slowed));
        }

        @Override
        public void altered(String call) {
            host.services().meters().textAltered();
            host.logs().warnings().about(HostMonitor.TEXTS_ALTERED, "in the answer to " + call);
        }
    }
}
