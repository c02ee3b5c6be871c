package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The engine's profile of itself in the measured cycles of one run: CPU by stage, statements,
 * allocation by stage, memory. Groups of figures by name.
 *
 * @param groups figures by the name of the group, then by stage, statement or structure
 */
public record RunProfile(Map<String, Map<String, Double>> groups) {

    static final String CPU = "cpuMicrosPerVmCycle";
    static final String ALLOCATION = "allocatedBytesPerVmCycle";
    static final String CALLS = "statementCallsPerCycle";
    static final String MEAN = "statementMeanMicros";
    static final String P99 = "statementP99Micros";
    static final String MEMORY = "memoryMebibytes";

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double MIB = 1 << 20;
    private static final double MILLIS_PER_SECOND = 1_000;

    /** The longest time that the engine keeps its profile of, unless it is set otherwise. */
    private static final long MOST_SECONDS = 3_600;

    /** The profile of the cycles of a plan, the last of which has just ended. */
    static RunProfile read(Http http, StablePlan plan) throws IOException, InterruptedException {
        long seconds =
                Math.clamp(
                        plan.interval().multipliedBy(plan.cycles()).toSeconds(), 1, MOST_SECONDS);
        return of(
                answer(http, "profile", seconds),
                answer(http, "statements", seconds),
                answer(http, "memory", seconds),
                plan);
    }

    private static JsonNode answer(Http http, String what, long seconds)
            throws IOException, InterruptedException {
        return JSON.readTree(http.get("/api/v1/engine/" + what + "?seconds=" + seconds));
    }

    /** The profile in three answers of the engine. */
    static RunProfile of(JsonNode cpu, JsonNode statements, JsonNode memory, StablePlan plan) {
        Map<String, Map<String, Double>> groups = new LinkedHashMap<>();
        for (String group : new String[] {CPU, ALLOCATION, CALLS, MEAN, P99, MEMORY}) {
            groups.put(group, new LinkedHashMap<>());
        }
        for (JsonNode item : cpu.path("items")) {
            put(
                    groups,
                    CPU,
                    item.path("stage").asString(),
                    item.path("cpuMillis").asDouble() * MICROS_PER_MILLI / vmCycles(cpu, plan));
        }
        for (JsonNode item : memory.path("stages")) {
            put(
                    groups,
                    ALLOCATION,
                    item.path("stage").asString(),
                    item.path("allocatedBytes").asDouble() / vmCycles(memory, plan));
        }
        for (JsonNode item : statements.path("items")) {
            String name = item.path("name").asString() + ", " + item.path("stage").asString();
            put(groups, CALLS, name, item.path("calls").asDouble() / cycles(statements, plan));
            put(groups, MEAN, name, item.path("meanMicros").asDouble());
            put(groups, P99, name, item.path("p99Micros").asDouble());
        }
        put(
                groups,
                MEMORY,
                "heap after a collection",
                memory.path("heapAfterCollectionBytes").asDouble(Double.NaN) / MIB);
        put(groups, MEMORY, "resident", memory.path("residentBytes").asDouble(Double.NaN) / MIB);
        put(groups, MEMORY, "direct", memory.path("directBytes").asDouble(Double.NaN) / MIB);
        return new RunProfile(groups);
    }

    private static void put(
            Map<String, Map<String, Double>> groups, String group, String name, double value) {
        groups.getOrDefault(group, new LinkedHashMap<>()).merge(name, value, Double::sum);
    }

    private static double cycles(JsonNode answer, StablePlan plan) {
        return answer.path("seconds").asDouble() * MILLIS_PER_SECOND / plan.interval().toMillis();
    }

    private static double vmCycles(JsonNode answer, StablePlan plan) {
        return cycles(answer, plan) * plan.vms();
    }

    /** A figure; 0 where the run has none: a stage without samples used no CPU. */
    double figure(String group, String name) {
        return groups.getOrDefault(group, Map.of()).getOrDefault(name, 0.0);
    }

    /** The names of a group in any of several profiles. */
    static SortedSet<String> names(String group, Stream<RunProfile> profiles) {
        SortedSet<String> names = new TreeSet<>();
        profiles.forEach(each -> names.addAll(each.groups.getOrDefault(group, Map.of()).keySet()));
        return names;
    }
}
