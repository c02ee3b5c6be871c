package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.model.HostId;

class AnalysisLimiterTest {

    private static HostId host(int number) {
        return new HostId(new UUID(0x5bd1e995L * number, number));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "8, 4"})
    void halfOfTheProcessorsAreLeftToOthers(int processors, int lanes) {
        AnalysisLimiter turns = new AnalysisLimiter(processors);

        assertThat(
                        IntStream.range(0, 1_000)
                                .mapToObj(number -> turns.of(host(number)))
                                .collect(Collectors.toSet()))
                .hasSize(lanes);
    }

    @Test
    void aHostWhoseAnalysisHangsDelaysOthersAndStopsNone() throws Exception {
        AnalysisLimiter turns = new AnalysisLimiter(2);
        AnalysisLimiter.Lane hanging = turns.of(host(1));
        AnalysisLimiter.Lane other = turns.of(host(2));
        assertThat(hanging.begin()).isTrue();

        assertThat(CompletableFuture.supplyAsync(other::begin).get(30, TimeUnit.SECONDS))
                .as("goes on without a turn")
                .isFalse();

        hanging.end();
        assertThat(other.begin()).isTrue();
        other.end();
    }

    @Test
    void eventsInTheMiddleOfAListArePartOfItsTurn() {
        AnalysisLimiter.Lane lane = new AnalysisLimiter(2).of(host(1));
        assertThat(lane.begin()).isTrue();
        assertThat(lane.begin()).isTrue();
        lane.end();
        lane.end();
        assertThat(lane.lock().isLocked()).isFalse();
    }
}
