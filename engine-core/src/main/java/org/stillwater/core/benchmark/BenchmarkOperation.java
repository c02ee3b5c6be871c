package org.stillwater.core.benchmark;

import org.jspecify.annotations.Nullable;

/** File operation of a cell of the matrix. The order is that of the API. */
public enum BenchmarkOperation {
    SEQUENTIAL_READ("sequential-read"),
    SEQUENTIAL_WRITE("sequential-write"),
    RANDOM_READ("random-read"),
    RANDOM_WRITE("random-write");

    private final String label;

    BenchmarkOperation(String label) {
        this.label = label;
    }

    /** The name that clients and agents know. */
    public String label() {
        return label;
    }

    /** The operation of a label, null if there is none. */
    public static @Nullable BenchmarkOperation ofLabel(String label) {
        for (BenchmarkOperation each : values()) {
            if (each.label.equals(label)) {
                return each;
            }
        }
        return null;
    }
}
