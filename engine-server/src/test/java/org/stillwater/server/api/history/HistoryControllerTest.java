package org.stillwater.server.api.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.history.HistoryQuery;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.testkit.VirtualClock;

class HistoryControllerTest {

    private final FleetReader fleet = mock(FleetReader.class);
    private final List<HistoryQuery> queries = new ArrayList<>();
    private final HistoryController controller = new HistoryController(fleet, new VirtualClock());

    @BeforeEach
    void begin() throws Exception {
        when(fleet.vm(any())).thenReturn(mock(VmView.class));
        when(fleet.history(any()))
                .thenAnswer(call -> {
                    queries.add(call.getArgument(0));
                    return null;
                });
    }

    private void read(@Nullable String @Nullable [] metric) {
        controller.ofVm(
                "00000000-0000-0000-0000-000000000001",
                metric,
                "-1h",
                "now",
                "",
                "",
                "json",
                "*/*");
    }

    @ParameterizedTest
    @ValueSource(strings = {",", " , ,"})
    void aListWithoutAMetricIsRefused(String list) {
        assertThatThrownBy(() -> read(new String[] {list}))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("metric");
        assertThatThrownBy(() -> read(new String[] {"", ""}))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("metric");
        assertThat(queries).isEmpty();
    }

    @Test
    void withoutAListAllMetricsAreRead() {
        read(null);
        HistoryMetric first = HistoryMetric.of(Subject.VM).getFirst();
        read(new String[] {"," + first.label()});
        assertThat(queries.getFirst().metrics()).isEqualTo(HistoryMetric.of(Subject.VM));
        assertThat(queries.getLast().metrics()).containsExactly(first);
    }
}
