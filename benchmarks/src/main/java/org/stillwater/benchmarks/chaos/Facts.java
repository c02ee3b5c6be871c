package org.stillwater.benchmarks.chaos;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * State by one of the three: the hosts, the engine, the database.
 *
 * @param vms by id
 * @param hosts status of each host, by name
 * @param work keys of the work left to commands; empty for hosts
 */
record Facts(Map<String, Vm> vms, Map<String, String> hosts, Set<String> work) {

    Facts {
        vms = Map.copyOf(vms);
        hosts = Map.copyOf(hosts);
        work = Set.copyOf(work);
    }

    /**
     * One VM.
     *
     * @param status in the engine's words
     * @param host name of the responsible host, null for none
     * @param values everything else by the engine's names; a value may be null; a missing one is
     *     unknown and not compared
     */
    record Vm(String status, @Nullable String host, Map<String, @Nullable String> values) {}
}
