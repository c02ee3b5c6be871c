package org.stillwater.testkit.simulation;

/**
 * Totals of a simulation without a violation.
 *
 * @param seed its seed
 * @param steps steps taken, those of the healing included
 * @param reports reports about VMs that reached the engine
 * @param changes changes of VMs that the engine showed
 * @param destroys remains that the engine had removed
 * @param lives how often an engine was started
 * @param work pieces of work that commands took over
 * @param starts VMs that commands started because of such work
 * @param lies messages of a host that lies that reached the engine
 */
public record SimulationResult(
        long seed,
        int steps,
        int reports,
        int changes,
        int destroys,
        int lives,
        int work,
        int starts,
        int lies) {}
