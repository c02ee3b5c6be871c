package org.stillwater.server.api.benchmark;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkOperation;
import org.stillwater.core.benchmark.BenchmarkResult;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.monitoring.benchmark.BenchmarkPermit;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.databind.JsonNode;

/** Reads bodies of agents. Refuses missing, misspelt and out-of-range members by name. */
final class BenchmarkReader {

    /** Clocks of VMs are not exact. */
    private static final Duration MOST_AHEAD = Duration.ofHours(1);

    private static final int DAY_SECONDS = 86_400;
    private static final int LONGEST_EVERY_SECONDS = 365 * DAY_SECONDS;
    private static final int USUAL_SECONDS = 300;

    private BenchmarkReader() {}

    /** The run of a body; the caller checks that the object exists. */
    static BenchmarkRun run(JsonNode body, Instant now, Duration retention, String postedBy) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        UUID id = asked.requiredUuid("run");
        BenchmarkSubject subject = subject(asked);
        Instant startedAt = time(asked, "startedAt");
        String engine = asked.requiredText("engine");
        String machine = asked.requiredText("machine");
        String kernel = asked.requiredText("kernel");
        Boolean direct = asked.flag("direct");
        if (direct == null) {
            throw asked.missing("direct");
        }
        long fileBytes = whole(asked, "fileBytes");
        int seconds = asked.requiredNumber("seconds");
        List<JsonObjectReader> cells = asked.objects("results");
        asked.end();
        if (startedAt.isAfter(now.plus(MOST_AHEAD))) {
            throw ApiException.badRequest("startedAt is in the future: " + startedAt);
        }
        if (startedAt.isBefore(now.minus(retention))) {
            throw ApiException.badRequest("startedAt is older than runs are kept: " + startedAt);
        }
        if (cells.size() > BenchmarkRun.MOST_CELLS) {
            throw ApiException.badRequest(
                    "results must have 1 to %d cells, not %d"
                            .formatted(BenchmarkRun.MOST_CELLS, cells.size()));
        }
        List<BenchmarkResult> results = new ArrayList<>();
        for (JsonObjectReader each : cells) {
            results.add(result(each));
        }
        return asked.make(() ->
                new BenchmarkRun(
                        id, subject, startedAt, now, engine, machine, kernel, direct, fileBytes,
                        seconds, results, postedBy));
    }

    private static BenchmarkResult result(JsonObjectReader cell) {
        BenchmarkOperation operation = operation(cell);
        int recordBytes = cell.requiredNumber("recordBytes");
        long bytes = whole(cell, "bytes");
        long millis = whole(cell, "millis");
        JsonNode speed = cell.any("megabytesPerSecond");
        if (speed == null) {
            throw cell.missing("megabytesPerSecond");
        }
        cell.end();
        // A value that is no number is not positive and finite either.
        double value = speed.isNumber() ? speed.doubleValue() : Double.NaN;
        return cell.make(() -> new BenchmarkResult(operation, recordBytes, bytes, millis, value));
    }

    private static BenchmarkOperation operation(JsonObjectReader cell) {
        String label = cell.requiredText("operation");
        return cell.make(() -> {
            BenchmarkOperation operation = BenchmarkOperation.ofLabel(label);
            if (operation == null) {
                throw new IllegalArgumentException(
                        "operation must be one of "
                                + Stream.of(BenchmarkOperation.values())
                                        .map(BenchmarkOperation::label)
                                        .collect(Collectors.joining(", ")));
            }
            return operation;
        });
    }

    private static long whole(JsonObjectReader object, String name) {
        JsonNode value = object.any(name);
        if (value == null) {
            throw object.missing(name);
        }
        return object.make(() -> {
            if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                throw new IllegalArgumentException(name + " must be a whole number");
            }
            return value.longValue();
        });
    }

    private static Instant time(JsonObjectReader object, String name) {
        String text = object.requiredText(name);
        try {
            return Instant.parse(text);
        } catch (DateTimeException _) {
            throw ApiException.badRequest(
                    name + " must be a time in UTC such as 2026-11-27T03:00:00Z");
        }
    }

    private static BenchmarkSubject subject(JsonObjectReader asked) {
        return subject(asked.uuid("vm"), asked.uuid("host"));
    }

    /** The object that exactly one of two identities names. */
    static BenchmarkSubject subject(@Nullable UUID vm, @Nullable UUID host) {
        if (vm != null && host == null) {
            return new BenchmarkSubject(BenchmarkSubject.Kind.VM, vm);
        }
        if (host != null && vm == null) {
            return new BenchmarkSubject(BenchmarkSubject.Kind.HOST, host);
        }
        throw ApiException.badRequest("Name a vm or a host by its id, one of both.");
    }

    static BenchmarkPermit.Request permit(JsonNode body) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        BenchmarkSubject subject = subject(asked);
        int seconds = asked.number("seconds", USUAL_SECONDS, 1, DAY_SECONDS);
        int every = asked.number("everySeconds", 0, 0, LONGEST_EVERY_SECONDS);
        int budget = asked.number("budgetSeconds", DAY_SECONDS, 1, DAY_SECONDS);
        asked.end();
        return new BenchmarkPermit.Request(
                subject,
                Duration.ofSeconds(seconds),
                every == 0 ? null : Duration.ofSeconds(every),
                Duration.ofSeconds(budget));
    }
}
