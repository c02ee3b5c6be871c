package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.report.VmSample;

class GuaranteedMemoryTest {

    @ParameterizedTest(name = "{0} MiB guaranteed, {1} KiB now: {2}")
    @CsvSource({
        "2048, 1048576, true",
        "2048, 2097151, true",
        "2048, 2097152, false",
        "2048, 0, false",
        "2048, -1, false",
        "2048, " + VmSample.NOT_REPORTED + ", false",
        "0, 1, false",
        "1, 1, true",
    })
    @DisplayName("S59 less memory than guaranteed")
    void lessMemoryThanGuaranteed(int guaranteed, long current, boolean undercut) {
        assertThat(GuaranteedMemory.isUndercut(guaranteed, current)).isEqualTo(undercut);
    }
}
