package org.stillwater.server.api.host;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;

class HostFilterTest {

    private static HostFilter filter(String name, String value) {
        return new HostFilter(
                null,
                null,
                null,
                null,
                null,
                given("cpuAbove", name, value),
                given("memoryAbove", name, value),
                given("networkAbove", name, value),
                null,
                null,
                null);
    }

    private static @Nullable String given(String parameter, String name, String value) {
        return parameter.equals(name) ? value : null;
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpuAbove", "memoryAbove", "networkAbove"})
    void aUsageIsZeroToAHundredPercent(String name) {
        FleetReader fleet = mock(FleetReader.class);
        Caller reader = Caller.withRole("reader", Role.READER);
        for (String fine : new String[] {"0", "99.5", "100"}) {
            assertThatCode(() -> filter(name, fine).predicate(fleet, reader))
                    .as(fine)
                    .doesNotThrowAnyException();
        }
        for (String wrong : new String[] {"100.1", "-1"}) {
            assertThatExceptionOfType(ApiException.class)
                    .as(wrong)
                    .isThrownBy(() -> filter(name, wrong).predicate(fleet, reader))
                    .withMessage(name + " is a number from 0 to 100, not \"" + wrong + "\"");
        }
    }
}
