package org.stillwater.fake.relay;

import java.time.Duration;

/**
 * The relays that are simulated.
 *
 * @param count relays; the hosts are spread over them evenly, neighbours together
 * @param engineHost address on which the engine listens for relays
 * @param enginePort its port
 * @param interval how often each relay polls its hosts
 * @param moving share of the VMs with new numbers in each poll, 0 to 1
 */
public record RelayPlan(
        int count, String engineHost, int enginePort, Duration interval, double moving) {

    /** The port on which engines listen for relays. */
    public static final int USUAL_PORT = 54_331;

    private static final Duration LONGEST = Duration.ofMinutes(2);

    public RelayPlan {
        require(count >= 1 && count <= 10_000, "relays must be 1 to 10000");
        require(
                !engineHost.isBlank() && enginePort > 0 && enginePort <= 65_535,
                "the engine must be a host and a port");
        require(
                interval.compareTo(Duration.ofMillis(100)) >= 0 && interval.compareTo(LONGEST) <= 0,
                "the relays' interval must be 100ms to 2m");
        require(moving >= 0 && moving <= 1, "the share that moves must be 0 to 1");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** The name of a relay, by its number from 0. */
    public static String name(int number) {
        return "relay-%03d".formatted(number + 1);
    }

    /** The relay of a host, by the numbers of both from 0. */
    public int relayOf(int host, int hosts) {
        return (int) ((long) host * count / hosts);
    }
}
