package org.stillwater.server.trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.port.EngineClock;
import org.stillwater.monitoring.host.HostProvenance;

/**
 * The statistics cycles since the last look, as traces: the request, the wait for the host, the
 * decoding with analysis, and the commit of the changes. Used by one thread.
 */
final class CycleTraces {

    private final EngineClock clock;

    /** When the last traced poll of each host arrived. */
    private final Map<HostId, Long> seen = new HashMap<>();

    CycleTraces(EngineClock clock) {
        this.clock = clock;
    }

    /**
     * Traces of the cycles that are new.
     *
     * @param trails of all hosts
     * @param sample selects the cycles that become traces
     */
    List<Span> since(Iterable<HostProvenance> trails, TraceSampler sample) {
        Instant now = clock.now();
        long nanos = clock.nanoTime();
        List<Span> traces = new ArrayList<>();
        Map<HostId, Long> present = new HashMap<>();
        for (HostProvenance trail : trails) {
            Instant analysed = trail.polledAt();
            if (analysed == null) {
                continue;
            }
            HostId host = trail.state().definition().id();
            long received = trail.pollReceivedNanos();
            Long before = seen.get(host);
            present.put(host, received);
            if ((before == null || before != received) && sample.takes()) {
                traces.add(trace(trail, analysed, now, nanos));
            }
        }
        seen.clear();
        seen.putAll(present);
        return traces;
    }

    private static Span trace(HostProvenance trail, Instant analysed, Instant now, long nanos) {
        Instant requested = now.minusNanos(nanos - trail.pollRequestedNanos());
        Instant received = now.minusNanos(nanos - trail.pollReceivedNanos());
        List<Span> parts = new ArrayList<>();
        parts.add(Span.of("wait for the host", requested, received));
        parts.add(Span.of("decode and analyse", received, analysed));
        Instant committed = committed(trail, received);
        if (committed != null) {
            parts.add(Span.of("write", analysed, committed));
        }
        return new Span(
                "statistics cycle",
                requested,
                committed != null && committed.isAfter(analysed) ? committed : analysed,
                Map.of(
                        "host.name",
                        trail.name(),
                        "host.id",
                        trail.state().definition().id().toString(),
                        "stillwater.host.status",
                        trail.state().status().name().toLowerCase(java.util.Locale.ROOT)),
                "",
                parts);
    }

    /** When the newest change of the host became durable, if that is one of this cycle. */
    private static @Nullable Instant committed(HostProvenance trail, Instant received) {
        Instant committed = Instant.ofEpochMilli(trail.committedEpochMillis());
        return committed.isAfter(received) ? committed : null;
    }
}
