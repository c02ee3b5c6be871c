package org.stillwater.fake.net;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The subscriptions on one host, across all its connections (§1.4.3–1.4.5). Thread-safe; looking up
 * takes no lock.
 */
final class Broker {

    private final Map<String, List<Subscription>> byDestination = new ConcurrentHashMap<>();
    private final Map<Connection, Map<String, Subscription>> byConnection = new LinkedHashMap<>();

    /**
     * Adds a subscription.
     *
     * @return false if the connection has one of this id already
     */
    synchronized boolean add(Subscription subscription) {
        Map<String, Subscription> own =
                byConnection.computeIfAbsent(subscription.connection(), _ -> new LinkedHashMap<>());
        if (own.putIfAbsent(subscription.id(), subscription) != null) {
            return false;
        }
        byDestination.compute(
                subscription.destination(),
                (_, there) -> {
                    List<Subscription> all = new ArrayList<>(there == null ? List.of() : there);
                    all.add(subscription);
                    return List.copyOf(all);
                });
        return true;
    }

    synchronized void remove(Connection connection, String id) {
        Map<String, Subscription> own = byConnection.get(connection);
        Subscription gone = own == null ? null : own.remove(id);
        if (gone != null) {
            forget(gone);
        }
    }

    synchronized void removeAll(Connection connection) {
        Map<String, Subscription> own = byConnection.remove(connection);
        if (own != null) {
            own.values().forEach(this::forget);
        }
    }

    synchronized int count(Connection connection) {
        Map<String, Subscription> own = byConnection.get(connection);
        return own == null ? 0 : own.size();
    }

    /** Exact matches: how answers and events are routed. */
    List<Subscription> at(String destination) {
        return byDestination.getOrDefault(destination, List.of());
    }

    /** Matches of the destination and of its dotted parents: how SEND is forwarded. */
    List<Subscription> atOrAbove(String destination) {
        List<Subscription> found = new ArrayList<>(at(destination));
        for (int dot = destination.lastIndexOf('.');
                dot > 0;
                dot = destination.lastIndexOf('.', dot - 1)) {
            String parent = destination.substring(0, dot);
            found.addAll(at(parent));
        }
        return found;
    }

    private void forget(Subscription gone) {
        byDestination.computeIfPresent(
                gone.destination(),
                (_, there) -> {
                    List<Subscription> rest =
                            there.stream().filter(other -> !other.equals(gone)).toList();
                    return rest.isEmpty() ? null : rest;
                });
    }
}
