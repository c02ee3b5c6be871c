package org.stillwater.monitoring.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

class PendingRowsTest {

    private final VirtualClock clock = new VirtualClock();
    private final BatchWriter writer =
            new BatchWriter(
                    WriterSettings.DEFAULT,
                    new InMemoryVmStore(),
                    new InMemoryHostStore(),
                    clock,
                    new MonitoringMeters(new SimpleMeterRegistry()),
                    Object::toString,
                    Object::toString,
                    new DurableWork() {
                        @Override
                        public void opened(OpenWork work) {}

                        @Override
                        public void opened(OpenHostWork work) {}

                        @Override
                        public void episodeReached(HostId host, long episode) {}
                    });

    private final List<List<String>> saved = new ArrayList<>();
    private boolean away;
    private @Nullable String failsWith;
    private Runnable during = () -> {};
    private final PendingRows<Integer, String> rows = new PendingRows<>(writer, this::save);

    private WriteOutcome save(List<String> values) {
        during.run();
        if (away) {
            return new WriteOutcome.Unavailable("away");
        }
        if (failsWith != null && values.contains(failsWith)) {
            throw new IllegalStateException("a bug");
        }
        saved.add(List.copyOf(values));
        return new WriteOutcome.Written(values.size(), List.of());
    }

    private void write() {
        clock.advance(WriterSettings.DEFAULT.longestRetry());
        writer.writeDue();
    }

    @Test
    void valuesThatComeWhileTheDatabaseFailsAddNoTasks() {
        away = true;
        rows.put(1, "a");
        int[] version = {0};
        during = () -> rows.put(1, "b" + version[0]++);
        for (int attempt = 0; attempt < 20; attempt++) {
            write();
        }
        assertThat(writer.state().waiting()).as("tasks at the writer").isOne();
        assertThat(rows.size()).isOne();

        during = () -> {};
        away = false;
        write();
        assertThat(saved).containsExactly(List.of("b19"));
        assertThat(writer.state().waiting()).isZero();
    }

    @Test
    void aValueThatComesWhileItsKeyIsSavedIsSavedNext() {
        rows.put(1, "a");
        during =
                () -> {
                    during = () -> {};
                    rows.put(1, "b");
                };
        write();
        write();
        assertThat(saved).containsExactly(List.of("a"), List.of("b"));
        assertThat(rows.size()).isZero();
    }

    @Test
    void aRowForgottenDuringItsSaveIsNotTriedAgain() {
        away = true;
        rows.put(1, "a");
        during = () -> rows.forget(1);
        write();
        assertThat(rows.size()).isZero();
        away = false;
        during = () -> {};
        rows.put(2, "c");
        write();
        assertThat(saved).containsExactly(List.of("c"));
    }

    @Test
    void afterABugOfTheStoreNewRowsAreSaved() {
        rows.put(1, "a");
        during =
                () -> {
                    during = () -> {};
                    throw new IllegalStateException("a bug");
                };
        write();
        rows.put(1, "b");
        write();
        assertThat(saved).containsExactly(List.of("b"));
        assertThat(writer.state().waiting()).isZero();
    }

    @Test
    void aRowThatCannotBeSavedCostsNoOther() {
        failsWith = "bad";
        rows.put(1, "a");
        rows.put(2, "bad");
        rows.put(3, "c");
        for (int i = 0; i < 3; i++) {
            write();
        }
        rows.put(4, "d");
        for (int i = 0; i < 5; i++) {
            write();
        }
        assertThat(saved).containsExactly(List.of("a"), List.of("c"), List.of("d"));
        assertThat(rows.size()).isZero();
        assertThat(writer.state().waiting()).isZero();

        rows.put(1, "e");
        rows.put(2, "f");
        write();
        assertThat(saved).as("again all at once").endsWith(List.of("e", "f"));
    }

    @Test
    void aRowForgottenDuringAFailedSaveCostsNoOther() {
        failsWith = "bad";
        rows.put(1, "bad");
        rows.put(2, "b");
        during = () -> rows.forget(1);
        write();
        during = () -> {};
        write();
        assertThat(saved).containsExactly(List.of("b"));
        assertThat(rows.size()).isZero();
    }

    @Test
    void rowsThatAreSavedOneByOneWaitForADatabaseThatIsAway() {
        failsWith = "bad";
        rows.put(1, "bad");
        rows.put(2, "b");
        rows.put(3, "c");
        write();
        away = true;
        for (int i = 0; i < 5; i++) {
            write();
        }
        assertThat(rows.size()).isEqualTo(3);

        away = false;
        for (int i = 0; i < 3; i++) {
            write();
        }
        assertThat(saved).containsExactlyInAnyOrder(List.of("b"), List.of("c"));
        assertThat(rows.size()).isZero();
    }
}
