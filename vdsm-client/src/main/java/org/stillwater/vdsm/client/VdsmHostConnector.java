package org.stillwater.vdsm.client;

import java.io.IOException;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HostProbe;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;

/**
 * Opens connections to VDSM hosts. All of them share buffers, timers and the pace of connecting.
 */
public final class VdsmHostConnector implements HostConnector, HostProbe {
    private final ConnectionResources wire;
    private final VmDecoder.Pool decoders = new VmDecoder.Pool();

    /**
     * A connector.
     *
     * @param settings every setting
     * @param clock the only source of time
     * @param timers run scheduled actions
     * @param meter counts traffic
     * @param seed of the jitter in reconnecting
     */
    public VdsmHostConnector(
            VdsmClientSettings settings,
            EngineClock clock,
            Timers timers,
            WireMeter meter,
            long seed) {
        this.wire = new ConnectionResources(settings, clock, timers, meter, seed);
    }

    /**
     * Reads the TLS files now instead of at the first connection, so that a program can refuse to
     * start with files that cannot work.
     *
     * @throws IOException with one sentence for the operator
     */
    public void checkTlsFiles() throws IOException {
        if (wire.tls != null) {
            wire.tls.current();
        }
    }

    /**
     * Reads the TLS files of a connection that is not made yet.
     *
     * @throws IOException with one sentence for the operator
     */
    public static void checkTlsFiles(TlsSettings.KeyMaterial files) throws IOException {
        var _ = new TlsContexts(files).current();
    }

    /** Whether there is TLS, and its files were whole once: otherwise no host can be trusted. */
    public boolean hasTlsFiles() {
        return wire.tls != null && wire.tls.isLoaded();
    }

    /**
     * Reads the TLS files now; new connections use them, those that stand stay.
     *
     * @return one line for the operator about the files in use
     * @throws IOException with one sentence for the operator when the present files are missing or
     *     broken, or there is no TLS; the previous files stay in use
     */
    public String rereadTlsFiles() throws IOException {
        if (wire.tls == null) {
            throw new IOException("there is no TLS");
        }
        return wire.tls.reread();
    }

    /** Why the previous TLS files are in use instead of the present ones; null if they are not. */
    public @Nullable String tlsFilesTrouble() {
        return wire.tls == null ? null : wire.tls.trouble();
    }

    /**
     * Lets a tap listen to the traffic of these hosts, in place of the present one, if any; costs
     * nothing without one.
     *
     * @param tap null to end it
     */
    public void listen(Set<HostId> hosts, @Nullable WireTap tap) {
        wire.listen(hosts, tap);
    }

    /**
     * Sends the commands of hosts through passages, from the next {@link #open} of a host on:
     * orders about VMs, and calls about volumes, leases and tasks. Readings stay on the
     * connections. A command that a passage certainly did not send goes over the connection.
     *
     * @param passages the passage of each host; null for its own connection
     */
    public void passCommandsThrough(Function<HostId, @Nullable CallPassage> passages) {
        wire.passCommandsThrough(passages);
    }

    /** Bytes of received messages that are not decoded yet, over all hosts, for metrics. */
    public long bufferedBytes() {
        return wire.segments.lentBytes();
    }

    /** Bytes that connections have borrowed to read or write just now. */
    long borrowedBytes() {
        return wire.buffers.lentBytes();
    }

    @Override
    public HostConnection open(HostDefinition host, HostListener listener) {
        VdsmHostConnection connection = new VdsmHostConnection(host, listener, wire, decoders);
        connection.start();
        return connection;
    }

    @Override
    public HostProbe.Result test(HostDefinition host) throws InterruptedException {
        return new ConnectionTest(host, wire).run();
    }
}
