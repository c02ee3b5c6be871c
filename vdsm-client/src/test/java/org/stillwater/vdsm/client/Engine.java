package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.HostCertificate;

/** The engine's side of a test: a connector in virtual time, and everything it heard. */
final class Engine implements HostListener, WireMeter, AutoCloseable {
    final VirtualTime time = new VirtualTime();
    final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    final BlockingQueue<String> unexplained = new LinkedBlockingQueue<>();
    final BlockingQueue<VmReports> events = new LinkedBlockingQueue<>();
    final BlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
    final VdsmHostConnector connector;
    @Nullable HostConnection connection;

    /** Why a certificate is refused; accepts every one by default. */
    volatile BiFunction<HostDefinition, HostCertificate, @Nullable String> trust = (_, _) -> null;

    Engine(VdsmClientSettings settings) {
        connector = new VdsmHostConnector(settings, time, time, this, 42);
    }

    /**
     * Defaults without TLS. Virtual time may leap while the writer, in real time, is at work; so
     * only the test of the write timeout has a short one.
     */
    static VdsmClientSettings plain() {
        VdsmClientSettings d = VdsmClientSettings.defaults(new TlsSettings.Plain());
        VdsmClientSettings.Timeouts t = d.timeouts();
        return new VdsmClientSettings(
                d.tls(),
                new VdsmClientSettings.Timeouts(
                        t.connect(), t.handshake(), t.request(), Duration.ofDays(1), t.close()),
                d.heartBeats(),
                d.reconnect(),
                d.bounds(),
                d.replies());
    }

    static Engine connectedTo(ScriptedHost host) {
        return connectedTo(host, plain());
    }

    static Engine connectedTo(ScriptedHost host, VdsmClientSettings settings) {
        return new Engine(settings).open(host.definition());
    }

    Engine open(HostDefinition host) {
        connection = connector.open(host, this);
        return this;
    }

    /** Takes the next message and compares its beginning. */
    String expect(String beginning) throws InterruptedException {
        String next = told.poll(ScriptedHost.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("told").isNotNull().startsWith(beginning);
        return next;
    }

    <T> Consumer<HostAnswer<T>> receiver() {
        return answers::add;
    }

    Object answer() throws InterruptedException {
        Object answer = answers.poll(ScriptedHost.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(answer).as("an answer").isNotNull();
        return answer;
    }

    HostFailure failure() throws InterruptedException {
        Object answer = answer();
        assertThat(answer).isInstanceOf(HostAnswer.Failed.class);
        return ((HostAnswer.Failed<?>) answer).failure();
    }

    Object success() throws InterruptedException {
        Object answer = answer();
        assertThat(answer).isInstanceOf(HostAnswer.Success.class);
        return ((HostAnswer.Success<?>) answer).value();
    }

    long count(String what) {
        AtomicLong count = counts.get(what);
        return count == null ? 0 : count.get();
    }

    /** Waits for another thread's action. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ScriptedHost.PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end < 0).as(what).isTrue();
            LockSupport.parkNanos(200_000);
        }
    }

    /** Lets exactly the present back-off pass, and returns its length. */
    Duration skipBackOff() {
        await("the back-off", () -> time.pending() == 1);
        Duration wait = time.untilNext();
        time.advance(wait);
        return wait;
    }

    /** Waits until reader and writer of the present connection have nothing left to do. */
    void awaitIdle() {
        await(
                "an idle connection",
                () -> connection instanceof VdsmHostConnection c && c.session().isIdle());
    }

    private void count(String what, long more) {
        counts.computeIfAbsent(what, _ -> new AtomicLong()).addAndGet(more);
    }

    @Override
    public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
        return trust.apply(dialled, shown);
    }

    @Override
    public void connected() {
        told.add("connected");
    }

    @Override
    public void disconnected(HostFailure failure) {
        told.add("disconnected: " + failure.describe());
    }

    @Override
    public void vmsChanged(VmReports reports) {
        events.add(reports);
    }

    @Override
    public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
        told.add("migration " + vmId + " " + percent + " " + downtimeMillis);
    }

    @Override
    public void networkChanged() {
        told.add("network");
    }

    @Override
    public void malformed(String reason) {
        told.add("malformed: " + reason);
    }

    @Override
    public void unexplained(String what) {
        unexplained.add(what);
    }

    @Override
    public void slowed() {
        count("slowed", 1);
    }

    @Override
    public void received(HostId host, int bytes) {
        count("bytes", bytes);
    }

    @Override
    public void frame(HostId host) {
        count("frames", 1);
    }

    @Override
    public void malformed(HostId host) {
        count("malformed", 1);
    }

    @Override
    public void unmatchedAnswer(HostId host) {
        count("unmatched", 1);
    }

    @Override
    public void errorFrame(HostId host) {
        count("errors", 1);
    }

    @Override
    public void lost(HostId host) {
        count("lost", 1);
    }

    @Override
    public void attemptFailed(HostId host) {
        count("attemptsFailed", 1);
    }

    @Override
    public void timedOut(HostId host) {
        count("timedOut", 1);
    }

    @Override
    public void close() {
        if (connection != null) {
            Thread closer = Thread.ofVirtual().start(connection::close);
            while (closer.isAlive()) {
                if (closer.getState() == Thread.State.TIMED_WAITING) {
                    // It waits for the session's end; earlier, time would begin a new attempt.
                    time.advance(Duration.ofSeconds(1));
                }
                LockSupport.parkNanos(500_000);
            }
        }
    }
}
