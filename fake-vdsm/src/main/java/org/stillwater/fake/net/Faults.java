package org.stillwater.fake.net;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The board, and the dice. Thread-safe. Asking costs one volatile read while no fault of the kind
 * is in force.
 */
final class Faults implements FaultBoard {

    private final Ticker ticker;
    private final Meters meters;
    private final Random random;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final List<Active> active = new ArrayList<>();
    private volatile Map<FaultKind, List<Active>> byKind = Map.of();
    private long added;

    Faults(Ticker ticker, Meters meters, long seed) {
        this.ticker = ticker;
        this.meters = meters;
        this.random = new Random(seed);
    }

    /**
     * Runs after each change of the faults in force, windows included; on the timer or the caller.
     */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public Fault add(FaultSpec spec) {
        Active fault;
        synchronized (this) {
            added++;
            fault = new Active("fault-" + added, spec, ticker.nanoTime());
            active.add(fault);
            publish();
        }
        if (!spec.after().isZero()) {
            fault.opening = ticker.schedule(spec.after(), this::changed);
        }
        if (spec.duration() != null) {
            Duration end = spec.after().plus(spec.duration());
            fault.closing = ticker.schedule(end, () -> remove(fault.id));
        }
        changed();
        return fault.snapshot();
    }

    @Override
    public synchronized List<Fault> list() {
        return active.stream().map(Active::snapshot).toList();
    }

    @Override
    public boolean remove(String id) {
        synchronized (this) {
            Active found = null;
            for (Active fault : active) {
                if (fault.id.equals(id)) {
                    found = fault;
                }
            }
            if (found == null) {
                return false;
            }
            found.removed = true;
            end(found);
            publish();
        }
        changed();
        return true;
    }

    @Override
    public void clear() {
        synchronized (this) {
            for (Active fault : List.copyOf(active)) {
                fault.removed = true;
                end(fault);
            }
            publish();
        }
        changed();
    }

    /** Whether any fault is on the board. */
    boolean any() {
        return !byKind.isEmpty();
    }

    /**
     * Rolls the dice: one opportunity for a kind of fault.
     *
     * @return the fault that strikes, or null
     */
    @Nullable Active strike(FaultKind kind, HostName host, String verb, long connection) {
        List<Active> candidates = byKind.get(kind);
        if (candidates == null) {
            return null;
        }
        for (Active fault : candidates) {
            if (fault.covers(host, connection) && fault.verb.matches(verb)) {
                if (hits(fault)) {
                    meters.faultFired(kind);
                    return fault;
                }
            }
        }
        return null;
    }

    /** The faults of a kind in force, for one host; draws and counts nothing. */
    List<Active> inForce(FaultKind kind, HostName host) {
        List<Active> candidates = byKind.get(kind);
        if (candidates == null) {
            return List.of();
        }
        return candidates.stream()
                .filter(fault -> fault.covers(host, fault.anyConnection()))
                .toList();
    }

    /**
     * Counts one more event of a storm.
     *
     * @return whether the storm is over, being used up
     */
    boolean stormed(Active fault) {
        meters.faultFired(fault.spec.kind());
        synchronized (this) {
            fault.struck++;
            Integer count = fault.spec.count();
            if (count != null && fault.struck >= count) {
                end(fault);
                publish();
                return true;
            }
            return false;
        }
    }

    /** A delay between the two of the fault. */
    synchronized Duration delay(FaultSpec spec) {
        long spread = spec.maxDelay().minus(spec.delay()).toNanos();
        return spread == 0 ? spec.delay() : spec.delay().plusNanos(random.nextLong(spread + 1));
    }

    /** A number below the bound. */
    synchronized int pick(int bound) {
        return random.nextInt(bound);
    }

    private synchronized boolean hits(Active fault) {
        double probability = fault.spec.probability();
        if (probability < 1 && random.nextDouble() >= probability) {
            return false;
        }
        Integer count = fault.spec.count();
        if (count != null && fault.struck >= count) {
            return false;
        }
        fault.struck++;
        if (count != null && fault.struck == count) {
            end(fault);
            publish();
        }
        return true;
    }

    private void end(Active fault) {
        active.remove(fault);
        fault.ended = true;
        fault.opening.cancel();
        fault.closing.cancel();
    }

    private void publish() {
        Map<FaultKind, List<Active>> sorted = new EnumMap<>(FaultKind.class);
        for (Active fault : active) {
            sorted.computeIfAbsent(fault.spec.kind(), _ -> new ArrayList<>()).add(fault);
        }
        sorted.replaceAll((_, faults) -> List.copyOf(faults));
        byKind = sorted.isEmpty() ? Map.of() : sorted;
    }

    private void changed() {
        listeners.forEach(Runnable::run);
    }

    /** One fault on the board. */
    final class Active {
        final String id;
        final FaultSpec spec;
        private final Glob host;
        private final Glob verb;
        private final long opensNanos;
        private long struck;
        private volatile boolean ended;
        private volatile boolean removed;
        private Ticker.Scheduled opening = () -> {};
        private Ticker.Scheduled closing = () -> {};

        private Active(String id, FaultSpec spec, long nowNanos) {
            this.id = id;
            this.spec = spec;
            this.host = new Glob(spec.host());
            this.verb = new Glob(spec.verb());
            this.opensNanos = nowNanos + spec.after().toNanos();
        }

        /** Whether its time has come and is not over. */
        boolean inForce() {
            return !ended && ticker.nanoTime() - opensNanos >= 0;
        }

        /** Whether it was taken off or its time is over; one used up is not removed. */
        boolean isRemoved() {
            return removed;
        }

        private long anyConnection() {
            Long connection = spec.connection();
            return connection == null ? 0 : connection;
        }

        private boolean covers(HostName name, long connection) {
            Long wanted = spec.connection();
            return inForce()
                    && (wanted == null || wanted == connection)
                    && host.matches(name.value());
        }

        private Fault snapshot() {
            synchronized (Faults.this) {
                return new Fault(id, spec, struck);
            }
        }
    }

    /** {@code *} and {@code ?}; everything else is itself. */
    private static final class Glob {
        private final @Nullable Pattern pattern;

        Glob(String glob) {
            if (glob.equals("*")) {
                pattern = null;
                return;
            }
            StringBuilder regex = new StringBuilder();
            for (int i = 0; i < glob.length(); i++) {
                char c = glob.charAt(i);
                switch (c) {
                    case '*' -> regex.append(".*");
                    case '?' -> regex.append('.');
                    default -> regex.append(Pattern.quote(String.valueOf(c)));
                }
            }
            pattern = Pattern.compile(regex.toString(), Pattern.DOTALL);
        }

        boolean matches(String text) {
            return pattern == null || pattern.matcher(text).matches();
        }
    }
}
