package org.stillwater.benchmarks.start;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Options of {@code bench start}.
 *
 * @param vms virtual machines in the database, spread evenly over the hosts
 * @param hosts hosts in the database
 * @param rounds starts that are measured
 * @param attach how long attempts to connect to hosts are counted
 * @param engine folder with the engine's {@code app.jar} and {@code lib}
 * @param heap the engine's {@code -Xmx}
 * @param jvmOptions more options of the engine's JVM
 * @param engineOptions more options of the engine
 * @param folder where the database and logs go; emptied by each run
 */
public record StartPlan(
        int vms,
        int hosts,
        int rounds,
        Duration attach,
        Path engine,
        String heap,
        List<String> jvmOptions,
        List<String> engineOptions,
        Path folder) {

    /** Refuses a plan that cannot be measured. */
    public StartPlan {
        if (hosts < 1 || hosts > 10_000) {
            throw new IllegalArgumentException("--hosts must be 1 to 10000");
        }
        if (vms < hosts || vms % hosts != 0) {
            throw new IllegalArgumentException(
                    vms + " VMs cannot be spread evenly over " + hosts + " hosts");
        }
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds must be 1 or more");
        }
        jvmOptions = List.copyOf(jvmOptions);
        engineOptions = List.copyOf(engineOptions);
    }
}
