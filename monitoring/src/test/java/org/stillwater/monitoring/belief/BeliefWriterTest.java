package org.stillwater.monitoring.belief;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.store.BeliefStore.Row;
import org.stillwater.core.store.BeliefStore.Subject;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.write.WriterSettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryBeliefStore;

@DisplayName("Partitions of transitions")
class BeliefWriterTest {

    private final VirtualClock clock = new VirtualClock();
    private final InMemoryBeliefStore store = new InMemoryBeliefStore();
    private final BeliefWriter writer =
            new BeliefWriter(
                    BeliefSettings.DEFAULT,
                    WriterSettings.DEFAULT,
                    store,
                    clock,
                    new SimpleMeterRegistry());

    @Test
    @DisplayName("are looked after at the start and once a day, although nothing changes")
    void quiet() {
        transition();
        passed(Duration.ofSeconds(1));
        assertThat(store.all()).hasSize(1);
        int calls = store.calls();
        passed(Duration.ofHours(20));
        assertThat(store.calls()).isEqualTo(calls);

        passed(BeliefSettings.DEFAULT.retention().plusDays(2));

        assertThat(store.all()).as("without another transition").isEmpty();
        assertThat(store.calls()).as("once").isEqualTo(calls + 1);
    }

    @Test
    @DisplayName("of an engine without transitions are looked after as well")
    void never() {
        passed(Duration.ZERO);
        assertThat(store.calls()).isEqualTo(1);
    }

    @Test
    @DisplayName("are there for a transition that waited for days")
    void waitedForDays() {
        store.unavailable("away");
        Instant at = transition();
        passed(Duration.ofSeconds(1));
        passed(Duration.ofDays(5));
        assertThat(store.all()).isEmpty();

        store.unavailable(null);
        passed(Duration.ofDays(1));

        assertThat(store.all()).extracting(row -> row.belief().at()).containsExactly(at);
        assertThat(store.roomFrom()).isEqualTo(at);
        assertThat(store.roomUntil()).isAfter(clock.now());
    }

    @Test
    @DisplayName("are asked for again before a transition, after an idle look that failed")
    void failedLook() {
        passed(Duration.ZERO);
        passed(Duration.ofDays(1));
        Instant ready = store.roomUntil();
        clock.advance(Duration.ofDays(1));
        store.unavailable("away");
        passed(Duration.ZERO);
        assertThat(store.roomUntil()).isEqualTo(ready);

        store.unavailable(null);
        transition();
        passed(Duration.ofSeconds(1));

        assertThat(store.all()).hasSize(1);
        assertThat(store.roomUntil()).isAfter(ready);
    }

    /** Hands in a transition of now. */
    private Instant transition() {
        Instant now = clock.now();
        writer.keep(
                new Row(
                        Subject.VM,
                        new UUID(1, 2),
                        1,
                        new Belief(
                                now,
                                now,
                                BeliefCause.EVENT,
                                null,
                                null,
                                VmRule.UP,
                                VmStatus.UNASSIGNED.code(),
                                VmStatus.UP.code(),
                                null,
                                null,
                                0)));
        return now;
    }

    /** Lets time pass and runs due work. */
    private void passed(Duration time) {
        clock.advance(time);
        while (writer.writeDue()) {
            // until nothing is left to do
        }
    }
}
