package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.SplittableRandom;

/** Changes of messages that a host might send by mistake, or to deceive. */
final class Mutations {

    /** Numbers in unusual forms, and texts that only look like one. */
    static final String[] ODD_NUMBERS = {
        "-1",
        "1e3",
        "007",
        ".5",
        "5.",
        "",
        "99999999999999999999",
        "1.7976931348623157e308",
        "NaN",
        "9.99999999999999999",
        "9.999999999999999",
        "999999999999999.9",
        "1234567890123456789.5",
        "+4",
        " 4",
        "4 ",
        "0x1p3",
        "null",
        "true",
        "1_000",
        "1.2.3",
        "4611686018427387904",
        "9007199254740993",
        "0.1234567890123456789",
        "40960.127868202195",
        "1000000.0000001"
    };

    private Mutations() {}

    /** The message with one or two changes. */
    static byte[] of(byte[] octets, SplittableRandom random) {
        byte[] changed = octets;
        for (int changes = random.nextInt(1, 3); changes > 0; changes--) {
            int at = random.nextInt(changed.length);
            changed =
                    switch (random.nextInt(7)) {
                        case 0 ->
                                replaced(
                                        changed,
                                        at,
                                        1,
                                        String.valueOf((char) random.nextInt(32, 127)));
                        case 1 -> replaced(changed, at, 1, "");
                        case 2 ->
                                replaced(
                                        changed,
                                        at,
                                        0,
                                        String.valueOf((char) random.nextInt(32, 127)));
                        case 3 -> flipped(changed, at, random);
                        case 4 -> replaced(changed, at, random.nextInt(changed.length - at), "");
                        case 5 -> {
                            int number = numberFrom(changed, at);
                            yield replaced(
                                    changed,
                                    number,
                                    digits(changed, number),
                                    ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)]);
                        }
                        default -> {
                            // A part of the message once more, somewhere.
                            int from = random.nextInt(changed.length);
                            int length = random.nextInt(Math.min(200, changed.length - from));
                            yield replaced(
                                    changed, at, 0, new String(changed, from, length, UTF_8));
                        }
                    };
            if (changed.length == 0) {
                return new byte[] {'x'};
            }
        }
        return changed;
    }

    private static byte[] flipped(byte[] octets, int at, SplittableRandom random) {
        byte[] changed = octets.clone();
        changed[at] ^= (byte) (1 << random.nextInt(8));
        return changed;
    }

    private static int numberFrom(byte[] octets, int from) {
        for (int at = from; at < octets.length; at++) {
            if (octets[at] >= '0' && octets[at] <= '9') {
                return at;
            }
        }
        return from;
    }

    private static int digits(byte[] octets, int from) {
        int at = from;
        while (at < octets.length
                && ((octets[at] >= '0' && octets[at] <= '9') || octets[at] == '.')) {
            at++;
        }
        return at - from;
    }

    private static byte[] replaced(byte[] octets, int at, int length, String by) {
        byte[] middle = by.getBytes(UTF_8);
        byte[] changed = new byte[octets.length - length + middle.length];
        System.arraycopy(octets, 0, changed, 0, at);
        System.arraycopy(middle, 0, changed, at, middle.length);
        System.arraycopy(
                octets, at + length, changed, at + middle.length, octets.length - at - length);
        return changed;
    }
}
