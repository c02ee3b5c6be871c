package org.stillwater.fake.net;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The counters behind {@link TransportMetrics}. Thread-safe. */
final class Meters {

    /** Clients choose verb names; the number of distinct ones is bounded. */
    private static final int MOST_NAMES = 256;

    final LongAdder accepted = new LongAdder();
    final LongAdder handshakesFailed = new LongAdder();
    final LongAdder bytesIn = new LongAdder();
    final LongAdder bytesOut = new LongAdder();
    final LongAdder framesIn = new LongAdder();
    final LongAdder framesOut = new LongAdder();
    final LongAdder heartBeatsOut = new LongAdder();
    final LongAdder events = new LongAdder();
    final LongAdder refusedCalls = new LongAdder();
    private final Map<String, LongAdder> requests = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> dropped = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> faultsFired = new ConcurrentHashMap<>();

    void request(String verb) {
        count(requests, verb);
    }

    void dropped(String reason) {
        count(dropped, reason);
    }

    void faultFired(FaultKind kind) {
        count(faultsFired, kind.code());
    }

    TransportMetrics snapshot(int hosts, int connections) {
        return new TransportMetrics(
                hosts,
                connections,
                accepted.sum(),
                handshakesFailed.sum(),
                bytesIn.sum(),
                bytesOut.sum(),
                framesIn.sum(),
                framesOut.sum(),
                heartBeatsOut.sum(),
                events.sum(),
                sums(requests),
                refusedCalls.sum(),
                sums(dropped),
                sums(faultsFired));
    }

    private static void count(Map<String, LongAdder> counters, String name) {
        LongAdder counter = counters.get(name);
        if (counter == null) {
            String key = counters.size() < MOST_NAMES ? name : "other";
            counter = counters.computeIfAbsent(key, _ -> new LongAdder());
        }
        counter.increment();
    }

    private static Map<String, Long> sums(Map<String, LongAdder> counters) {
        Map<String, Long> sums = new TreeMap<>();
        counters.forEach((name, counter) -> sums.put(name, counter.sum()));
        return sums;
    }
}
