package org.stillwater.benchmarks.scale;

import java.time.Duration;

/**
 * Options of {@code bench bulkheads}.
 *
 * @param fleet the fleet; its cycles and events are not used
 * @param rounds pairs of phases, healthy then sick
 * @param phase how long a phase is measured, at least two intervals
 * @param eventsPerSecond status changes of VMs on healthy hosts per second in each phase
 * @param sickPercent share of the hosts that is frozen, that is slow and that flaps, each; at least
 *     one host of each kind
 */
public record BulkheadsPlan(
        StablePlan fleet, int rounds, Duration phase, int eventsPerSecond, double sickPercent) {

    public BulkheadsPlan {
        if (rounds < 1 || eventsPerSecond < 1) {
            throw new IllegalArgumentException(
                    "--rounds and --events-per-second must be 1 or more");
        }
        if (phase.compareTo(fleet.interval().multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("--phase must be at least two intervals");
        }
        if (!(sickPercent > 0 && sickPercent <= 30)) {
            throw new IllegalArgumentException("--sick-percent must be above 0 and at most 30");
        }
        if (fleet.hosts() < 3 * hostsOfAKind(fleet.hosts(), sickPercent) + 1) {
            throw new IllegalArgumentException("too few hosts: none would be left healthy");
        }
        long healthy =
                (long) (fleet.hosts() - 3 * hostsOfAKind(fleet.hosts(), sickPercent))
                        * (fleet.vms() / fleet.hosts());
        long events = 2L * rounds * eventsPerSecond * phase.toSeconds();
        if (events > healthy) {
            throw new IllegalArgumentException(
                    "each event needs a VM of its own: "
                            + events
                            + " events, "
                            + healthy
                            + " VMs on healthy hosts");
        }
    }

    /** How many hosts have each kind of sickness. */
    int hostsOfAKind() {
        return hostsOfAKind(fleet.hosts(), sickPercent);
    }

    private static int hostsOfAKind(int hosts, double percent) {
        return Math.max(1, (int) Math.round(hosts * percent / 100));
    }

    /** Events of one phase. */
    int eventsPerPhase() {
        return (int) (eventsPerSecond * phase.toSeconds());
    }
}
