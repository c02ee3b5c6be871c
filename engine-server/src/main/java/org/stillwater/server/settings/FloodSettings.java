package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Load that one host may cause before it is limited by itself; other hosts are not affected.
 *
 * @param eventBurst events of one host handled at once
 * @param eventsPerSecond events of one host handled per second after that; a poll of the host
 *     replaces those beyond
 * @param auditBurst audit entries, and lines of the log, that the reports of one host may cause at
 *     once
 * @param auditPerMinute audit entries, and lines of the log, that the reports of one host may cause
 *     per minute after that; entries beyond are counted in one entry a minute, lines in a complaint
 *     about the host
 * @param intakeBurst unknown VMs of one host added at once
 * @param intakePerMinute unknown VMs of one host added per minute after that; the others wait
 * @param intakeMost most unknown VMs of one host that are added until the engine starts again
 */
@ConfigurationProperties("stillwater.flood")
public record FloodSettings(
        @DefaultValue("5000") int eventBurst,
        @DefaultValue("200") int eventsPerSecond,
        @DefaultValue("5000") int auditBurst,
        @DefaultValue("120") int auditPerMinute,
        @DefaultValue("20000") int intakeBurst,
        @DefaultValue("300") int intakePerMinute,
        @DefaultValue("25000") int intakeMost) {

    private static final int MOST = 1_000_000;

    public FloodSettings {
        Checks.number("flood.event-burst", eventBurst, 1, MOST);
        Checks.number("flood.events-per-second", eventsPerSecond, 1, MOST);
        Checks.number("flood.audit-burst", auditBurst, 1, MOST);
        Checks.number("flood.audit-per-minute", auditPerMinute, 1, MOST);
        Checks.number("flood.intake-burst", intakeBurst, 1, MOST);
        Checks.number("flood.intake-per-minute", intakePerMinute, 1, MOST);
        Checks.number("flood.intake-most", intakeMost, 1, MOST);
    }
}
