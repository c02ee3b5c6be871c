package org.stillwater.vdsm.client;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.port.EngineClock;
import org.stillwater.vdsm.stomp.SegmentPool;

/** What all connections share. Thread-safe. */
final class Wire {
    final VdsmClientSettings settings;
    final EngineClock clock;
    final Timers timers;
    final WireMeter meter;
    final ConnectGate gate;
    final SegmentPool segments;
    final @Nullable TlsContexts tls;
    private final SplittableRandom random;

    Wire(
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
        this.segments =
                new SegmentPool(
                        SegmentPool.DEFAULT_SEGMENT_BYTES, settings.bounds().idleBufferBytes());
        this.tls =
                settings.tls() instanceof TlsSettings.Mutual mutual
                        ? new TlsContexts(mutual.material())
                        : null;
        this.random = new SplittableRandom(seed);
    }

    /** A source of jitter for one host. */
    synchronized SplittableRandom newRandom() {
        return random.split();
    }
}
