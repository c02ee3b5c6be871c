package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits beyond which a host's numbers become events. The limits of memory belong to the host's
 * cluster.
 *
 * @param cpuPercent CPU usage above this; 100 for never
 * @param networkPercent rate of a network card or bond above this, percent of its speed; 100 for
 *     never
 * @param swapUsedPercent used swap space above this; 100 for never
 * @param swapFreeMebibytes free swap space below 98 % of this; 0 for never
 * @param diskWarningMebibytes free space of a local file system of at most this is a warning; -1
 *     for never
 * @param diskErrorMebibytes free space of a local file system of at most this is an error; -1 for
 *     never
 * @param clockDrift largest difference between a host's wall clock and the engine's; 0s for no
 *     check
 */
@ConfigurationProperties("stillwater.host-limits")
public record HostLimitSettings(
        @DefaultValue("95") int cpuPercent,
        @DefaultValue("95") int networkPercent,
        @DefaultValue("95") int swapUsedPercent,
        @DefaultValue("1024") int swapFreeMebibytes,
        @DefaultValue("100") int diskWarningMebibytes,
        @DefaultValue("100") int diskErrorMebibytes,
        @DefaultValue("5m") Duration clockDrift) {

    private static final int MOST_MEBIBYTES = 1 << 30;

    public HostLimitSettings {
        Checks.number("host-limits.cpu-percent", cpuPercent, 0, 100);
        Checks.number("host-limits.network-percent", networkPercent, 0, 100);
        Checks.number("host-limits.swap-used-percent", swapUsedPercent, 0, 100);
        Checks.number("host-limits.swap-free-mebibytes", swapFreeMebibytes, 0, MOST_MEBIBYTES);
        Checks.number(
                "host-limits.disk-warning-mebibytes", diskWarningMebibytes, -1, MOST_MEBIBYTES);
        Checks.number("host-limits.disk-error-mebibytes", diskErrorMebibytes, -1, MOST_MEBIBYTES);
        Checks.duration("host-limits.clock-drift", clockDrift, Duration.ZERO, Duration.ofDays(365));
    }
}
