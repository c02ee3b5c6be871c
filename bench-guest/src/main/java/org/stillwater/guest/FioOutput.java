package org.stillwater.guest;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reader of the output of fio with {@code --output-format=json}. Pure. */
final class FioOutput {

    private FioOutput() {}

    /**
     * The measurement of the only job.
     *
     * @throws BenchmarkFailed if the text is not fio's, or reports a failure
     */
    static Measurement measurement(String text, DiskOperation operation, int recordBytes)
            throws BenchmarkFailed {
        // Notes and warnings of fio stand before the document.
        int begin = text.startsWith("{") ? 0 : text.indexOf("\n{") + 1;
        Map<?, ?> job;
        try {
            job =
                    Json.parse(text.substring(begin)) instanceof Map<?, ?> document
                                    && document.get("jobs") instanceof List<?> jobs
                                    && jobs.size() == 1
                                    && jobs.getFirst() instanceof Map<?, ?> only
                            ? only
                            : Map.of();
        } catch (IllegalArgumentException e) {
            throw new BenchmarkFailed("fio printed no JSON: " + shortened(text));
        }
        Map<?, ?> side =
                job.get(operation.writing() ? "write" : "read") instanceof Map<?, ?> found
                        ? found
                        : Map.of();
        Double error = number(job.get("error"));
        if (error != null && error != 0) {
            throw new BenchmarkFailed(
                    "fio failed at " + operation.label() + " with error " + error.longValue());
        }
        Double bytes = number(side.get("io_bytes"));
        Double millis = number(side.get("runtime"));
        Double perSecond = number(side.get("bw_bytes"));
        if (bytes == null || millis == null || bytes < 1) {
            throw new BenchmarkFailed("fio reported no figures of " + operation.label());
        }
        // The runtime is in whole milliseconds; fio 3 also reports the rate, which is more precise.
        double nanos =
                perSecond != null && perSecond > 0
                        ? bytes / perSecond * TimeUnit.SECONDS.toNanos(1)
                        : millis * TimeUnit.MILLISECONDS.toNanos(1);
        return new Measurement(
                operation, recordBytes, bytes.longValue(), Math.max(1, Math.round(nanos)));
    }

    private static @Nullable Double number(@Nullable Object value) {
        return value instanceof Double number ? number : null;
    }

    private static String shortened(String text) {
        String line = text.strip().replace('\n', ' ');
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }
}
