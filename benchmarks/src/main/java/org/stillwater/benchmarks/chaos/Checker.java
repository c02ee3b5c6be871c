package org.stillwater.benchmarks.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds where three accounts of the same data centre differ, and which intents are wrong. Pure. */
final class Checker {

    private static final int MOST_NAMED = 12;

    private Checker() {}

    /** A sentence for each difference between the hosts, the engine and the database. */
    static List<String> differences(Facts hosts, Facts engine, Facts rows) {
        List<String> found = new ArrayList<>();
        compare("hosts", hosts, "engine", engine, found);
        compare("engine", engine, "database", rows, found);
        for (String key : all(engine.work(), rows.work())) {
            if (!rows.work().contains(key)) {
                found.add("work " + key + " is shown by the engine and not in the database");
            } else if (!engine.work().contains(key)) {
                found.add("work " + key + " is in the database and not shown by the engine");
            }
        }
        return found;
    }

    private static void compare(
            String one, Facts first, String other, Facts second, List<String> found) {
        for (String name : all(first.hosts().keySet(), second.hosts().keySet())) {
            differ("host " + name, one, first.hosts().get(name), other, second.hosts().get(name))
                    .ifPresent(found);
        }
        for (String id : all(first.vms().keySet(), second.vms().keySet())) {
            Facts.Vm a = first.vms().get(id);
            Facts.Vm b = second.vms().get(id);
            if (a == null || b == null) {
                found.add("vm %s: unknown to the %s".formatted(id, a == null ? one : other));
                continue;
            }
            differ("vm " + id + " status", one, a.status(), other, b.status()).ifPresent(found);
            differ("vm " + id + " host", one, a.host(), other, b.host()).ifPresent(found);
            Set<String> both = new TreeSet<>(a.values().keySet());
            both.retainAll(b.values().keySet());
            for (String name : both) {
                differ(
                                "vm " + id + " " + name,
                                one,
                                a.values().get(name),
                                other,
                                b.values().get(name))
                        .ifPresent(found);
            }
        }
    }

    private record Finding(@Nullable String text) {
        void ifPresent(List<String> found) {
            if (text != null) {
                found.add(text);
            }
        }
    }

    private static Finding differ(
            String what, String one, @Nullable String a, String other, @Nullable String b) {
        return new Finding(
                Objects.equals(a, b)
                        ? null
                        : "%s: %s says %s, %s says %s".formatted(what, one, a, other, b));
    }

    private static Set<String> all(Set<String> first, Set<String> second) {
        Set<String> all = new TreeSet<>(first);
        all.addAll(second);
        return all;
    }

    /**
     * A sentence for each highly available VM with different numbers of failures and restarts: each
     * failure leaves one restart to commands, neither none nor two.
     *
     * @param crashes failures of each VM so far
     * @param restarts restarts queued for it so far, done or not
     */
    static List<String> intents(Map<String, Integer> crashes, Map<String, Integer> restarts) {
        List<String> found = new ArrayList<>();
        for (String id : all(crashes.keySet(), restarts.keySet())) {
            int failed = crashes.getOrDefault(id, 0);
            int queued = restarts.getOrDefault(id, 0);
            if (queued != failed) {
                found.add(
                        "vm %s: failed %d times, %d restarts were queued: %s"
                                .formatted(
                                        id,
                                        failed,
                                        queued,
                                        queued < failed
                                                ? "an intent is lost"
                                                : "an intent was opened twice"));
            }
        }
        return found;
    }

    /** A sentence for each VM that has more audit events of a failure than failures. */
    static List<String> toldTwice(Map<String, Integer> crashes, Map<String, Integer> told) {
        List<String> found = new ArrayList<>();
        new TreeMap<>(told)
                .forEach((id, times) -> {
                    int failed = crashes.getOrDefault(id, 0);
                    if (times > failed) {
                        found.add(
                                "vm %s: failed %d times, the audit log says so %d times"
                                        .formatted(id, failed, times));
                    }
                });
        return found;
    }

    /** Number of failures that were not reported. */
    static int untold(Map<String, Integer> crashes, Map<String, Integer> told) {
        return crashes.entrySet().stream()
                .mapToInt(vm -> Math.max(0, vm.getValue() - told.getOrDefault(vm.getKey(), 0)))
                .sum();
    }

    /** The first of them, one a line. */
    static String shown(List<String> found) {
        String first = String.join("\n  ", found.subList(0, Math.min(MOST_NAMED, found.size())));
        return found.size() > MOST_NAMED
                ? first + "\n  and " + (found.size() - MOST_NAMED) + " more"
                : first;
    }
}
