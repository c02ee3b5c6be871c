package org.stillwater.fake.xapi.net;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The faults that are set. Thread-safe. */
public final class Faults {

    /**
     * A fault.
     *
     * @param address of the hosts it strikes; empty: all
     * @param call beginning of the calls it strikes, for instance {@code event.from} or {@code GET
     *     /rrd_updates}; empty: all
     * @param argument of its kind
     * @param left how often it strikes; negative: until it is removed
     */
    public record Fault(
            String id,
            FaultKind kind,
            String address,
            String call,
            String argument,
            AtomicInteger left,
            CountDownLatch removed) {

        /** As the control port shows it. */
        public Map<String, Object> shown() {
            return Map.of(
                    "id",
                    id,
                    "kind",
                    kind.word(),
                    "address",
                    address,
                    "call",
                    call,
                    "argument",
                    argument,
                    "left",
                    left.get());
        }
    }

    private final ConcurrentSkipListMap<String, Fault> faults = new ConcurrentSkipListMap<>();
    private final AtomicInteger number = new AtomicInteger();

    /**
     * Sets a fault.
     *
     * @param times how often it strikes; 0: until it is removed
     */
    public Fault add(FaultKind kind, String address, String call, String argument, int times) {
        if (kind.argument().isEmpty() != argument.isEmpty()) {
            throw new IllegalArgumentException(
                    kind.argument().isEmpty()
                            ? kind.word() + " takes no argument"
                            : kind.word() + " needs " + kind.argument());
        }
        if (kind != FaultKind.ERROR && !argument.isEmpty()) {
            Long.parseLong(argument);
        }
        Fault fault =
                new Fault(
                        "f%04d".formatted(number.incrementAndGet()),
                        kind,
                        address,
                        call,
                        argument,
                        new AtomicInteger(times == 0 ? -1 : times),
                        new CountDownLatch(1));
        faults.put(fault.id, fault);
        return fault;
    }

    /** Removes a fault; {@code false} if there is none. */
    public boolean remove(String id) {
        Fault fault = faults.remove(id);
        if (fault != null) {
            fault.removed.countDown();
        }
        return fault != null;
    }

    /** Removes all. */
    public void clear() {
        faults.keySet().forEach(this::remove);
    }

    /** All that are set. */
    public List<Fault> all() {
        return List.copyOf(faults.values());
    }

    /** The fault of a kind that strikes this call, counted; or {@code null}. */
    @Nullable Fault strikes(FaultKind kind, String address, String call) {
        for (Fault each : faults.values()) {
            if (each.kind == kind
                    && (each.address.isEmpty() || each.address.equals(address))
                    && call.startsWith(each.call)
                    && each.left.getAndUpdate(left -> left > 0 ? left - 1 : left) != 0) {
                return each;
            }
        }
        return null;
    }
}
