package org.stillwater.monitoring.regression;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.SeriesOwner.Shared;

/**
 * Objects of findings about benchmarks. Their names begin with the VM or host and the setup, and go
 * on with the operation, the record size or both.
 */
final class BenchmarkNames {

    private static final int SETUP_PARTS = 2;
    private static final int MIB = 1 << 20;
    private static final int KIB = 1 << 10;

    private BenchmarkNames() {}

    /** Whether a finding about this object comes from benchmark runs. */
    static boolean isBenchmark(Shared object) {
        return switch (object.level()) {
            case BenchmarkMatrix.CELL,
                    BenchmarkMatrix.OPERATION,
                    BenchmarkMatrix.RECORD_SIZE,
                    BenchmarkMatrix.ALL_CELLS ->
                    true;
            default -> false;
        };
    }

    static @Nullable VmId vm(String name) {
        UUID id = id(BenchmarkSubject.Kind.VM, name);
        return id == null ? null : VmId.of(id);
    }

    static @Nullable HostId host(String name) {
        UUID id = id(BenchmarkSubject.Kind.HOST, name);
        return id == null ? null : new HostId(id);
    }

    private static @Nullable UUID id(BenchmarkSubject.Kind kind, String name) {
        String prefix = kind.label() + ":";
        int end = name.indexOf('/');
        return end < 0 || !name.startsWith(prefix)
                ? null
                : UUID.fromString(name.substring(prefix.length(), end));
    }

    /** The cells in words. */
    static String cells(Shared object) {
        String[] parts = object.name().split("/", -1);
        StringBuilder words = new StringBuilder();
        for (int i = SETUP_PARTS; i < parts.length; i++) {
            words.append(i == SETUP_PARTS ? "" : " with ")
                    .append(isNumber(parts[i]) ? records(parts[i]) : parts[i]);
        }
        return words.isEmpty() ? "benchmark" : words.toString();
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static String records(String text) {
        int bytes = Integer.parseInt(text);
        return (bytes >= MIB ? bytes / MIB + " MiB" : bytes / KIB + " KiB") + " records";
    }
}
