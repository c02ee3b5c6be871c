package org.stillwater.relay.intake;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;

/**
 * The relays that report statistics to the engine, and their reports. The engine accepts reports of
 * a relay only about the hosts that are configured for it. Thread-safe.
 */
public final class RelayIntake {

    /** Hosts by relay and identity. */
    private final Map<HostId, Entry> hosts = new LinkedHashMap<>();

    private final Set<String> names;
    private final Map<HostId, Runnable> listeners = new ConcurrentHashMap<>();
    private final EngineClock clock;

    /** A host and its configured relay. */
    private record Entry(String relay, HostIntake intake) {}

    /**
     * An intake without connected relays.
     *
     * @param relays the hosts of each relay, by its name; a host belongs to one relay only
     * @param mostCells most cells of the state of one host
     * @throws IllegalArgumentException if two relays have the same host
     */
    public RelayIntake(Map<String, List<HostId>> relays, int mostCells, EngineClock clock) {
        this.clock = clock;
        this.names = Set.copyOf(relays.keySet());
        new TreeMap<>(relays)
                .forEach((name, own) -> {
                    for (HostId host : own.stream().sorted().toList()) {
                        if (hosts.put(host, new Entry(name, new HostIntake(mostCells))) != null) {
                            throw new IllegalArgumentException(
                                    "the host " + host + " is named twice among the relays");
                        }
                    }
                });
    }

    /** The intake of a host; null for a host without relay. */
    @Nullable HostIntake of(HostId host) {
        Entry entry = hosts.get(host);
        return entry == null ? null : entry.intake();
    }

    /** The intake of a host at one relay; null if the relay is not configured for the host. */
    @Nullable HostIntake of(String relay, HostId host) {
        Entry entry = hosts.get(host);
        return entry != null && entry.relay().equals(relay) ? entry.intake() : null;
    }

    /** Whether a relay of this name is configured. */
    boolean isKnown(String relay) {
        return names.contains(relay);
    }

    /** Registers an action that runs on the stream's thread when a poll of the host is usable. */
    void listen(HostId host, Runnable listener) {
        listeners.put(host, listener);
    }

    /** Removes the action. */
    void ignore(HostId host, Runnable listener) {
        listeners.remove(host, listener);
    }

    /** A poll of the host is usable. */
    void arrived(HostId host) {
        Runnable listener = listeners.get(host);
        if (listener != null) {
            listener.run();
        }
    }

    /**
     * State of a host at its relay.
     *
     * @param host the host
     * @param relay the configured relay
     * @param trouble why the engine polls the host itself, one clause; null while the relay
     *     replaces the polls
     */
    public record HostStatus(HostId host, String relay, @Nullable String trouble) {}

    /** The state of a host at its relay; null for a host without relay. */
    public @Nullable HostStatus status(HostId host) {
        Entry entry = hosts.get(host);
        return entry == null
                ? null
                : new HostStatus(host, entry.relay(), entry.intake().trouble(clock.nanoTime()));
    }

    /** Hosts with a relay that replaces their polls. */
    public int pushed() {
        long now = clock.nanoTime();
        int pushed = 0;
        for (Entry entry : hosts.values()) {
            pushed += entry.intake().trouble(now) == null ? 1 : 0;
        }
        return pushed;
    }

    /**
     * State of all hosts with a relay.
     *
     * @param hosts number of these hosts
     * @param pushed number of hosts with a relay that replaces their polls
     * @param polled the first of the other hosts, by relay and host
     */
    public record Summary(int hosts, int pushed, List<HostStatus> polled) {}

    /**
     * The state of all hosts with a relay. Checks each host once and allocates nothing for healthy
     * ones.
     *
     * @param most number of the other hosts to list
     */
    public Summary summary(int most) {
        long now = clock.nanoTime();
        int pushed = 0;
        List<HostStatus> polled = new ArrayList<>();
        for (Map.Entry<HostId, Entry> each : hosts.entrySet()) {
            String trouble = each.getValue().intake().trouble(now);
            if (trouble == null) {
                pushed++;
            } else if (polled.size() < most) {
                polled.add(new HostStatus(each.getKey(), each.getValue().relay(), trouble));
            }
        }
        return new Summary(hosts.size(), pushed, List.copyOf(polled));
    }
}
