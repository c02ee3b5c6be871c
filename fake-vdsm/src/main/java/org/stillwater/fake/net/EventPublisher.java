package org.stillwater.fake.net;

/** Sends a host's events. Thread-safe; never blocks on a slow reader. */
@FunctionalInterface
public interface EventPublisher {

    /**
     * Sends an event to every subscriber of {@code jms.queue.events} of one host, on all its
     * connections, and to no other one (§1.4.5). Events of one host leave in the order of these
     * calls, unless a fault changes it. Without a subscriber the event is lost, as on a host.
     *
     * @param host the host that sends; an unknown host is ignored
     * @param event the event
     */
    void publish(HostName host, HostEvent event);
}
