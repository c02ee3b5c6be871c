package org.stillwater.fake.cli;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * The addresses on which the hosts listen.
 *
 * @param first the first host's address
 * @param also other addresses on which every host listens, at the same port
 * @param count hosts
 * @param addressPerHost whether the address counts up, or the port
 */
record Addresses(
        InetSocketAddress first, List<InetAddress> also, int count, boolean addressPerHost) {

    private static final int HIGHEST_PORT = 65_535;

    Addresses {
        also = List.copyOf(also);
    }

    /** Consecutive ports, or free ones if the first is 0. */
    static Addresses byPort(String listen, int firstPort, int hosts) {
        if (firstPort + hosts - 1 > HIGHEST_PORT) {
            throw new IllegalArgumentException(
                    ("%d hosts from port %d on do not fit below %d; use a lower --port, or"
                                    + " --address-base")
                            .formatted(hosts, firstPort, HIGHEST_PORT + 1));
        }
        return switch (listen) {
            case "localhost" ->
                    new Addresses(
                            new InetSocketAddress(literal("127.0.0.1"), firstPort),
                            // A port the kernel chose for one family may be taken in the other.
                            firstPort == 0 ? List.of() : List.of(literal("::1")),
                            hosts,
                            false);
            case "any" ->
                    new Addresses(
                            new InetSocketAddress(literal("::"), firstPort),
                            List.of(),
                            hosts,
                            false);
            default ->
                    new Addresses(
                            new InetSocketAddress(literal(listen), firstPort),
                            List.of(),
                            hosts,
                            false);
        };
    }

    /** Consecutive addresses, one port. */
    static Addresses byAddress(InetAddress base, int port, int hosts) {
        Addresses addresses =
                new Addresses(new InetSocketAddress(base, port), List.of(), hosts, true);
        boolean loopback = base.isLoopbackAddress();
        if (loopback && !addresses.of(hosts - 1).getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "%d addresses from %s on leave the loopback network"
                            .formatted(hosts, base.getHostAddress()));
        }
        return addresses;
    }

    /** The address of a host, by its number from 0. */
    InetSocketAddress of(int number) {
        if (addressPerHost) {
            return new InetSocketAddress(plus(first.getAddress(), number), first.getPort());
        }
        return new InetSocketAddress(
                first.getAddress(), first.getPort() == 0 ? 0 : first.getPort() + number);
    }

    private static InetAddress literal(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--listen is localhost, any or an IP address, not '" + text + "'", e);
        }
    }

    private static InetAddress plus(InetAddress base, int number) {
        byte[] octets = base.getAddress();
        byte[] sum = new BigInteger(1, octets).add(BigInteger.valueOf(number)).toByteArray();
        byte[] result = new byte[octets.length];
        for (int i = 1; i <= Math.min(sum.length, result.length); i++) {
            result[result.length - i] = sum[sum.length - i];
        }
        try {
            return InetAddress.getByAddress(result);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address kept its length", e);
        }
    }
}
