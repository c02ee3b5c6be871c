package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.JobType;

class VmJobsTest {

    private static final String ID = "00000000-0000-0000-0000-00000000000a";
    private static final VmId VM = VmId.parse(ID);
    private static final VmId WEB = VmId.parse("0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01");
    private static final UUID JOB = UUID.fromString("8a7b6c5d-4e3f-4210-9f8e-7d6c5b4a3921");

    private final Decoded engine = new Decoded();

    private void report(String members) throws MalformedReport {
        engine.records(
                "{\"statusTime\": \"5\", \"status\": \"Up\", \"vmId\": \""
                        + ID
                        + "\""
                        + members
                        + "}");
        assertThat(engine.malformed).isEmpty();
    }

    @Test
    void aLiveMergeIsRead() throws MalformedReport {
        engine.poll(Decoded.sample("vm_getStats_livemerge_job"));
        assertThat(engine.jobs.get(engine.running().vmId()))
                .containsExactly(
                        new VmJobReport(
                                JOB,
                                JobType.BLOCK,
                                BlockJobType.COMMIT,
                                0L,
                                6_442_450_944L,
                                21_474_836_480L,
                                UUID.fromString("22b1c2d3-e4f5-4061-9b7c-8d9e0f1a2b02")));
    }

    @Test
    void noneIsNotTheSameAsNotKnown() throws MalformedReport {
        report(", \"vmJobs\": {}");
        assertThat(engine.jobs.get(VM)).isEmpty();
        report("");
        assertThat(engine.jobs.get(VM)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "\"\"", "7", "[{\"id\": 1}]"})
    void anotherKindOfValueIsUnknown(String value) throws MalformedReport {
        report(", \"vmJobs\": " + value);
        assertThat(engine.jobs.get(VM)).isNull();
    }

    @Test
    void oddJobsHaveTheReadableMembers() throws MalformedReport {
        report(
                """
                , "vmJobs": {
                  "not an id": {"cur": "5"},
                  "8a7b6c5d-4e3f-4210-9f8e-7d6c5b4a3921": {"jobType": "tape", "blockJobType": "pull", "cur": -1,
                    "end": 7.9, "bandwidth": null, "imgUUID": "x", "drive": {"a": [1]}, "more": [{}]},
                  "8a7b6c5d-4e3f-4210-9f8e-7d6c5b4a3922": "running"}
                """);
        assertThat(engine.jobs.get(VM))
                .containsExactly(
                        new VmJobReport(
                                JOB, JobType.UNKNOWN, BlockJobType.UNKNOWN, null, null, 7L, null),
                        VmJobReport.unreadable(
                                UUID.fromString("8a7b6c5d-4e3f-4210-9f8e-7d6c5b4a3922")));
        assertThat(engine.running().vmId()).isEqualTo(VM);
    }

    @Test
    void numaDataIsBuiltOnlyWhenItDiffers() throws MalformedReport {
        report(", \"vNodeRuntimeInfo\": {\"0\": [0, 1], \"1\": [\"1\"], \"x\": [2]}");
        assertThat(engine.numa.get(VM))
                .containsExactly(new VmNumaNode(0, List.of(0, 1)), new VmNumaNode(1, List.of(1)));
        report(", \"vNodeRuntimeInfo\": {\"0\": [0, 1], \"1\": [\"1\"], \"x\": [2]}");
        assertThat(engine.numa.get(VM)).as("the same").isNull();
        assertThat(engine.knownNuma.get(VM)).isNotZero();
        report(", \"vNodeRuntimeInfo\": {\"0\": [1]}");
        assertThat(engine.numa.get(VM)).containsExactly(new VmNumaNode(0, List.of(1)));
        report(", \"vNodeRuntimeInfo\": []");
        assertThat(engine.knownNuma.get(VM)).as("not reported").isZero();
    }

    @Test
    void aPollOfCurrentHostsHasNoNumaData() throws MalformedReport {
        engine.poll(Decoded.sample("host_getAllVmStats"));
        assertThat(engine.numa.get(WEB)).isNull();
        assertThat(engine.knownNuma.values()).containsOnly(0L);
    }
}
