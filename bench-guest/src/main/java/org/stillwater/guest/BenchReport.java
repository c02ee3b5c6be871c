package org.stillwater.guest;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * A finished run.
 *
 * @param run its identity: a report that is posted twice counts once
 * @param engine name and version of the engine
 * @param machine name of this machine
 * @param kernel version of its operating system
 */
record BenchReport(
        UUID run,
        Instant startedAt,
        String engine,
        String machine,
        String kernel,
        Options options,
        List<Measurement> results) {

    private static final long NANOS_PER_MILLI = 1_000_000;

    BenchReport {
        results = List.copyOf(results);
    }

    /** The document of {@code --json}. */
    String json() {
        StringBuilder json = new StringBuilder();
        json.append("{\n  \"run\": ").append(Json.quoted(run.toString()));
        Target target = options.target();
        if (target != null) {
            json.append(",\n  ")
                    .append(Json.quoted(target.kind()))
                    .append(": ")
                    .append(Json.quoted(target.id().toString()));
        }
        json.append(",\n  \"startedAt\": ").append(Json.quoted(startedAt.toString()));
        json.append(",\n  \"engine\": ").append(Json.quoted(engine));
        json.append(",\n  \"machine\": ").append(Json.quoted(machine));
        json.append(",\n  \"kernel\": ").append(Json.quoted(kernel));
        json.append(",\n  \"direct\": ").append(!options.buffered());
        json.append(",\n  \"fileBytes\": ").append(options.fileBytes());
        json.append(",\n  \"seconds\": ").append(options.seconds());
        json.append(",\n  \"results\": [");
        String separator = "\n    ";
        for (Measurement each : results) {
            json.append(separator)
                    .append(
                            String.format(
                                    Locale.ROOT,
                                    "{\"operation\": \"%s\", \"recordBytes\": %d, \"bytes\": %d,"
                                            + " \"millis\": %d, \"megabytesPerSecond\": %.6f}",
                                    each.operation().label(),
                                    each.recordBytes(),
                                    each.bytes(),
                                    Math.max(1, each.nanos() / NANOS_PER_MILLI),
                                    each.megabytesPerSecond()));
            separator = ",\n    ";
        }
        return json.append("\n  ]\n}\n").toString();
    }

    /** The matrix for people: a line for each record size, MB/s. */
    String table() {
        StringBuilder table = new StringBuilder(String.format("%-10s", "MB/s"));
        options.operations().forEach(each -> table.append(String.format("%18s", each.label())));
        for (int record : options.recordBytes()) {
            table.append(String.format("%n%-10s", Options.text(record)));
            for (DiskOperation operation : options.operations()) {
                results.stream()
                        .filter(each -> each.operation() == operation)
                        .filter(each -> each.recordBytes() == record)
                        .findFirst()
                        .ifPresent(each ->
                                table.append(
                                        String.format(
                                                Locale.ROOT, "%18.1f", each.megabytesPerSecond())));
            }
        }
        return table.append(System.lineSeparator()).toString();
    }
}
