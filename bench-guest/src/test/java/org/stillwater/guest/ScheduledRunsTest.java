package org.stillwater.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The schedule without an engine, without a disk and without time. */
class ScheduledRunsTest {

    private static final Permit YES = new Permit(true, "Granted.", Duration.ZERO);

    private final Deque<Permit> permits = new ArrayDeque<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private final List<String> posted = new ArrayList<>();
    private final Deque<Exception> troubles = new ArrayDeque<>();
    private int measured;

    private void run(int runs) throws Exception {
        new ScheduledRuns(
                        new Schedule(Duration.ofHours(6), Duration.ofMinutes(30), runs),
                        permits::remove,
                        () -> "report " + ++measured,
                        this::post,
                        pauses::add,
                        log::add)
                .run();
    }

    private void post(String report) throws EngineRefused, EngineAway {
        switch (troubles.poll()) {
            case EngineAway away -> throw away;
            case EngineRefused refused -> throw refused;
            case null, default -> posted.add(report);
        }
    }

    @Test
    void itRunsWhenItIsPermittedOnly() throws Exception {
        permits.add(YES);
        permits.add(new Permit(false, "Too soon.", Duration.ofMinutes(20)));
        permits.add(new Permit(false, "The storage domain is slow.", Duration.ofDays(2)));
        permits.add(new Permit(false, "At once.", Duration.ZERO));
        permits.add(YES);

        run(2);

        assertThat(posted).containsExactly("report 1", "report 2");
        assertThat(pauses)
                .containsExactly(
                        Duration.ofMinutes(20), Duration.ofHours(6), Duration.ofSeconds(1));
        assertThat(log).contains("waits for 1200 s: Too soon.", "posted run 2");
    }

    @Test
    void aResultThatTheEngineCannotTakeWaits() throws Exception {
        permits.add(YES);
        troubles.add(new EngineAway("away"));
        troubles.add(new EngineAway("away"));

        run(1);

        assertThat(measured).isEqualTo(1);
        assertThat(posted).containsExactly("report 1");
        assertThat(pauses).hasSize(2);
    }

    @Test
    void itEndsAfterTenFailuresAndAfterARefusal() {
        permits.add(YES);
        for (int i = 0; i < ScheduledRuns.MOST_FAILURES; i++) {
            troubles.add(new EngineAway("away"));
        }
        assertThatThrownBy(() -> run(1))
                .isInstanceOf(BenchmarkFailed.class)
                .hasMessageContaining("ends after 10 failures in a row: away");

        permits.add(YES);
        troubles.add(new EngineRefused("no"));
        assertThatThrownBy(() -> run(1)).isInstanceOf(EngineRefused.class).hasMessage("no");
    }
}
