package org.stillwater.server.trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.time.EngineClock;

/**
 * Operations as traces, each with its steps. Receives every step; an operation that the sample
 * leaves out costs a comparison of its identity. Thread-safe.
 */
final class OperationTraces {

    /** Steps of one operation that are kept. */
    private static final int MOST_STEPS = 64;

    private final EngineClock clock;
    private final TraceSampler sample;
    private final int most;
    private final Map<UUID, List<Step>> open = new LinkedHashMap<>();
    private final List<Span> ended = new ArrayList<>();
    private long dropped;

    private record Step(String name, Instant at) {}

    /**
     * No operation yet.
     *
     * @param most open operations that are followed, and traces that wait
     */
    OperationTraces(EngineClock clock, TraceSampler sample, int most) {
        this.clock = clock;
        this.sample = sample;
        this.most = most;
    }

    /** An operation made a step, or ended. */
    synchronized void told(Operation operation) {
        if (!sample.takes(operation.id())) {
            return;
        }
        Instant end = operation.endedAt();
        if (end != null) {
            List<Step> steps = open.remove(operation.id());
            if (ended.size() < most) {
                ended.add(trace(operation, steps == null ? List.of() : steps, end));
            } else {
                dropped++;
            }
            return;
        }
        List<Step> steps = open.get(operation.id());
        if (steps == null) {
            if (open.size() < most) {
                open.put(operation.id(), new ArrayList<>(List.of(step(operation))));
            }
        } else if (steps.size() < MOST_STEPS && !steps.getLast().name().equals(operation.step())) {
            steps.add(step(operation));
        }
    }

    private Step step(Operation operation) {
        return new Step(operation.step(), clock.now());
    }

    private static Span trace(Operation operation, List<Step> steps, Instant end) {
        List<Span> parts = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Instant next = i + 1 < steps.size() ? steps.get(i + 1).at() : end;
            parts.add(Span.of(steps.get(i).name(), steps.get(i).at(), next));
        }
        Map<String, String> attributes = new HashMap<>();
        attributes.put("stillwater.operation.id", operation.id().toString());
        attributes.put("stillwater.operation.state", operation.state().label());
        VmId vm = operation.vm();
        if (vm != null) {
            attributes.put("stillwater.vm.id", vm.toString());
        }
        HostId host = operation.host() == null ? operation.target() : operation.host();
        if (host != null) {
            attributes.put("host.id", host.toString());
        }
        OperationFailure failure = operation.failure();
        return new Span(
                "operation " + operation.kind().label(),
                operation.createdAt(),
                end,
                attributes,
                failure == null ? "" : failure.reason(),
                parts);
    }

    /** The traces of operations that ended since the last call. */
    synchronized List<Span> take() {
        List<Span> taken = List.copyOf(ended);
        ended.clear();
        return taken;
    }

    /** Traces that did not fit. */
    synchronized long dropped() {
        return dropped;
    }
}
