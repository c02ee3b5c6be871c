package org.stillwater.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.HostVersions;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.trust.HostTrust;

/** Which hosts have series of their statistics. */
class ScrapedHostTest {

    private static final long NOW = 1_767_225_600_000L;
    private static final long STALE_MILLIS = 30_000;

    private static boolean isCurrent(HostStatus status, @Nullable Instant statisticsAt) {
        HostView view =
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
                        statisticsAt,
                        HostUsage.UNKNOWN,
                        null,
                        0,
                        0,
                        HostTrust.UNKNOWN);
        return ScrapedHost.of(view, "Default", NOW, STALE_MILLIS).current();
    }

    @ParameterizedTest
    @EnumSource(
            value = HostStatus.class,
            names = {"UP", "PREPARING_FOR_MAINTENANCE", "NON_OPERATIONAL", "ERROR"})
    void aHostThatIsPolledHasThem(HostStatus status) {
        assertThat(isCurrent(status, Instant.ofEpochMilli(NOW - STALE_MILLIS))).isTrue();
        assertThat(isCurrent(status, Instant.ofEpochMilli(NOW - STALE_MILLIS - 1)))
                .as("late")
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = HostStatus.class,
            names = {"UP", "PREPARING_FOR_MAINTENANCE", "NON_OPERATIONAL", "ERROR"},
            mode = EnumSource.Mode.EXCLUDE)
    void anyOtherHostHasNone(HostStatus status) {
        assertThat(isCurrent(status, Instant.ofEpochMilli(NOW))).isFalse();
    }

    @Test
    void aHostWithoutAReportHasNone() {
        assertThat(isCurrent(HostStatus.UP, null)).isFalse();
    }
}
