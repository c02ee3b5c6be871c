package org.stillwater.monitoring.vm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VmDevicesTest {

    private final VmDevices devices = new VmDevices();

    @Test
    void anEqualHashIsKeptOnceAndAnotherOneIsNews() {
        devices.saved("-77", 5);
        String reported = new String("-77");

        assertThat(devices.isCurrent(reported)).isTrue();
        assertThat(devices.hash()).isSameAs(reported);
        assertThat(devices.digest()).isEqualTo(5);
        assertThat(devices.isCurrent("-78")).isFalse();
        assertThat(devices.hash()).isSameAs(reported);
        devices.forget();
        assertThat(devices.isCurrent(reported)).isFalse();
        assertThat(devices.hash()).isEmpty();
    }
}
