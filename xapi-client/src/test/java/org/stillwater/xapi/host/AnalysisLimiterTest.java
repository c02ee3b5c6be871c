package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmRuntime;

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
    void aHangingAnalysisDelaysOthersAndStopsNone() throws Exception {
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
    void aChangeOfFewVmsNeedsNoTurn() {
        AnalysisLimiter.Lane lane = new AnalysisLimiter(2).of(host(1));
        assertThat(turnsDuring(lane, AnalysisLimiter.FEW)).containsOnly(false);
        assertThat(turnsDuring(lane, AnalysisLimiter.FEW + 1)).containsOnly(true);
        assertThat(lane.lock().isLocked()).isFalse();
    }

    /** Whether the host had the turn, for each of so many reports. */
    private static List<Boolean> turnsDuring(AnalysisLimiter.Lane lane, int vms) {
        List<PoolReports.Item> ends = new ArrayList<>();
        for (int i = 0; i < vms; i++) {
            ends.add(
                    new PoolReports.Item.Ended(
                            new VmReport.Exited(
                                    new VmId(1, i),
                                    VmReport.NO_STAMP,
                                    ExitStatus.NORMAL,
                                    ExitReason.SUCCESS,
                                    "")));
        }
        List<Boolean> turns = new ArrayList<>();
        int handed =
                new PoolReports(lane, VmReports.Kind.EVENT, ends, 0, 0, null)
                        .decode(
                                new VmReportSink() {
                                    @Override
                                    public VmRuntime known(VmId vmId, VmSample sample) {
                                        return VmRuntime.INITIAL;
                                    }

                                    @Override
                                    public void accept(VmReport report, VmSample sample) {
                                        turns.add(lane.lock().isHeldByCurrentThread());
                                    }

                                    @Override
                                    public void malformed(VmId vmId, String reason) {
                                        throw new AssertionError(reason);
                                    }
                                });
        assertThat(handed).isEqualTo(vms).isEqualTo(turns.size());
        return turns;
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
