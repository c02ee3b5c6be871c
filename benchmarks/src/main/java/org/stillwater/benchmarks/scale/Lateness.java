package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How late the polls of hosts are: the engine's list of hosts is read again and again, more often
 * than polls come, which contains the time of each host's newest complete poll. The time between
 * two polls of a host beyond the interval is the later one's lateness. Polls spread over a fixed
 * phase, so one that is early makes the next one late by as much: it counts as it is.
 */
final class Lateness {

    private static final Pattern HOST =
            Pattern.compile(
                    "\"id\":\"[0-9a-f-]{36}\",\"name\":\"([^\"]+)\".*?\"lastPollAt\":\"([^\"]+)\"");

    private final Map<String, TreeSet<Instant>> polls = new HashMap<>();

    /** Looks at the hosts once. */
    void look(EngineProcess engine) throws IOException, InterruptedException {
        // A host that was never polled has null there; it must not borrow the next one's.
        for (String host : engine.http().get("/api/v1/hosts").split("(?=\\{\"id\":)", -1)) {
            Matcher found = HOST.matcher(host);
            if (found.find()) {
                polls.computeIfAbsent(found.group(1), _ -> new TreeSet<>())
                        .add(Instant.parse(found.group(2)));
            }
        }
    }

    /** Lateness of the polls of these hosts, in milliseconds. */
    double[] ofHosts(Set<String> hosts, Duration interval) {
        List<Double> late = new ArrayList<>();
        for (String host : hosts) {
            Instant before = null;
            for (Instant poll : polls.getOrDefault(host, new TreeSet<>())) {
                if (before != null) {
                    double millis = Duration.between(before, poll).minus(interval).toNanos() / 1e6;
                    late.add(Math.max(0, millis));
                }
                before = poll;
            }
        }
        return late.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
