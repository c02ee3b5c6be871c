package org.stillwater.command.placement;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.stillwater.core.id.HostId;

/**
 * Bounds how many commands a host has to answer at the same time; the others wait in order. Used by
 * the deciding thread only.
 */
public final class HostCallLimiter {

    private final int atOnce;
    private final Predicate<HostId> inContact;
    private final Map<HostId, Lane> lanes = new HashMap<>();

    private static final class Lane {
        final Deque<Waiting> waiting = new ArrayDeque<>();
        final java.util.Set<UUID> busy = new java.util.HashSet<>();
    }

    /**
     * A waiting caller.
     *
     * @param id the operation
     * @param untilNanos time at which it continues although the host is not in contact
     * @param go the action
     */
    private record Waiting(UUID id, long untilNanos, Runnable go) {}

    public HostCallLimiter(int atOnce, Predicate<HostId> inContact) {
        this.atOnce = atOnce;
        this.inContact = inContact;
    }

    /** Runs the action once there is room and the host is in contact, or at its time limit. */
    public void enter(HostId host, UUID id, long untilNanos, Runnable go) {
        lanes.computeIfAbsent(host, _ -> new Lane()).waiting.add(new Waiting(id, untilNanos, go));
    }

    /** Whether an operation holds one of a host's slots. */
    public boolean has(HostId host, UUID id) {
        Lane lane = lanes.get(host);
        return lane != null && lane.busy.contains(id);
    }

    /** An operation has ended its calls to the host. */
    public void leave(UUID id) {
        lanes.values()
                .removeIf(lane -> {
                    lane.busy.remove(id);
                    lane.waiting.removeIf(waiting -> waiting.id().equals(id));
                    return lane.busy.isEmpty() && lane.waiting.isEmpty();
                });
    }

    /** Runs waiting actions while there is room; returns whether any ran. */
    public boolean advance(long nowNanos) {
        java.util.List<Runnable> going = new java.util.ArrayList<>();
        lanes.forEach((host, lane) -> {
            if (lane.waiting.isEmpty()) {
                return;
            }
            boolean up = inContact.test(host);
            while (!lane.waiting.isEmpty() && lane.busy.size() < atOnce) {
                Waiting first = lane.waiting.peek();
                if (!up && nowNanos - first.untilNanos() < 0) {
                    break;
                }
                lane.waiting.poll();
                lane.busy.add(first.id());
                going.add(first.go());
            }
        });
        going.forEach(Runnable::run);
        return !going.isEmpty();
    }

    /** Whether an operation waits. */
    public boolean anyWaiting() {
        return lanes.values().stream().anyMatch(lane -> !lane.waiting.isEmpty());
    }
}
