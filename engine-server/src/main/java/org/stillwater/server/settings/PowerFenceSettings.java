package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Switching the power of silent hosts by the programs of the package fence-agents.
 *
 * @param dryRun whether fencing only reports its actions; no power is switched then, and no program
 *     is run, not even for the status
 * @param directory folder of the programs; without it PATH is searched
 * @param metadata folder with the metadata of further agents, one file {@code fence_NAME.xml} each
 *     ({@code fence_NAME -o metadata}): their options are allowed besides those of the agents that
 *     the engine knows
 * @param timeLimit longest that one call of a program may take; its process is killed then
 * @param statusEvery pause between two questions for the status, after power was switched
 * @param statusAttempts questions for the status until it counts as not reached
 * @param atOnce hosts with power switching under way at the same time; others wait
 */
@ConfigurationProperties("stillwater.fencing.power")
public record PowerFenceSettings(
        @DefaultValue("true") boolean dryRun,
        @Nullable Path directory,
        @Nullable Path metadata,
        @DefaultValue("40s") Duration timeLimit,
        @DefaultValue("3s") Duration statusEvery,
        @DefaultValue("5") int statusAttempts,
        @DefaultValue("8") int atOnce) {

    public PowerFenceSettings {
        Checks.require(
                directory == null || directory.isAbsolute(),
                "fencing.power.directory",
                "an absolute path",
                String.valueOf(directory));
        Checks.require(
                metadata == null || metadata.isAbsolute(),
                "fencing.power.metadata",
                "an absolute path",
                String.valueOf(metadata));
        Checks.duration(
                "fencing.power.time-limit",
                timeLimit,
                Duration.ofSeconds(1),
                Duration.ofMinutes(5));
        Checks.duration(
                "fencing.power.status-every",
                statusEvery,
                Duration.ofMillis(10),
                Duration.ofMinutes(1));
        Checks.number("fencing.power.status-attempts", statusAttempts, 1, 100);
        Checks.number("fencing.power.at-once", atOnce, 1, 100);
    }

    /** The longest call of one agent: it gets the order to switch, then queries for the status. */
    public Duration longest() {
        return timeLimit.plus(timeLimit.plus(statusEvery).multipliedBy(statusAttempts));
    }
}
