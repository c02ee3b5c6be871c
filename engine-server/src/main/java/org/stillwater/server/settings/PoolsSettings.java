package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Pools of VMs that are kept ready for users.
 *
 * @param interval interval of the regular check of pools
 * @param batch VMs of a pool that one check starts at most
 * @param attempts failed starts of a pool in a row after which it rests until the next interval
 */
@ConfigurationProperties("stillwater.commands.pools")
public record PoolsSettings(
        @DefaultValue("5m") Duration interval,
        @DefaultValue("5") int batch,
        @DefaultValue("3") int attempts) {

    public PoolsSettings {
        Checks.duration(
                "commands.pools.interval", interval, Duration.ofSeconds(1), Duration.ofDays(1));
        Checks.number("commands.pools.batch", batch, 1, 10_000);
        Checks.number("commands.pools.attempts", attempts, 1, 1_000);
    }
}
