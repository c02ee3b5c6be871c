package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;

class StreamFilterTest {

    private static StreamFilter filter(String fields, @Nullable String statistics) {
        return new StreamFilter(
                mock(FleetReader.class),
                Caller.withRole("reader", Role.READER),
                new StreamQuery(
                        null, null, null, null, null, fields, statistics, null, null, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"name,statistics.usageCpuPercent", "statistics", "name,statistics.cpu"})
    void fieldsNameStatisticsOnlyIfTheStreamHasThem(String fields) {
        assertThat(filter(fields, "true").numbers()).isNotEmpty();
        for (String without : new @Nullable String[] {null, "false"}) {
            assertThatThrownBy(() -> filter(fields, without))
                    .isInstanceOf(ApiException.class)
                    .hasMessage(
                            "fields names statistics, which the stream has with statistics=true"
                                    + " only");
        }
        assertThat(filter("name", null).numbers()).isNull();
        assertThat(filter("name", "true").numbers()).isNotEmpty();
    }
}
