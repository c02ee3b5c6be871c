package org.stillwater.server.rest;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.model.Cluster;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmNumber;

/**
 * Which VMs are asked for: all conditions must hold. What is left out is no condition.
 *
 * @param id identities by commas
 * @param status one or several by commas
 * @param host ids or names by commas
 * @param cluster ids or names by commas
 * @param name part of the name, or all of it with wildcards
 * @param highlyAvailable true or false
 * @param stale whether the numbers say nothing of now
 */
record VmFilter(
        @Parameter(description = "Identities, by commas.") @Nullable String id,
        @Parameter(description = "One or several statuses, by commas.", example = "up,paused")
                @Nullable String status,
        @Parameter(description = "Hosts by id or name, by commas.") @Nullable String host,
        @Parameter(description = "Clusters by id or name, by commas.") @Nullable String cluster,
        @Parameter(
                        description =
                                "Part of the name, or all of it with * and ?; case is ignored.",
                        example = "*")
                @Nullable String name,
        @Parameter(schema = @Schema(type = "boolean")) @Nullable String highlyAvailable,
        @Parameter(
                        description = "Whether its numbers say nothing of now.",
                        schema = @Schema(type = "boolean"))
                @Nullable String stale,
        @Parameter(
                        description = "CPU usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String cpuAbove,
        @Parameter(
                        description = "CPU usage in % is below this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String cpuBelow,
        @Parameter(
                        description = "Memory usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String memoryAbove,
        @Parameter(
                        description = "Memory usage in % is below this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String memoryBelow,
        @Parameter(
                        description = "Network usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String networkAbove,
        @Parameter(
                        description = "Network usage in % is below this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String networkBelow) {

    private static final int MOST_WORDS = 1_000;
    private static final Map<String, VmStatus> STATUSES =
            EnumNames.of(VmStatus.values(), VmStatus::label);

    /** Whether nothing is asked, so that every VM is meant. */
    boolean isEmpty() {
        return blank(id)
                && blank(status)
                && blank(host)
                && blank(cluster)
                && blank(name)
                && blank(highlyAvailable)
                && !usesStatistics();
    }

    /** Whether it depends on numbers that change with every cycle. */
    boolean usesStatistics() {
        return !(blank(stale)
                && blank(cpuAbove)
                && blank(cpuBelow)
                && blank(memoryAbove)
                && blank(memoryBelow)
                && blank(networkAbove)
                && blank(networkBelow));
    }

    /** What holds for every VM that is asked for and that the caller may see. */
    Predicate<VmRow> predicate(MonitoringEngine engine, Caller caller) {
        List<Predicate<VmRow>> all = new ArrayList<>();
        if (!caller.has(Role.READER)) {
            all.add(vm -> caller.has(Role.READER, vm.id(), vm.definition().cluster()));
        }
        if (!blank(status)) {
            Set<VmStatus> wanted = statuses(text(status));
            all.add(vm -> wanted.contains(vm.state().runtime().status()));
        }
        if (!blank(id)) {
            Set<VmId> wanted = words(text(id)).stream().map(Ids::vm).collect(Collectors.toSet());
            all.add(vm -> wanted.contains(vm.id()));
        }
        if (!blank(host)) {
            Set<HostId> wanted = hosts(engine, caller, text(host));
            all.add(vm -> {
                HostId on = vm.state().placement().runOn();
                return on != null && wanted.contains(on);
            });
        }
        if (!blank(cluster)) {
            Set<ClusterId> wanted = clusters(engine, caller, text(cluster));
            all.add(vm -> wanted.contains(vm.definition().cluster()));
        }
        if (!blank(highlyAvailable)) {
            boolean wanted = flag("highlyAvailable", text(highlyAvailable));
            all.add(vm -> vm.definition().highlyAvailable() == wanted);
        }
        if (!blank(name)) {
            Wildcard wanted = new Wildcard("name", text(name).strip());
            all.add(vm -> wanted.matches(vm.definition().name()));
        }
        above(all, "cpuAbove", cpuAbove, VmNumber.CPU_USAGE);
        below(all, "cpuBelow", cpuBelow, VmNumber.CPU_USAGE);
        above(all, "memoryAbove", memoryAbove, VmNumber.MEMORY_USAGE);
        below(all, "memoryBelow", memoryBelow, VmNumber.MEMORY_USAGE);
        above(all, "networkAbove", networkAbove, VmNumber.NETWORK_USAGE);
        below(all, "networkBelow", networkBelow, VmNumber.NETWORK_USAGE);
        if (!blank(stale)) {
            boolean wanted = flag("stale", text(stale));
            all.add(vm -> vm.isStale() == wanted);
        }
        return all(all);
    }

    static <R> Predicate<R> all(List<Predicate<R>> conditions) {
        return switch (conditions.size()) {
            case 0 -> _ -> true;
            case 1 -> conditions.getFirst();
            default -> {
                List<Predicate<R>> fixed = List.copyOf(conditions);
                yield row -> {
                    for (int i = 0; i < fixed.size(); i++) {
                        if (!fixed.get(i).test(row)) {
                            return false;
                        }
                    }
                    return true;
                };
            }
        };
    }

    private static void above(
            List<Predicate<VmRow>> all, String parameter, @Nullable String text, VmNumber number) {
        if (!blank(text)) {
            double bound = number(parameter, text(text));
            all.add(vm -> vm.value(number) > bound);
        }
    }

    private static void below(
            List<Predicate<VmRow>> all, String parameter, @Nullable String text, VmNumber number) {
        if (!blank(text)) {
            double bound = number(parameter, text(text));
            all.add(vm -> vm.value(number) < bound);
        }
    }

    static boolean blank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    static double number(String parameter, String text) {
        try {
            double number = Double.parseDouble(text.strip());
            if (Double.isFinite(number)) {
                return number;
            }
        } catch (NumberFormatException _) {
            // told below
        }
        throw ApiException.badRequest(
                "%s is a number such as 80, not \"%s\"".formatted(parameter, Ids.shortened(text)));
    }

    static boolean flag(String parameter, String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "", "false" -> false;
            case "true" -> true;
            default ->
                    throw ApiException.badRequest(
                            "%s is true or false, not \"%s\""
                                    .formatted(parameter, Ids.shortened(text)));
        };
    }

    static List<String> words(String text) {
        String[] words = text.split(",", MOST_WORDS + 2);
        if (words.length > MOST_WORDS) {
            throw ApiException.badRequest("at most " + MOST_WORDS + " words by commas");
        }
        List<String> all = new ArrayList<>();
        for (String word : words) {
            if (!word.isBlank()) {
                all.add(word.strip());
            }
        }
        return all;
    }

    private static Set<VmStatus> statuses(String text) {
        Set<VmStatus> wanted = EnumSet.noneOf(VmStatus.class);
        for (String word : words(text)) {
            wanted.add(word(STATUSES, "status", word));
        }
        return wanted;
    }

    static <E> E word(Map<String, E> all, String parameter, String word) {
        E found = all.get(word.toLowerCase(Locale.ROOT));
        if (found == null) {
            throw ApiException.badRequest(
                    "%s \"%s\" is none of %s"
                            .formatted(
                                    parameter,
                                    Ids.shortened(word),
                                    all.keySet().stream()
                                            .sorted()
                                            .collect(Collectors.joining(", "))));
        }
        return found;
    }

    /**
     * The hosts that a filter names by id or name.
     *
     * @throws ApiException 404 for a host that is not there; a host that the caller may not see is
     *     answered in the same words
     */
    static Set<HostId> hosts(MonitoringEngine engine, Caller caller, String text) {
        Set<HostId> wanted = new HashSet<>();
        for (String word : words(text)) {
            HostView host = host(engine, word);
            if (host == null || !caller.has(Role.READER, host.state().definition().cluster())) {
                throw ApiException.notFound("There is no host " + Ids.shortened(word) + ".");
            }
            wanted.add(host.state().definition().id());
        }
        return wanted;
    }

    private static @Nullable HostView host(MonitoringEngine engine, String word) {
        HostView named = engine.hostNamed(word);
        return named == null && Ids.isId(word) ? engine.host(Ids.host(word)) : named;
    }

    /**
     * The clusters that a filter names by id or name.
     *
     * @throws ApiException 404 for a cluster that is not there; a cluster that the caller may not
     *     see is answered in the same words
     */
    static Set<ClusterId> clusters(MonitoringEngine engine, Caller caller, String text) {
        Set<ClusterId> wanted = new HashSet<>();
        for (String word : words(text)) {
            wanted.add(
                    engine.clusters().clusters().stream()
                            .filter(cluster -> isNamed(cluster, word))
                            .map(Cluster::id)
                            .filter(id -> caller.has(Role.READER, id))
                            .findFirst()
                            .orElseThrow(() ->
                                    ApiException.notFound(
                                            "There is no cluster " + Ids.shortened(word) + ".")));
        }
        return wanted;
    }

    private static boolean isNamed(Cluster cluster, String word) {
        return word.equals(cluster.name()) || word.equalsIgnoreCase(cluster.id().toString());
    }
}
