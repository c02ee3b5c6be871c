package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stillwater.server.api.vm.VmJson.Form;

class StreamBodiesTest {

    private final StreamBodies bodies = new StreamBodies();

    @Test
    void aBodyIsOfOneChangeAndOneForm() {
        byte[] light = {1};
        byte[] typed = {2};
        bodies.keep(7, Form.LIGHT, false, light);
        bodies.keep(7, Form.LIGHT, true, typed);
        assertThat(bodies.of(7, Form.LIGHT, false)).isSameAs(light);
        assertThat(bodies.of(7, Form.LIGHT, true)).isSameAs(typed);
        assertThat(bodies.of(7, Form.FULL, false)).isNull();
        assertThat(bodies.of(8, Form.LIGHT, false)).isNull();
    }

    @Test
    void aLaterChangeTakesThePlaceOfAnEarlierOneAndLargeOnesAreNotKept() {
        bodies.keep(7, Form.FULL, false, new byte[10]);
        bodies.keep(7 + 1_024, Form.FULL, false, new byte[20]);
        assertThat(bodies.of(7, Form.FULL, false)).isNull();
        assertThat(bodies.of(7 + 1_024, Form.FULL, false)).hasSize(20);
        bodies.keep(9, Form.FULL, false, new byte[16 * 1024 + 1]);
        assertThat(bodies.of(9, Form.FULL, false)).isNull();
    }
}
