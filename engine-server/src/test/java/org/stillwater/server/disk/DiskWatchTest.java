package org.stillwater.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.settings.DiskSettings;

class DiskWatchTest {

    private static final long MIB = 1024 * 1024;

    private final DiskSettings settings =
            new DiskSettings(
                    DataSize.ofMegabytes(1000), DataSize.ofMegabytes(400), Duration.ofSeconds(30));
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicLong free = new AtomicLong(5000 * MIB);
    private final DiskWatch watch =
            new DiskWatch(Path.of("/data"), settings, meters, _ -> free.get());

    private DiskLevel at(long mebibytes) {
        free.set(mebibytes * MIB);
        watch.look();
        return watch.level();
    }

    @Test
    void historyStopsAfterAWarningAndContinuesWithFreeSpace() {
        assertThat(at(5000)).isEqualTo(DiskLevel.ENOUGH);
        assertThat(at(999)).isEqualTo(DiskLevel.LOW);
        assertThat(watch.historyStop()).isNull();
        assertThat(at(399)).isEqualTo(DiskLevel.HISTORY_STOPPED);
        assertThat(watch.historyStop())
                .contains("399 MiB free", "stillwater.disk.stop-history-below");
        assertThat(meters.get("stillwater.disk.free").gauge().value()).isEqualTo(399.0 * MIB);
        assertThat(at(450)).as("a quarter more must be free").isEqualTo(DiskLevel.HISTORY_STOPPED);
        assertThat(at(501)).isEqualTo(DiskLevel.LOW);
        assertThat(at(450)).as("on the way down it is enough").isEqualTo(DiskLevel.LOW);
        assertThat(at(1000)).isEqualTo(DiskLevel.ENOUGH);
    }

    @Test
    void anUnknownSpaceChangesNothing() {
        DiskWatch blind =
                new DiskWatch(
                        Path.of("/data"),
                        settings,
                        new SimpleMeterRegistry(),
                        _ -> {
                            throw new IOException("gone");
                        });
        blind.look();
        assertThat(blind.level()).isEqualTo(DiskLevel.ENOUGH);
        assertThat(blind.freeBytes()).isEqualTo(-1);
    }

    @Test
    void aDatabaseOnAnotherServerIsNotWatched() {
        DiskWatch none = new DiskWatch(null, settings, new SimpleMeterRegistry());
        none.look();
        assertThat(none.watches()).isFalse();
        assertThat(none.historyStop()).isNull();
    }

    /** Every call that adds rows is refused, every other one goes through. */
    @Test
    void aStoreOfAFullDiskReadsAndDropsAndDoesNotWrite() throws Exception {
        List<String> calls = new ArrayList<>();
        HistoryStore inner =
                (HistoryStore)
                        Proxy.newProxyInstance(
                                HistoryStore.class.getClassLoader(),
                                new Class<?>[] {HistoryStore.class},
                                (_, method, _) -> {
                                    calls.add(method.getName());
                                    return null;
                                });
        HistoryStore guarded = new GuardedHistoryStore(inner, watch::historyStop);
        at(100);
        Set<String> writes = Set.of("write", "writeHour", "rollUpHour", "rollUp");
        for (var method : HistoryStore.class.getMethods()) {
            Object[] arguments = new Object[method.getParameterCount()];
            if (writes.contains(method.getName())) {
                assertThatThrownBy(() -> method.invoke(guarded, arguments))
                        .isInstanceOf(InvocationTargetException.class)
                        .hasCauseInstanceOf(StoreUnavailable.class);
            } else {
                Object _ = method.invoke(guarded, arguments);
            }
        }
        assertThat(calls).containsExactlyInAnyOrder("read", "readPart", "maintain");
        at(5000);
        HistoryStore.Recorded _ =
                guarded.write(
                        new HistoryStore.Interval(Instant.EPOCH, Instant.EPOCH, Instant.EPOCH),
                        HistoryStore.Samples.NONE,
                        HistoryStore.Samples.NONE);
        assertThat(calls).endsWith("write");
    }
}
