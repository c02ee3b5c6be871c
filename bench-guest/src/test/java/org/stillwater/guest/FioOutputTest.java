package org.stillwater.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FioOutputTest {

    /** Members and their order as fio 3 prints them, most of them left out. */
    private static final String FIO =
            """
            note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1
            {
              "fio version" : "fio-3.33",
              "timestamp" : 1700000000,
              "time" : "Tue Nov 14 22:13:20 2023",
              "jobs" : [
                {
                  "jobname" : "stillwater", "groupid" : 0, "error" : %d, "eta" : 0,
                  "job options" : { "name" : "stillwater", "bs" : "65536" },
                  "read" : {
                    "io_bytes" : 67108864, "io_kbytes" : 65536, "bw_bytes" : 134217728, "bw" : 131072,
                    "iops" : 2048.000000, "runtime" : 500, "total_ios" : 1024,
                    "clat_ns" : { "min" : 1, "percentile" : { "99.000000" : 493 } }
                  },
                  "write" : { "io_bytes" : 0, "bw_bytes" : 0, "runtime" : 0 }
                }
              ],
              "disk_util" : [ ]
            }
            """;

    @Test
    void theRateIsThatOfTheSideThatRan() throws Exception {
        Measurement read =
                FioOutput.measurement(FIO.formatted(0), DiskOperation.RANDOM_READ, 65_536);
        assertThat(read.bytes()).isEqualTo(67_108_864);
        assertThat(read.nanos()).isEqualTo(500_000_000);
        assertThat(read.megabytesPerSecond()).isCloseTo(134.217728, within(1e-6));
    }

    @Test
    void withoutARateTheRuntimeCounts() throws Exception {
        String old = FIO.formatted(0).replace("\"bw_bytes\" : 134217728,", "");
        assertThat(FioOutput.measurement(old, DiskOperation.SEQUENTIAL_READ, 65_536).nanos())
                .isEqualTo(500_000_000);
    }

    @Test
    void fioTwoCountsInKibibytes() throws Exception {
        String two =
                FIO.formatted(0)
                        .replace("fio-3.33", "fio-2.16")
                        .replace(
                                "\"io_bytes\" : 67108864, \"io_kbytes\" : 65536,"
                                        + " \"bw_bytes\" : 134217728,",
                                "\"io_bytes\" : 65536,");
        Measurement read = FioOutput.measurement(two, DiskOperation.SEQUENTIAL_READ, 65_536);
        assertThat(read.bytes()).isEqualTo(67_108_864);
        assertThat(read.megabytesPerSecond()).isCloseTo(134.217728, within(1e-6));
    }

    @Test
    void aWarningAfterTheDocumentIsNoPartOfIt() throws Exception {
        String text = FIO.formatted(0) + "fio: file hash not empty on exit\n";
        assertThat(FioOutput.measurement(text, DiskOperation.SEQUENTIAL_READ, 65_536).bytes())
                .isEqualTo(67_108_864);
    }

    @Test
    void aFailureOfAJobIsOneOfTheRun() {
        assertThatThrownBy(() ->
                        FioOutput.measurement(FIO.formatted(28), DiskOperation.RANDOM_READ, 65_536))
                .isInstanceOf(BenchmarkFailed.class)
                .hasMessageContaining("error 28");
    }

    @Test
    void aSideThatDidNotRunHasNoFigures() {
        assertThatThrownBy(() ->
                        FioOutput.measurement(FIO.formatted(0), DiskOperation.RANDOM_WRITE, 65_536))
                .hasMessageContaining("no figures of random-write");
    }

    @Test
    void outputWithoutJsonIsShown() {
        assertThatThrownBy(() ->
                        FioOutput.measurement(
                                "fio: no such option", DiskOperation.RANDOM_READ, 65_536))
                .hasMessageContaining("fio: no such option");
    }
}
