package org.stillwater.fake.net;

import java.time.Duration;

/** An event storm of one host. Each step runs on a virtual thread of its own. */
final class Storm {

    private static final Duration STEP = Duration.ofMillis(10);

    private final TransportResources wire;
    private final SimulatedHost host;
    private final Faults.Active fault;
    private final Runnable ended;
    private final long startedNanos;
    private long sent;

    Storm(TransportResources wire, SimulatedHost host, Faults.Active fault, Runnable ended) {
        this.wire = wire;
        this.host = host;
        this.fault = fault;
        this.ended = ended;
        this.startedNanos = wire.ticker().nanoTime();
    }

    void start() {
        wire.ticker()
                .schedule(
                        STEP,
                        () ->
                                Thread.ofVirtual()
                                        .name("fake-storm-" + host.name())
                                        .start(this::step));
    }

    private synchronized void step() {
        long elapsed = wire.ticker().nanoTime() - startedNanos;
        long due = (long) (elapsed / 1e9 * fault.spec.perSecond());
        boolean over = !fault.inForce();
        while (!over && sent < due) {
            sent++;
            HostEvent event = host.endpoint().freshEvent(fault.spec.vm());
            if (event != null) {
                host.publish(event);
                over = wire.faults().stormed(fault);
            }
        }
        if (over) {
            ended.run();
        } else {
            start();
        }
    }
}
