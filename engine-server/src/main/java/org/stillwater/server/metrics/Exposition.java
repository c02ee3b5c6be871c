package org.stillwater.server.metrics;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the text format of Prometheus 0.0.4 or OpenMetrics 1.0, sample by sample, through one
 * buffer of fixed size. Samples of a family follow each other. Used by one thread.
 */
final class Exposition {

    static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final int BUFFER_BYTES = 16 * 1024;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final double LARGEST_WHOLE = 1L << 53;

    /** Kind of a family's samples. */
    enum Kind {
        GAUGE("gauge", "gauge", ""),
        COUNTER("counter", "counter", "_total"),
        /** Always 1: its labels carry the information. */
        INFO("gauge", "info", "_info"),
        /** With buckets, a count and a sum: the sample's name distinguishes them. */
        HISTOGRAM("histogram", "histogram", "");

        private final String prometheus;
        private final String openMetrics;
        private final String suffix;

        Kind(String prometheus, String openMetrics, String suffix) {
            this.prometheus = prometheus;
            this.openMetrics = openMetrics;
            this.suffix = suffix;
        }

        /** Name of the samples of a family. */
        String sampleName(String family) {
            return family + suffix;
        }
    }

    private final OutputStream out;
    private final boolean openMetrics;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int used;
    private byte[] sample = {};
    private String header = "";
    private boolean labelled;

    Exposition(OutputStream out, boolean openMetrics) {
        this.out = out;
        this.openMetrics = openMetrics;
    }

    /**
     * Begins a family. Its name and help are written before its first sample: a family without
     * samples is left out.
     *
     * @param name without the suffix of its kind
     * @param help one sentence
     */
    void family(String name, Kind kind, String help) {
        String told = kind.sampleName(name);
        sample = bytes(told);
        String family = openMetrics ? name : told;
        header =
                "# HELP %s %s\n# TYPE %s %s\n"
                        .formatted(
                                family,
                                help.replace("\\", "\\\\").replace("\n", " "),
                                family,
                                openMetrics ? kind.openMetrics : kind.prometheus);
    }

    /** Begins a sample. */
    Exposition sample() throws IOException {
        if (!header.isEmpty()) {
            raw(bytes(header));
            header = "";
        }
        raw(sample);
        labelled = false;
        return this;
    }

    /** Begins a sample of a part of a histogram: {@code _bucket}, {@code _count}, {@code _sum}. */
    Exposition sample(byte[] part) throws IOException {
        Exposition _ = sample();
        raw(part);
        return this;
    }

    private void labelName(byte[] name) throws IOException {
        one(labelled ? ',' : '{');
        labelled = true;
        raw(name);
        one('=');
        one('"');
    }

    /** A label that is an identity, written without making a text of it. */
    Exposition label(byte[] name, long upper, long lower) throws IOException {
        labelName(name);
        hex(upper, 64, 32);
        one('-');
        hex(upper, 32, 16);
        one('-');
        hex(upper, 16, 0);
        one('-');
        hex(lower, 64, 48);
        one('-');
        hex(lower, 48, 0);
        one('"');
        return this;
    }

    private void hex(long bits, int from, int to) throws IOException {
        for (int shift = from - 4; shift >= to; shift -= 4) {
            one(HEX[(int) (bits >>> shift) & 15]);
        }
    }

    /** A label; null stands for an empty one. */
    Exposition label(byte[] name, @Nullable String value) throws IOException {
        labelName(name);
        if (value != null) {
            escaped(value);
        }
        one('"');
        return this;
    }

    private void escaped(String value) throws IOException {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> {
                    one('\\');
                    one('\\');
                }
                case '"' -> {
                    one('\\');
                    one('"');
                }
                case '\n' -> {
                    one('\\');
                    one('n');
                }
                default -> {
                    if (c < 0x80) {
                        one(c);
                    } else {
                        int point = value.codePointAt(i);
                        if (Character.isSupplementaryCodePoint(point)) {
                            i++;
                        }
                        raw(bytes(Character.toString(point)));
                    }
                }
            }
        }
    }

    /** Ends a sample with its value. */
    void value(double value) throws IOException {
        one(labelled ? '}' : ' ');
        if (labelled) {
            one(' ');
        }
        if (value == Math.rint(value) && Math.abs(value) < LARGEST_WHOLE) {
            whole((long) value);
        } else {
            raw(bytes(Double.toString(value)));
        }
        one('\n');
    }

    private void whole(long value) throws IOException {
        if (value < 0) {
            one('-');
        }
        long rest = Math.abs(value);
        long power = 1;
        while (rest / power >= 10) {
            power *= 10;
        }
        for (; power > 0; power /= 10) {
            one('0' + (int) (rest / power % 10));
        }
    }

    /** Ends the exposition. */
    void end() throws IOException {
        if (openMetrics) {
            raw(bytes("# EOF\n"));
        }
        flush();
    }

    private void one(int value) throws IOException {
        if (used == buffer.length) {
            flush();
        }
        buffer[used++] = (byte) value;
    }

    private void raw(byte[] bytes) throws IOException {
        if (buffer.length - used < bytes.length) {
            flush();
        }
        if (bytes.length > buffer.length) {
            out.write(bytes);
            return;
        }
        System.arraycopy(bytes, 0, buffer, used, bytes.length);
        used += bytes.length;
    }

    private void flush() throws IOException {
        out.write(buffer, 0, used);
        used = 0;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
