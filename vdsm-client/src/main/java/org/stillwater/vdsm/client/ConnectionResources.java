package org.stillwater.vdsm.client;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.vdsm.stomp.SegmentPool;

/** The parts that all connections share. Thread-safe. */
final class ConnectionResources {
    final VdsmClientSettings settings;
    final EngineClock clock;
    final Timers timers;
    final WireMeter meter;
    final ConnectGate gate;

    /** Storage of messages that were received and not decoded yet. */
    final SegmentPool segments;

    /** Storage of connections that read or write just now. */
    final SegmentPool buffers;

    final @Nullable TlsContexts tls;
    private final SplittableRandom random;

    /** Null unless a host is recorded: one read for each message. */
    private volatile @Nullable Taps taps;

    private volatile Function<HostId, @Nullable CallPassage> passages = _ -> null;

    /** A tap and the hosts that it listens to. */
    private record Taps(Set<HostId> hosts, WireTap tap) {}

    ConnectionResources(
            VdsmClientSettings settings,
            EngineClock clock,
            Timers timers,
            WireMeter meter,
            long seed) {
        this.settings = settings;
        this.clock = clock;
        this.timers = timers;
        this.meter = meter;
        this.gate = new ConnectGate(clock, settings.reconnect());
        long idle = settings.bounds().idleBufferBytes();
        this.segments = new SegmentPool(SegmentPool.DEFAULT_SEGMENT_BYTES, idle - idle / 4);
        this.buffers = new SegmentPool(SegmentPool.DEFAULT_SEGMENT_BYTES, idle / 4);
        this.tls =
                settings.tls() instanceof TlsSettings.Mutual mutual
                        ? new TlsContexts(mutual.material())
                        : null;
        this.random = new SplittableRandom(seed);
    }

    /** From now on only this tap listens, to these hosts; null for none. */
    void listen(Set<HostId> hosts, @Nullable WireTap tap) {
        taps = tap == null ? null : new Taps(Set.copyOf(hosts), tap);
    }

    /** The tap on a host's connection; null for none. */
    @Nullable WireTap tapOf(HostId host) {
        Taps now = taps;
        return now != null && now.hosts.contains(host) ? now.tap : null;
    }

    /**
     * Commands of connections that open from now on go through these passages, where a host has
     * one.
     */
    void passCommandsThrough(Function<HostId, @Nullable CallPassage> through) {
        passages = through;
    }

    /** The passage of a host's commands; null for its own connection. */
    @Nullable CallPassage passageOf(HostId host) {
        return passages.apply(host);
    }

    /** A source of jitter for one host. */
    synchronized SplittableRandom newRandom() {
        return random.split();
    }
}
