package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
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

    /**
     * The message with one number in another form, or cut, or changed in one digit: the changes
     * that a reader of numbers could get wrong. Without a number behind a random position it has
     * another change.
     */
    static byte[] ofNumber(byte[] octets, SplittableRandom random) {
        int from = numberFrom(octets, random.nextInt(octets.length));
        int digits = digits(octets, from);
        if (digits == 0) {
            return of(octets, random);
        }
        int at = from + random.nextInt(digits);
        return switch (random.nextInt(7)) {
            case 0, 1 -> {
                byte[] changed = octets.clone();
                changed[at] = (byte) ('0' + random.nextInt(10));
                yield changed;
            }
            case 2 -> replaced(octets, at, 0, Integer.toString(random.nextInt(100)));
            case 3 -> replaced(octets, at, 1, "");
            case 4 -> replaced(octets, at, 0, ".");
            case 5 ->
                    replaced(octets, from, digits, ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)]);
            default -> {
                boolean quoted = from > 0 && octets[from - 1] == '"';
                boolean ends = from + digits < octets.length && octets[from + digits] == '"';
                String number = new String(octets, from, digits, UTF_8);
                yield quoted && ends
                        ? replaced(octets, from - 1, digits + 2, number)
                        : replaced(octets, from, digits, '"' + number + '"');
            }
        };
    }

    /** Different numbers in the places that move, in the lengths that hosts write. */
    static String moved(String message, SplittableRandom random, boolean odd) {
        StringBuilder moved = new StringBuilder();
        int at = 0;
        while (at < message.length()) {
            char c = message.charAt(at);
            boolean begins =
                    c >= '0'
                            && c <= '9'
                            && at > 0
                            && (message.charAt(at - 1) == '"' || message.charAt(at - 1) == ' ');
            int end = at;
            while (begins
                    && end < message.length()
                    && "0123456789.".indexOf(message.charAt(end)) >= 0) {
                end++;
            }
            boolean ends = begins && "\",}".indexOf(message.charAt(end)) >= 0;
            if (ends && random.nextInt(3) == 0 && isMoving(message, at)) {
                moved.append(number(random, message.substring(at, end), odd));
                at = end;
            } else {
                moved.append(message, at, Math.max(end, at + 1));
                at = Math.max(end, at + 1);
            }
        }
        return moved.toString();
    }

    private static boolean isMoving(String message, int at) {
        int colon = message.lastIndexOf(':', at);
        String name = message.substring(message.lastIndexOf('"', colon - 2) + 1, colon - 1);
        return List.of(
                        "statusTime",
                        "cpuUser",
                        "cpuSys",
                        "elapsedTime",
                        "memUsage",
                        "mem_free",
                        "mem_unused",
                        "mem_buffers",
                        "mem_cached",
                        "rx",
                        "tx",
                        "sampleTime",
                        "readRate",
                        "writeRate",
                        "readOps",
                        "writeOps",
                        "truesize",
                        "readLatency",
                        "writeLatency",
                        "flushLatency",
                        "cpuUsage",
                        "readBytes",
                        "writtenBytes",
                        "minflt",
                        "pageflt")
                .contains(name);
    }

    private static String number(SplittableRandom random, String before, boolean odd) {
        if (odd && random.nextInt(500) == 0) {
            return ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)];
        }
        boolean fraction = before.indexOf('.') > 0;
        return switch (random.nextInt(5)) {
            case 0 -> fraction ? "0.00" : "0";
            case 1 -> random.nextInt(1_000) + "." + random.nextInt(100);
            case 2 ->
                    fraction
                            ? random.nextInt(100_000) + "." + random.nextLong(1_000_000_000_000L)
                            : Long.toString(random.nextLong(1L << random.nextInt(1, 60)));
            case 3 -> (before.startsWith("0") ? "" : before) + random.nextInt(10);
            default -> Integer.toString(random.nextInt(1_000));
        };
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
