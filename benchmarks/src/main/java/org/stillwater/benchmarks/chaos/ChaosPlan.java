package org.stillwater.benchmarks.chaos;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Options of a run of {@code chaos}.
 *
 * @param seed everything that is drawn follows from it; the timing of real processes does not
 * @param from number of the first round, from 1
 * @param rounds how many
 * @param kinds possible faults
 * @param hosts simulated hosts
 * @param vmsPerHost VMs on each; every second one is highly available
 * @param tls whether hosts speak TLS with mutual authentication
 * @param programs programs to run
 * @param home where server binaries and certificates stay from run to run; the rest is emptied
 */
record ChaosPlan(
        long seed,
        int from,
        int rounds,
        Set<FaultKind> kinds,
        int hosts,
        int vmsPerHost,
        boolean tls,
        Programs programs,
        Path home) {

    private static final int MOST_VMS = 1000;

    ChaosPlan {
        require(from >= 1, "--from must be 1 or more");
        require(rounds >= 1 && rounds <= 100_000, "--rounds must be 1 to 100000");
        require(!kinds.isEmpty(), "there must be a fault that may strike");
        require(hosts >= 2 && hosts <= 100, "--hosts must be 2 to 100");
        require(
                vmsPerHost >= 1 && hosts * vmsPerHost <= MOST_VMS,
                "--vms must be 1 or more, and " + MOST_VMS + " on all hosts together at most");
        kinds = Set.copyOf(EnumSet.copyOf(kinds));
    }

    /**
     * The programs, each the beginning of a command line.
     *
     * @param engine the engine, to which its settings are added
     * @param simulator the simulated hosts, to which their options are added
     */
    record Programs(List<String> engine, List<String> simulator) {
        Programs {
            engine = List.copyOf(engine);
            simulator = List.copyOf(simulator);
        }
    }

    /** Folder of this run only. */
    Path folder() {
        return home.resolve("run");
    }

    Path pki() {
        return home.resolve("pki");
    }

    Path binaries() {
        return home.resolve("binaries");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
