package org.stillwater.testkit.simulation;

/**
 * Size of a simulation.
 *
 * @param hosts number of hosts, at least 2
 * @param vms number of VMs
 * @param steps steps before the faults stop
 * @param lying whether one of the hosts lies; without it, a seed's history has no liar and draws
 *     nothing for one
 * @param stopping whether the engine is stopped as by an operator where it would be killed
 *     otherwise
 */
public record SimulationPlan(int hosts, int vms, int steps, boolean lying, boolean stopping) {

    /** Small enough for thousands of seeds in a build, large enough for every rule to be met. */
    public static final SimulationPlan DEFAULT = new SimulationPlan(4, 10, 300);

    public SimulationPlan {
        if (hosts < 2 || hosts > 100 || vms < 1 || vms > 1_000 || steps < 0 || steps > 1_000_000) {
            throw new IllegalArgumentException(
                    "a simulation has 2 to 100 hosts, 1 to 1000 VMs and 0 to 1000000 steps");
        }
    }

    /** A simulation in which every host is honest, and the engine is killed. */
    public SimulationPlan(int hosts, int vms, int steps) {
        this(hosts, vms, steps, false, false);
    }

    /** The same with one host that lies. */
    public SimulationPlan withLyingHost() {
        return new SimulationPlan(hosts, vms, steps, true, stopping);
    }

    /** The same with an engine that is stopped, not killed. */
    public SimulationPlan withStops() {
        return new SimulationPlan(hosts, vms, steps, lying, true);
    }
}
