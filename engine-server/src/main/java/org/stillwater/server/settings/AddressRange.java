package org.stillwater.server.settings;

import java.net.InetAddress;
import java.util.Arrays;

/** Addresses that share their first bits (CIDR, RFC 4632; RFC 4291, section 2.3). Immutable. */
public final class AddressRange {

    private final byte[] network;
    private final int bits;

    private AddressRange(byte[] network, int bits) {
        this.network = network;
        this.bits = bits;
    }

    /**
     * Reads {@code 192.0.2.0/24}, {@code 2001:db8::/32} or a single address.
     *
     * @throws IllegalArgumentException if it is none of these, or has bits behind its prefix
     */
    public static AddressRange of(String text) {
        int slash = text.indexOf('/');
        if (text.isEmpty() || slash == 0) {
            throw new IllegalArgumentException("an address is missing");
        }
        byte[] network =
                InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash)).getAddress();
        int all = network.length * Byte.SIZE;
        int bits = slash < 0 ? all : number(text.substring(slash + 1));
        if (bits < 0 || bits > all) {
            throw new IllegalArgumentException(text + " has a prefix longer than an address");
        }
        if (!Arrays.equals(network, masked(network, bits))) {
            throw new IllegalArgumentException(text + " has bits set behind its prefix");
        }
        return new AddressRange(network, bits);
    }

    /** Whether a text is a range. */
    static boolean isOne(String text) {
        try {
            AddressRange _ = of(text);
            return true;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static int number(String digits) {
        if (!digits.matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException("a prefix is a number, not " + digits);
        }
        return Integer.parseInt(digits);
    }

    /** Whether an address lies in the range. */
    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == network.length && Arrays.equals(network, masked(bytes, bits));
    }

    private static byte[] masked(byte[] address, int bits) {
        byte[] prefix = new byte[address.length];
        int whole = bits / Byte.SIZE;
        System.arraycopy(address, 0, prefix, 0, whole);
        int rest = bits % Byte.SIZE;
        if (rest > 0) {
            prefix[whole] = (byte) (address[whole] & (0xff << (Byte.SIZE - rest)));
        }
        return prefix;
    }
}
