package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;

class VmFilterTest {

    /** A filter with this status and one other parameter, if it is named. */
    private static VmFilter filter(@Nullable String status, @Nullable String other)
            throws ReflectiveOperationException {
        return filter(status, other, "1");
    }

    private static VmFilter filter(@Nullable String status, @Nullable String other, String value)
            throws ReflectiveOperationException {
        RecordComponent[] components = VmFilter.class.getRecordComponents();
        @Nullable Object[] values = new @Nullable Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            String name = components[i].getName();
            values[i] = name.equals("status") ? status : name.equals(other) ? value : null;
        }
        Constructor<VmFilter> constructor = VmFilter.class.getDeclaredConstructor(types);
        return constructor.newInstance(values);
    }

    @ParameterizedTest
    @ValueSource(strings = {"up,unknown", " unknown , up ", "UP,unknown"})
    void aFilterOfStatusesNamesThem(String status) throws ReflectiveOperationException {
        VmFilter filter = filter(status, null);
        assertThat(filter.isEmpty()).isFalse();
        assertThat(filter.onlyStatuses()).containsExactlyInAnyOrder(VmStatus.UP, VmStatus.UNKNOWN);
    }

    @Test
    void noFilterNamesNoStatus() throws ReflectiveOperationException {
        assertThat(filter(null, null).onlyStatuses()).isNull();
        assertThat(filter(" ", null).onlyStatuses()).isNull();
        assertThat(filter(null, null).isEmpty()).isTrue();
    }

    @Test
    void withAnyOtherParameterStatusesAloneDoNotDecide() throws ReflectiveOperationException {
        for (RecordComponent component : VmFilter.class.getRecordComponents()) {
            if (!component.getName().equals("status")) {
                assertThat(filter("up", component.getName()).onlyStatuses())
                        .as(component.getName())
                        .isNull();
                assertThat(filter(null, component.getName()).isEmpty())
                        .as(component.getName())
                        .isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cpuAbove",
                "cpuBelow",
                "memoryAbove",
                "memoryBelow",
                "networkAbove",
                "networkBelow"
            })
    void aUsageIsZeroToAHundredPercent(String name) throws ReflectiveOperationException {
        FleetReader fleet = mock(FleetReader.class);
        Caller reader = Caller.withRole("reader", Role.READER);
        for (String fine : List.of("0", "-0", " 99.5 ", "1e2")) {
            assertThat(filter(null, name, fine).predicate(fleet, reader)).as(fine).isNotNull();
        }
        for (String wrong : List.of("100.1", "-1", "1e3", "-0.001")) {
            VmFilter filter = filter(null, name, wrong);
            assertThatExceptionOfType(ApiException.class)
                    .as(wrong)
                    .isThrownBy(() -> filter.predicate(fleet, reader))
                    .withMessage(name + " is a number from 0 to 100, not \"" + wrong + "\"");
        }
    }

    @Test
    void anUnknownStatusIsRefused() throws ReflectiveOperationException {
        VmFilter filter = filter("asleep", null);
        assertThatExceptionOfType(ApiException.class).isThrownBy(filter::onlyStatuses);
    }
}
