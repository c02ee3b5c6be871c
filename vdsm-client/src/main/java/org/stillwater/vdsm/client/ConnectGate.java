package org.stillwater.vdsm.client;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.stillwater.core.time.EngineClock;

/**
 * Keeps a start, or the return of a network, from becoming a storm: attempts of all hosts are
 * spaced out, and only so many hosts are in the middle of a handshake. Thread-safe.
 *
 * <p>TCP connecting is spaced but not counted: a thousand black-holed addresses, each of which
 * takes the whole connect timeout, must not keep the living hosts waiting. A host that accepted
 * begins to count, though, and drops clients without a handshake after 10 s (protocol page §1.3).
 * So no client waits for its turn with an open connection: it closes the connection, waits, and
 * connects again at its turn.
 */
final class ConnectGate {
    private final EngineClock clock;
    private final long spacingNanos;
    private final Semaphore handshakes;
    private long nextNanos;

    ConnectGate(EngineClock clock, VdsmClientSettings.Reconnect settings) {
        this.clock = clock;
        this.spacingNanos = settings.spacing().toNanos();
        this.handshakes = new Semaphore(settings.concurrentHandshakes(), true);
        this.nextNanos = clock.nanoTime();
    }

    /** Takes the next slot and returns the wait until it begins. */
    synchronized Duration nextSlot() {
        long now = clock.nanoTime();
        if (nextNanos - now < 0) {
            nextNanos = now;
        }
        long wait = nextNanos - now;
        nextNanos += spacingNanos;
        return Duration.ofNanos(wait);
    }

    /** Takes the right to start a handshake if it can be had now. */
    boolean tryEnterHandshake() {
        return handshakes.tryAcquire();
    }

    /** Waits for the right to start a handshake. */
    void enterHandshake() throws InterruptedException {
        handshakes.acquire();
    }

    void leaveHandshake() {
        handshakes.release();
    }
}
