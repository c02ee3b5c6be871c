package org.stillwater.core.report;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.report.HostField.Source;

/**
 * Values of one report, gathered row by row of {@link HostField} and then put together. A missing
 * value was not reported. For one report and one thread.
 */
public final class HostValues {

    /** How a record is put together. */
    private record Plan<R extends Record>(Constructor<R> constructor, List<Part> parts) {

        R create(HostValues values) {
            @Nullable Object[] arguments = new @Nullable Object[parts.size()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] =
                        switch (parts.get(i)) {
                            case Part.Value(HostField field, Object missing) -> {
                                Object value = values.value(field);
                                yield value == null ? missing : value;
                            }
                            case Part.Group(Plan<?> plan) -> plan.create(values);
                        };
            }
            return Components.create(constructor, arguments);
        }
    }

    /** One component of a record. */
    private sealed interface Part {
        record Value(HostField field, @Nullable Object missing) implements Part {}

        record Group(Plan<?> plan) implements Part {}
    }

    private static final Plan<HostCapabilities> CAPABILITIES =
            plan(Source.CAPABILITIES, HostCapabilities.class, "");
    private static final Plan<HostHardware> HARDWARE =
            plan(Source.HARDWARE, HostHardware.class, "");
    private static final Plan<HostStatistics> STATISTICS =
            plan(Source.STATISTICS, HostStatistics.class, "");

    private final Map<HostField, Object> values = new EnumMap<>(HostField.class);

    private static <R extends Record> Plan<R> plan(Source source, Class<R> type, String prefix) {
        List<Part> parts = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            parts.add(part(source, component, prefix + component.getName()));
        }
        return new Plan<>(Components.constructor(type), parts);
    }

    /** The first row of this member, else a group of members. */
    private static Part part(Source source, RecordComponent component, String member) {
        Class<?> type = component.getType();
        for (HostField field : HostField.values()) {
            if (field.source() == source && field.member().equals(member)) {
                return new Part.Value(
                        field,
                        type == HostCapabilities.Adapters.class
                                ? HostCapabilities.Adapters.NONE
                                : Components.missing(type));
            }
        }
        if (!type.isRecord()) {
            throw new IllegalStateException("no row of HostField for " + member);
        }
        return new Part.Group(plan(source, type.asSubclass(Record.class), member + "."));
    }

    /**
     * Takes a value; null is as good as nothing.
     *
     * @throws IllegalArgumentException if the row holds values of another kind
     */
    public HostValues put(HostField field, @Nullable Object value) {
        if (value != null) {
            if (!field.kind().holds(value)) {
                throw new IllegalArgumentException(field + " does not hold " + value.getClass());
            }
            values.put(field, value);
        }
        return this;
    }

    /** Capabilities of the host. */
    public HostCapabilities capabilities() {
        return CAPABILITIES.create(this);
    }

    /** Data of the host's firmware. */
    public HostHardware hardware() {
        return HARDWARE.create(this);
    }

    /** The host's statistics. */
    public HostStatistics statistics() {
        return STATISTICS.create(this);
    }

    /** Value of a field, merged with other rows of the same member. */
    private @Nullable Object value(HostField field) {
        return switch (field) {
            case NUMA_NODES -> numaNodes();
            case HA_SCORE ->
                    values.get(values.containsKey(field) ? field : HostField.HA_SCORE_ALONE);
            default -> values.get(field);
        };
    }

    /** The nodes, each with its distances. */
    @SuppressWarnings("unchecked") // the decoder of these rows puts nothing else
    private List<HostNumaNode> numaNodes() {
        List<HostNumaNode> nodes =
                (List<HostNumaNode>) values.getOrDefault(HostField.NUMA_NODES, List.of());
        Map<Integer, List<Integer>> distances =
                (Map<Integer, List<Integer>>)
                        values.getOrDefault(HostField.NUMA_DISTANCES, Map.of());
        return nodes.stream()
                .map(node ->
                        new HostNumaNode(
                                node.index(),
                                node.memoryMebibytes(),
                                node.cpus(),
                                distances.getOrDefault(node.index(), node.distances()),
                                node.pages()))
                .toList();
    }
}
