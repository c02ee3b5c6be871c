package org.stillwater.server.xapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostValues;
import org.stillwater.xapi.host.PoolHost;

class HostEnablementTest {

    private static final HostFact.Order WITHDRAW = new HostFact.Withdraw(HostEnablement.DISABLED);
    private static final HostFact.Order ACTIVATE = new HostFact.Activate();

    private static PoolHost host(boolean enabled, boolean live) {
        return new PoolHost(
                new HostId(new UUID(1, 2)),
                "OpaqueRef:1",
                "xcp-1",
                "192.0.2.1",
                false,
                enabled,
                live,
                1L << 34,
                null,
                new HostValues().capabilities(),
                new HostValues().hardware(),
                List.of());
    }

    private static HostFact.@Nullable Order follows(
            @Nullable Boolean before, PoolHost host, HostStatus status, boolean hasVms) {
        return HostEnablement.order(before, host, status, () -> hasVms);
    }

    @ParameterizedTest
    @EnumSource(names = {"UNASSIGNED", "UP", "ERROR", "NON_OPERATIONAL", "INITIALIZING"})
    void aDisabledHostInContactLeavesServiceAfterAnyEarlierState(HostStatus status) {
        assertThat(follows(null, host(false, true), status, true)).isEqualTo(WITHDRAW);
        assertThat(follows(true, host(false, true), status, false)).isEqualTo(WITHDRAW);
        assertThat(follows(false, host(false, true), status, true)).isEqualTo(WITHDRAW);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"UNASSIGNED", "UP", "ERROR", "NON_OPERATIONAL", "INITIALIZING"})
    void aDisabledHostThatIsSilentOrOutOfServiceIsUnchanged(HostStatus status) {
        assertThat(follows(true, host(false, true), status, true)).isNull();
    }

    @Test
    void disablingADeadHostHasNoEffect() {
        assertThat(follows(true, host(false, false), HostStatus.UP, true)).isNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"MAINTENANCE", "PREPARING_FOR_MAINTENANCE"})
    void aHostThatIsEnabledAgainReturns(HostStatus status) {
        assertThat(follows(false, host(true, true), status, false)).isEqualTo(ACTIVATE);
        assertThat(follows(true, host(true, true), status, true))
                .as("it was silent when the engine put it into maintenance")
                .isNull();
    }

    @Test
    void atTheFirstLookAnEnabledHostReturnsIfVmsRunThere() {
        HostStatus left = HostStatus.MAINTENANCE;
        assertThat(follows(null, host(true, true), left, true)).isEqualTo(ACTIVATE);
        assertThat(follows(null, host(true, true), left, false)).isNull();
        assertThat(follows(null, host(true, false), left, true)).isNull();
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"MAINTENANCE", "PREPARING_FOR_MAINTENANCE"})
    void anEnabledHostInServiceIsUnchanged(HostStatus status) {
        assertThat(follows(false, host(true, true), status, true)).isNull();
        assertThat(follows(null, host(true, true), status, true)).isNull();
    }
}
