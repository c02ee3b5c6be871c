package org.stillwater.relay.intake;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.Hello;
import org.stillwater.vdsm.client.CallPassage;

/**
 * The relays that report statistics to the engine, and their reports. The engine accepts reports of
 * a relay only about the hosts that are configured for it, and sends it commands of no other hosts.
 * Thread-safe.
 */
public final class RelayIntake {

    /** Hosts by relay and identity. */
    private final Map<HostId, Entry> hosts = new LinkedHashMap<>();

    private final Set<String> names;
    private final Map<HostId, Runnable> listeners = new ConcurrentHashMap<>();

    /** The present streams of hosts that take calls. */
    private final Map<HostId, Line> lines = new ConcurrentHashMap<>();

    private volatile @Nullable Commands commands;
    private final EngineClock clock;

    /** A host and its configured relay. */
    private record Entry(String relay, HostIntake intake) {}

    /** A host's position in a stream that takes calls. */
    private record Line(CallLane lane, int position) {}

    private record Commands(CommandLimits limits, Consumer<CommandOutcome> meter) {}

    /**
     * Limits of commands through relays. A command beyond them goes over the engine's connection.
     *
     * @param perHost most commands under way for one host
     * @param perRelay most commands under way over one stream
     * @param callBytes largest parameters of one command; of one stream, eight times as many bytes
     *     may be under way
     */
    public record CommandLimits(int perHost, int perRelay, int callBytes) {}

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

    /**
     * Sends commands of hosts through their relays, where these stand in for the polls and take
     * calls. Called before the first stream.
     *
     * @param meter counts commands of hosts with a relay; any thread
     */
    public void carryCommands(CommandLimits limits, Consumer<CommandOutcome> meter) {
        commands = new Commands(limits, meter);
    }

    /** The passage of a host's commands; null if they use the engine's own connection. */
    public @Nullable CallPassage passage(HostId host) {
        Entry entry = hosts.get(host);
        Commands carried = commands;
        return entry == null || carried == null
                ? null
                : (call, outcome) -> pass(host, entry, carried, call, outcome);
    }

    private void pass(
            HostId host,
            Entry entry,
            Commands carried,
            CallPassage.PassedCall call,
            CallPassage.Outcome outcome) {
        Line line = lines.get(host);
        String why = detour(entry, line);
        if (why != null || line == null) {
            carried.meter().accept(CommandOutcome.UNAVAILABLE);
            outcome.notSent(new HostFailure.Unreachable(String.valueOf(why)));
        } else {
            line.lane().pass(line.position(), entry.intake().certificate(), call, outcome);
        }
    }

    /**
     * Why commands of a host use the engine's own connection, one clause; null while they go
     * through the relay. That connection must stand as well, so the relay makes no host reachable
     * that is not.
     */
    private @Nullable String detour(Entry entry, @Nullable Line line) {
        if (commands == null) {
            return "stillwater.relay.commands is direct";
        }
        String trouble = entry.intake().trouble(clock.nanoTime());
        if (trouble != null) {
            return trouble;
        }
        if (line == null) {
            return "relay " + entry.relay() + " takes no calls";
        }
        return entry.intake().isDirectlyConnected()
                ? null
                : "the engine is not connected to the host";
    }

    /** The lane of a new stream; null if the relay takes no calls, or gets none. */
    @Nullable CallLane lane(Hello hello, Predicate<FromEngine> stream, Consumer<String> broken) {
        Commands carried = commands;
        return carried == null || hello.getCalls() == 0
                ? null
                : new CallLane(hello, carried.limits(), stream, broken, clock, carried.meter());
    }

    /** Calls of a host go over this lane from now on. */
    void attach(HostId host, CallLane lane, int position) {
        lines.put(host, new Line(lane, position));
    }

    /** A lane has ended; calls over a later one stay. */
    void detach(HostId host, CallLane lane, int position) {
        lines.remove(host, new Line(lane, position));
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
     * @param detour why the host's commands use the engine's own connection, one clause; null while
     *     they go through the relay
     */
    public record HostStatus(
            HostId host, String relay, @Nullable String trouble, @Nullable String detour) {}

    /** The state of a host at its relay; null for a host without relay. */
    public @Nullable HostStatus status(HostId host) {
        Entry entry = hosts.get(host);
        return entry == null ? null : status(host, entry, clock.nanoTime());
    }

    private HostStatus status(HostId host, Entry entry, long now) {
        return new HostStatus(
                host, entry.relay(), entry.intake().trouble(now), detour(entry, lines.get(host)));
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
     * @param commanded number of hosts with commands that go through a relay
     */
    public record Summary(int hosts, int pushed, List<HostStatus> polled, int commanded) {}

    /**
     * The state of all hosts with a relay. Checks each host once and allocates nothing for healthy
     * ones.
     *
     * @param most number of the other hosts to list
     */
    public Summary summary(int most) {
        long now = clock.nanoTime();
        int pushed = 0;
        int commanded = 0;
        List<HostStatus> polled = new ArrayList<>();
        for (Map.Entry<HostId, Entry> each : hosts.entrySet()) {
            String trouble = each.getValue().intake().trouble(now);
            if (trouble == null) {
                pushed++;
                commanded += detour(each.getValue(), lines.get(each.getKey())) == null ? 1 : 0;
            } else if (polled.size() < most) {
                polled.add(status(each.getKey(), each.getValue(), now));
            }
        }
        return new Summary(hosts.size(), pushed, List.copyOf(polled), commanded);
    }
}
