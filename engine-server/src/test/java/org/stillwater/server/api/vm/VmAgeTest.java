package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.ValueAge;

@DisplayName("The age of reported values of a VM")
class VmAgeTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_000);

    @ParameterizedTest(name = "{0}, host: {1}, last report {2} s ago: {3}")
    @CsvSource({
        "UP, true, 3, current",
        "UP, true, 31, stale",
        // Its host answers, and does not run it any more.
        "UNKNOWN, true, 3, stale",
        "NOT_RESPONDING, true, 3, current",
        "DOWN, false, 3000, current",
    })
    void state(VmStatus status, boolean atHost, long seconds, String expected) {
        VmPlacement placement =
                atHost ? VmPlacement.on(new HostId(new UUID(0, 1))) : VmPlacement.NOWHERE;
        VmReading vm = mock(VmReading.class);
        when(vm.state())
                .thenReturn(
                        new VmState(
                                VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                                placement,
                                0,
                                NOW,
                                0));
        when(vm.lastReportEpochMillis()).thenReturn(NOW.minusSeconds(seconds).toEpochMilli());
        VmRow row = new VmRow(mock(FleetReader.class), NOW, Duration.ofSeconds(30)).of(vm);

        ValueAge age = row.age(Column.Origin.REPORTED);

        assertThat(age.state()).isEqualTo(expected);
        assertThat(age.seconds()).isEqualTo((double) seconds);
    }
}
