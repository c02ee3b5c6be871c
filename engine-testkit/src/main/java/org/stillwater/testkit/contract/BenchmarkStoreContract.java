package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.benchmark.BenchmarkOperation;
import org.stillwater.core.benchmark.BenchmarkResult;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.store.BenchmarkStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Contract of every {@link BenchmarkStore}. A subclass hands out an empty store before each test.
 */
public abstract class BenchmarkStoreContract {

    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");

    private BenchmarkStore store;

    /** A store without runs. */
    protected abstract BenchmarkStore emptyBenchmarks() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyBenchmarks();
    }

    private static BenchmarkRun run(int number) {
        return new BenchmarkRun(
                new UUID(7, number),
                new BenchmarkSubject(
                        number % 2 == 0 ? BenchmarkSubject.Kind.VM : BenchmarkSubject.Kind.HOST,
                        new UUID(8, number)),
                BEGIN.plusSeconds(number),
                BEGIN.plusSeconds(100 + number),
                "fio-3.36",
                "vm \"odd\\name\"",
                "Linux 6.1",
                true,
                1L << 30,
                5,
                List.of(
                        new BenchmarkResult(
                                BenchmarkOperation.SEQUENTIAL_READ, 65_536, 1_000_000, 8, 123.457),
                        new BenchmarkResult(
                                BenchmarkOperation.RANDOM_WRITE,
                                16 << 20,
                                1L << 34,
                                30_000,
                                572.6)),
                "agent@internal");
    }

    @Test
    @DisplayName("runs are read as they were written, the newest first")
    void asWritten() throws StoreUnavailable {
        assertThat(store.add(run(1))).isTrue();
        assertThat(store.add(run(2))).isTrue();

        assertThat(store.newest(10)).containsExactly(run(2), run(1));
        assertThat(store.newest(1)).containsExactly(run(2));
        assertThat(store.find(run(1).id())).isEqualTo(run(1));
        assertThat(store.find(run(3).id())).isNull();
    }

    @Test
    @DisplayName("a run that is added again stays as it was")
    void once() throws StoreUnavailable {
        assertThat(store.add(run(1))).isTrue();
        BenchmarkRun other =
                new BenchmarkRun(
                        run(1).id(),
                        run(2).subject(),
                        run(2).startedAt(),
                        run(2).receivedAt(),
                        "direct",
                        "vm",
                        "Linux",
                        false,
                        1L << 24,
                        1,
                        run(2).results(),
                        "other");

        assertThat(store.add(other)).isFalse();
        assertThat(store.newest(10)).containsExactly(run(1));
    }

    @Test
    @DisplayName("runs are removed one by one, or when they began long ago")
    void removed() throws StoreUnavailable {
        store.add(run(1));
        store.add(run(2));
        store.add(run(3));

        assertThat(store.remove(run(2).id())).isTrue();
        assertThat(store.remove(run(2).id())).isFalse();
        assertThat(store.removeBefore(run(3).startedAt())).isEqualTo(1);

        assertThat(store.newest(10)).containsExactly(run(3));
    }
}
