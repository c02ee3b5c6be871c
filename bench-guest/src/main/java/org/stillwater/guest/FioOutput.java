package org.stillwater.guest;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reader of the output of fio with {@code --output-format=json}. Pure. */
final class FioOutput {

    private static final int KIBIBYTE = 1_024;

    private FioOutput() {}

    /**
     * The measurement of the only job.
     *
     * @throws BenchmarkFailed if the text is not fio's, or reports a failure
     */
    static Measurement measurement(String text, DiskOperation operation, int recordBytes)
            throws BenchmarkFailed {
        Map<?, ?> job;
        try {
            job =
                    Json.parse(document(text)) instanceof Map<?, ?> document
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
        if (!side.containsKey("io_kbytes")) {
            bytes *= KIBIBYTE; // fio 2 counts in KiB; fio 3 has a member for each unit
        }
        // The runtime is in whole milliseconds; fio 3 also reports the rate, which is more precise.
        double nanos =
                perSecond != null && perSecond > 0
                        ? bytes / perSecond * TimeUnit.SECONDS.toNanos(1)
                        : millis * TimeUnit.MILLISECONDS.toNanos(1);
        return new Measurement(
                operation, recordBytes, bytes.longValue(), Math.max(1, Math.round(nanos)));
    }

    /** The document without the notes and warnings of fio before and after it. */
    private static String document(String text) {
        int begin = text.startsWith("{") ? 0 : text.indexOf("\n{") + 1;
        int end = text.indexOf("\n}", begin);
        return end < 0 ? text.substring(begin) : text.substring(begin, end + 2);
    }

    private static @Nullable Double number(@Nullable Object value) {
        return value instanceof Double number ? number : null;
    }

    private static String shortened(String text) {
        String line = text.strip().replace('\n', ' ');
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }
}
