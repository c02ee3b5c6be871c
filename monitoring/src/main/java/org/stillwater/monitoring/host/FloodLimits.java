package org.stillwater.monitoring.host;

/**
 * Load that one host may cause before it is limited by itself. Each limit is a token bucket: a
 * burst, then a rate.
 *
 * @param eventBurst events of one host handled at once
 * @param eventsPerSecond events of one host handled per second after that; a poll replaces further
 *     ones
 * @param auditBurst entries of the audit log, and lines of the log, that one host may cause at once
 * @param auditPerMinute entries of the audit log, and lines of the log, that one host may cause per
 *     minute after that; further entries are counted in one entry, further lines in one warning
 * @param intakeBurst unknown VMs of one host imported at once
 * @param intakePerMinute unknown VMs of one host imported per minute after that; the others wait
 * @param intakeMost most unknown VMs of one host imported while the engine runs: imported VMs stay
 *     until a user removes them
 */
public record FloodLimits(
        int eventBurst,
        int eventsPerSecond,
        int auditBurst,
        int auditPerMinute,
        int intakeBurst,
        int intakePerMinute,
        int intakeMost) {

    /**
     * A host with 1 000 VMs may boot or lose all of them at once, and report each of them about
     * five times, without being limited.
     */
    public static final FloodLimits DEFAULT =
            new FloodLimits(5_000, 200, 5_000, 120, 20_000, 300, 25_000);

    public FloodLimits {
        if (eventBurst < 1
                || eventsPerSecond < 1
                || auditBurst < 1
                || auditPerMinute < 1
                || intakeBurst < 1
                || intakePerMinute < 1
                || intakeMost < 1) {
            throw new IllegalArgumentException("flood limits are at least 1");
        }
    }
}
