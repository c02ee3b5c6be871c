package org.stillwater.server.api.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.HostVersions;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagSet;
import org.stillwater.monitoring.trust.HostTrust;
import org.stillwater.server.api.rows.Column;

/** Age of the numbers of a host. */
class HostRowTest {

    private static final long NOW = 1_767_225_600_000L;
    private static final long STALE_MILLIS = 30_000;

    private static HostRow row(HostStatus status, long ageMillis) {
        return new HostRow(
                new HostView(
                        new HostState(
                                new HostDefinition(
                                        new HostId(new UUID(0, 1)),
                                        "alpha",
                                        "192.0.2.1",
                                        54_321,
                                        ClusterId.DEFAULT),
                                HostCondition.of(status),
                                Instant.EPOCH,
                                null,
                                null,
                                null,
                                HostVersions.UNKNOWN,
                                1),
                        true,
                        new HostValues().statistics(),
                        Instant.ofEpochMilli(NOW - ageMillis),
                        HostUsage.UNKNOWN,
                        null,
                        0,
                        0,
                        HostTrust.UNKNOWN),
                "Default",
                Hypervisor.VDSM,
                NOW,
                STALE_MILLIS,
                TagSet.NONE);
    }

    @ParameterizedTest
    @EnumSource(
            value = HostStatus.class,
            names = {"UP", "PREPARING_FOR_MAINTENANCE", "NON_OPERATIONAL", "ERROR"})
    void numbersOfAHostThatIsPolledAreCurrent(HostStatus status) {
        assertThat(row(status, STALE_MILLIS).isStale()).isFalse();
        assertThat(row(status, STALE_MILLIS).age(Column.Origin.COUNTED).state())
                .isEqualTo("current");
        assertThat(row(status, STALE_MILLIS + 1).isStale()).as("late").isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = HostStatus.class,
            names = {"MAINTENANCE", "DOWN", "NON_RESPONSIVE", "CONNECTING", "REBOOT"})
    void thoseOfAnyOtherHostAreStale(HostStatus status) {
        assertThat(row(status, 0).isStale()).isTrue();
    }
}
