package org.stillwater.server.trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
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
     * @param provenances of all hosts
     * @param sample selects the cycles that become traces
     */
    List<Span> since(Iterable<HostProvenance> provenances, TraceSampler sample) {
        Instant now = clock.now();
        long nanos = clock.nanoTime();
        List<Span> traces = new ArrayList<>();
        Map<HostId, Long> present = new HashMap<>();
        for (HostProvenance provenance : provenances) {
            Instant analysed = provenance.polledAt();
            if (analysed == null) {
                continue;
            }
            HostId host = provenance.state().definition().id();
            long received = provenance.pollReceivedNanos();
            Long before = seen.get(host);
            present.put(host, received);
            if ((before == null || before != received) && sample.takes()) {
                traces.add(trace(provenance, analysed, now, nanos));
            }
        }
        seen.clear();
        seen.putAll(present);
        return traces;
    }

    private static Span trace(
            HostProvenance provenance, Instant analysed, Instant now, long nanos) {
        Instant requested = now.minusNanos(nanos - provenance.pollRequestedNanos());
        Instant received = now.minusNanos(nanos - provenance.pollReceivedNanos());
        List<Span> parts = new ArrayList<>();
        parts.add(Span.of("wait for the host", requested, received));
        parts.add(Span.of("decode and analyse", received, analysed));
        Instant committed = committed(provenance, received);
        if (committed != null) {
            parts.add(Span.of("write", analysed, committed));
        }
        return new Span(
                "statistics cycle",
                requested,
                committed != null && committed.isAfter(analysed) ? committed : analysed,
                Map.of(
                        "host.name",
                        provenance.name(),
                        "host.id",
                        provenance.state().definition().id().toString(),
                        "stillwater.host.status",
                        provenance.state().status().name().toLowerCase(java.util.Locale.ROOT)),
                "",
                parts);
    }

    /** When the newest change of the host became durable, if that is one of this cycle. */
    private static @Nullable Instant committed(HostProvenance provenance, Instant received) {
        Instant committed = Instant.ofEpochMilli(provenance.committedEpochMillis());
        return committed.isAfter(received) ? committed : null;
    }
}
