package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmRuntime;

class PoolReportsTest {

    private static final VmId FAILING = new VmId(1, 1);
    private static final VmId OTHER = new VmId(1, 2);

    private static PoolReports.Item ended(VmId vm) {
        return new PoolReports.Item.Ended(
                new VmReport.Exited(
                        vm, VmReport.NO_STAMP, ExitStatus.NORMAL, ExitReason.SUCCESS, ""));
    }

    @Test
    void aReportThatIsNotProcessedCostsThatVmOnly() {
        AnalysisLimiter.Lane lane = new AnalysisLimiter(2).of(new HostId(new UUID(1, 1)));
        List<VmId> processed = new ArrayList<>();
        List<String> malformed = new ArrayList<>();
        int handed =
                new PoolReports(
                                lane,
                                VmReports.Kind.POLL,
                                List.of(ended(FAILING), ended(OTHER)),
                                0,
                                0,
                                null)
                        .decode(
                                new VmReportSink() {
                                    @Override
                                    public VmRuntime known(VmId vmId, VmSample sample) {
                                        return VmRuntime.INITIAL;
                                    }

                                    @Override
                                    public void accept(VmReport report, VmSample sample) {
                                        if (report.vmId().equals(FAILING)) {
                                            throw new IllegalStateException("a bug");
                                        }
                                        processed.add(report.vmId());
                                    }

                                    @Override
                                    public void malformed(VmId vmId, String reason) {
                                        malformed.add(vmId + ": " + reason);
                                    }
                                });
        assertThat(handed).isEqualTo(1);
        assertThat(processed).containsExactly(OTHER);
        assertThat(malformed)
                .singleElement()
                .asString()
                .startsWith(FAILING + ": ")
                .contains("a bug");
    }
}
