package org.stillwater.benchmarks.xapi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much is measured.
 *
 * @param pools how many stable pools
 * @param hosts of each pool
 * @param vms of each pool
 * @param rounds readings and batches that count
 * @param warmUp readings before them
 * @param syncs pools that the engine reads one after the other, by each encoding
 * @param changes VMs that change one by one
 * @param perSecond how many of them in a second
 * @param watch how long stable pools are watched; null for a time that suits their size
 * @param seed of the pools and of the times of changes
 * @param engineHeap the engine's -Xmx
 * @param engineJvmOptions more options of the engine's JVM
 * @param simulatorHeap the simulator's -Xmx
 * @param peer whether npm's xen-api is measured beside
 * @param engine arguments of the engine's JVM: {@code -jar} and a file, or a class path and a class
 * @param folder where databases and logs go
 */
public record XapiPlan(
        int pools,
        int hosts,
        int vms,
        int rounds,
        int warmUp,
        int syncs,
        int changes,
        int perSecond,
        @Nullable Duration watch,
        long seed,
        String engineHeap,
        List<String> engineJvmOptions,
        String simulatorHeap,
        boolean peer,
        List<String> engine,
        Path folder) {

    private static final int MOST_HOSTS = 64;
    private static final int MOST_POOLS = 64;

    /** From how many VMs on a pool is not for a trial only. */
    private static final int LARGE = 1_000;

    public XapiPlan {
        engine = List.copyOf(engine);
        engineJvmOptions = List.copyOf(engineJvmOptions);
        if (hosts < 2 || hosts > MOST_HOSTS) {
            throw new IllegalArgumentException("--hosts must be between 2 and " + MOST_HOSTS);
        }
        if (pools < 1 || pools > MOST_POOLS || syncs < 1 || 2 * syncs > MOST_POOLS) {
            throw new IllegalArgumentException(
                    "--pools must be between 1 and 64, --syncs between 1 and 32");
        }
        if (vms < 10 || changes < 1 || perSecond < 1) {
            throw new IllegalArgumentException(
                    "--vms must be 10 or more, --changes and --per-second 1 or more");
        }
        if (rounds < 1 || warmUp < 0) {
            throw new IllegalArgumentException("--rounds must be 1 or more, --warm-up 0 or more");
        }
        if (watch != null && !watch.isPositive()) {
            throw new IllegalArgumentException("--watch must be longer than 0 s");
        }
    }

    /** Whether it is more than a trial. */
    boolean isLarge() {
        return vms >= LARGE;
    }

    /** How long stable pools are watched. */
    Duration watched() {
        if (watch != null) {
            return watch;
        }
        return isLarge() ? Duration.ofMinutes(2) : Duration.ofSeconds(8);
    }
}
