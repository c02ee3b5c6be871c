package org.stillwater.core.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VmSampleTest {

    @Test
    void aMacSurvivesItsNumber() {
        long mac = VmSample.Nic.macOf("56-6F-8e:12:00:ff");

        assertThat(VmSample.Nic.macText(mac)).isEqualTo("56:6f:8e:12:00:ff");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "56:6f:8e:12:00",
                "56:6f:8e:12:00:0g",
                "566f8e120001",
                "56:6f:8e:12:00:01:02"
            })
    void otherTextsAreNoMacs(String text) {
        assertThat(VmSample.Nic.macOf(text)).isEqualTo(VmSample.NOT_REPORTED);
    }

    @Test
    void aClearedSampleHasNoValues() {
        VmSample sample = new VmSample();
        sample.addNic().receivedBytes = 7;
        sample.addDisk().name = "vda";
        sample.cpuUserPercent = 3;
        sample.clear();

        assertThat(sample.nicCount()).isZero();
        assertThat(sample.diskCount()).isZero();
        assertThat(sample.cpuUserPercent).isNaN();
        assertThat(sample.addNic().receivedBytes).isEqualTo(VmSample.NOT_REPORTED);
        assertThat(sample.addDisk().name).isEmpty();
        sample.dropLastNic();
        assertThatThrownBy(() -> sample.nic(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
