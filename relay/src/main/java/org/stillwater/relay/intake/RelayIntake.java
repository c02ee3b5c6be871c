package org.stillwater.relay.intake;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.port.EngineClock;

/**
 * The relays that the engine takes statistics from, and what they say. A relay is believed about
 * the hosts that it is configured for, and no other. Thread-safe.
 */
public final class RelayIntake {

    private final Map<String, Set<HostId>> relays;
    private final Map<HostId, HostIntake> intakes = new HashMap<>();
    private final Map<HostId, Runnable> listeners = new ConcurrentHashMap<>();
    private final EngineClock clock;

    /**
     * An intake to which no relay is connected.
     *
     * @param relays the hosts of each relay, by its name; a host belongs to one relay only
     * @param mostCells most cells of the state of one host
     * @throws IllegalArgumentException if two relays have the same host
     */
    public RelayIntake(Map<String, List<HostId>> relays, int mostCells, EngineClock clock) {
        this.clock = clock;
        Map<String, Set<HostId>> copy = new TreeMap<>();
        relays.forEach((name, hosts) -> {
            copy.put(name, Set.copyOf(hosts));
            for (HostId host : hosts) {
                if (intakes.put(host, new HostIntake(mostCells)) != null) {
                    throw new IllegalArgumentException(
                            "the host " + host + " is named twice among the relays");
                }
            }
        });
        this.relays = Collections.unmodifiableMap(copy);
    }

    /** The intake of a host; null for a host without relay. */
    @Nullable HostIntake of(HostId host) {
        return intakes.get(host);
    }

    /** The intake of a host at one relay; null if the relay is not believed about the host. */
    @Nullable HostIntake of(String relay, HostId host) {
        Set<HostId> hosts = relays.get(relay);
        return hosts != null && hosts.contains(host) ? intakes.get(host) : null;
    }

    /** Whether there is a relay of this name. */
    boolean isKnown(String relay) {
        return relays.containsKey(relay);
    }

    /** Runs something when a poll of the host can be taken; on the stream's thread. */
    void listen(HostId host, Runnable listener) {
        listeners.put(host, listener);
    }

    /** Ends that. */
    void ignore(HostId host, Runnable listener) {
        listeners.remove(host, listener);
    }

    /** A poll of the host can be taken. */
    void arrived(HostId host) {
        Runnable listener = listeners.get(host);
        if (listener != null) {
            listener.run();
        }
    }

    /**
     * How a host fares at its relay.
     *
     * @param host the host
     * @param relay the relay that is configured for it
     * @param trouble why the engine asks the host itself, one clause; null while the relay stands
     *     for it
     */
    public record HostStatus(HostId host, String relay, @Nullable String trouble) {}

    /** How a host fares at its relay; null for a host without relay. */
    public @Nullable HostStatus status(HostId host) {
        HostIntake intake = intakes.get(host);
        if (intake == null) {
            return null;
        }
        for (Map.Entry<String, Set<HostId>> each : relays.entrySet()) {
            if (each.getValue().contains(host)) {
                return new HostStatus(host, each.getKey(), intake.trouble(clock.nanoTime()));
            }
        }
        return null;
    }

    /** Hosts for which a relay stands. */
    public int pushed() {
        long now = clock.nanoTime();
        return (int)
                intakes.values().stream().filter(intake -> intake.trouble(now) == null).count();
    }

    /** How every host with a relay fares, by relay and host. */
    public List<HostStatus> statuses() {
        long now = clock.nanoTime();
        return relays.entrySet().stream()
                .flatMap(relay ->
                        relay.getValue().stream()
                                .sorted()
                                .map(host -> status(relay.getKey(), host, now)))
                .toList();
    }

    private HostStatus status(String relay, HostId host, long now) {
        HostIntake intake = intakes.get(host);
        return new HostStatus(
                host, relay, intake == null ? "it is not configured" : intake.trouble(now));
    }
}
