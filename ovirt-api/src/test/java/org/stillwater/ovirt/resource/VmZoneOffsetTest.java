package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class VmZoneOffsetTest {

    @Test
    void everyOffsetHasTwoDigitsOfHoursAndOfMinutes() {
        for (int minutes = -18 * 60; minutes <= 18 * 60; minutes++) {
            assertThat(VmResource.offset(minutes))
                    .isEqualTo(
                            String.format(
                                    Locale.ROOT,
                                    "%s%02d:%02d",
                                    minutes < 0 ? "-" : "+",
                                    Math.abs(minutes) / 60,
                                    Math.abs(minutes) % 60));
        }
    }

    @Test
    void moreThanADayKeepsItsHours() {
        assertThat(VmResource.offset(100 * 60 + 7)).isEqualTo("+100:07");
    }
}
