package org.stillwater.core.history;

import java.util.Random;

/**
 * Numbers of a VM that works: load that wanders, memory that drifts, traffic and disks that double
 * and halve from one sample to the next, and idle moments of the disks.
 */
final class BusyVm {

    private static final int CPUS = 4;

    private final Random random;
    private double load;
    private double unusedKibibytes = 3e6;
    private double bufferedKibibytes = 2e5;
    private double cachedKibibytes = 1e6;
    private double trafficBytes = 2e6;

    BusyVm(Random random) {
        this.random = random;
        this.load = 20 + random.nextInt(200);
    }

    /** In the order of a VM's metrics. */
    double[] next() {
        load = Math.clamp(load + random.nextGaussian() * 12, 2, 100 * CPUS);
        double user = load * (0.7 + 0.1 * random.nextDouble());
        double system = load - user;
        unusedKibibytes = Math.clamp(unusedKibibytes + random.nextGaussian() * 3e4, 1e5, 6e6);
        cachedKibibytes = Math.clamp(cachedKibibytes + random.nextGaussian() * 8e3, 1e5, 4e6);
        if (random.nextInt(5) == 0) {
            bufferedKibibytes += 1024;
        }
        trafficBytes = Math.clamp(trafficBytes * Math.exp(random.nextGaussian() * 0.3), 1e3, 1e8);
        double received = trafficBytes * (0.8 + 0.4 * random.nextDouble());
        double sent = trafficBytes / 5 * (0.8 + 0.4 * random.nextDouble());
        double read = random.nextInt(3) == 0 ? Math.exp(random.nextDouble() * 14) : 0;
        double written = 2e5 * Math.exp(random.nextGaussian() * 0.5);
        return new double[] {
            Math.floor(load / CPUS),
            user,
            system,
            Math.floor(100 - unusedKibibytes / 8e4),
            unusedKibibytes,
            bufferedKibibytes,
            cachedKibibytes,
            Math.floor(received * 8 / 1e9 * 100),
            received,
            sent,
            read,
            written
        };
    }
}
