package org.stillwater.fake.world;

import java.time.Duration;

/**
 * The parameters of a world. The same settings and the same script give the same bytes.
 *
 * @param seed everything random derives from it
 * @param hosts how many hosts
 * @param vmsPerHost how many VMs each runs at the beginning
 * @param profile the release all hosts play
 * @param reportSize amount of data that VMs report
 * @param hostNames pattern of the host names with one {@code %d}, counted from 1
 * @param tapsInHostStats whether {@code Host.getStats} lists the tap of every VM NIC, as a real
 *     host does; without them its answer stays small on hosts with thousands of VMs
 * @param launch from the request to run a VM until it runs; up to as much again by chance
 * @param agent from the start of a guest until its agent answers; up to as much again by chance
 * @param shutdown from the request to shut down until the VM is down
 * @param migration how long a migration takes
 * @param hostMemoryMebibytes memory of each host, which then refuses VMs that do not fit; 0 for as
 *     much as its VMs take
 */
public record WorldSettings(
        long seed,
        int hosts,
        int vmsPerHost,
        Profile profile,
        ReportSize reportSize,
        String hostNames,
        boolean tapsInHostStats,
        Duration launch,
        Duration agent,
        Duration shutdown,
        Duration migration,
        int hostMemoryMebibytes) {

    private static final int LEAST_MEMORY_MEBIBYTES = 1_024;
    private static final int MOST_MEMORY_MEBIBYTES = 64 << 20;

    /** Checks the parameters. */
    public WorldSettings {
        require(hosts >= 1 && hosts <= 10_000, "hosts must be 1 to 10000");
        require(vmsPerHost >= 0 && vmsPerHost <= 20_000, "vmsPerHost must be 0 to 20000");
        require((long) hosts * vmsPerHost <= 1_000_000, "there can be 1000000 VMs at most");
        require(
                hostMemoryMebibytes == 0
                        || (hostMemoryMebibytes >= LEAST_MEMORY_MEBIBYTES
                                && hostMemoryMebibytes <= MOST_MEMORY_MEBIBYTES),
                "the memory of a host must be 1024 MiB to 64 TiB, or 0 for as much as it takes");
        require(hostNames.contains("%"), "hostNames must contain a %d");
        for (Duration duration : new Duration[] {launch, agent, shutdown, migration}) {
            require(!duration.isNegative(), "durations must not be negative");
        }
    }

    /** One seed, numbers of hosts and of VMs of each host, defaults for the rest. */
    public static WorldSettings of(long seed, int hosts, int vmsPerHost) {
        return new WorldSettings(
                seed,
                hosts,
                vmsPerHost,
                Profile.V4_50,
                ReportSize.FULL,
                "host-%04d",
                true,
                Duration.ofSeconds(3),
                Duration.ofSeconds(15),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                0);
    }

    /** The same with hosts of another release. */
    public WorldSettings withProfile(Profile newProfile) {
        return new WorldSettings(
                seed,
                hosts,
                vmsPerHost,
                newProfile,
                reportSize,
                hostNames,
                tapsInHostStats,
                launch,
                agent,
                shutdown,
                migration,
                hostMemoryMebibytes);
    }

    /** The same with another length of reports. */
    public WorldSettings withReportSize(ReportSize newSize) {
        return new WorldSettings(
                seed,
                hosts,
                vmsPerHost,
                profile,
                newSize,
                hostNames,
                tapsInHostStats,
                launch,
                agent,
                shutdown,
                migration,
                hostMemoryMebibytes);
    }

    /** The same with or without taps in the statistics of hosts. */
    public WorldSettings withTapsInHostStats(boolean taps) {
        return new WorldSettings(
                seed,
                hosts,
                vmsPerHost,
                profile,
                reportSize,
                hostNames,
                taps,
                launch,
                agent,
                shutdown,
                migration,
                hostMemoryMebibytes);
    }

    /** The same with this memory in each host; 0 for the memory of its VMs. */
    public WorldSettings withHostMemory(int mebibytes) {
        return new WorldSettings(
                seed,
                hosts,
                vmsPerHost,
                profile,
                reportSize,
                hostNames,
                tapsInHostStats,
                launch,
                agent,
                shutdown,
                migration,
                mebibytes);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
