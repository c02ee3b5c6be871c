package org.stillwater.monitoring.vm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The JSON text of a guest's file systems as bytes, without loss: some 50 bytes instead of 200. The
 * text is large, differs between VMs by its numbers, and has few readers.
 *
 * <p>A byte is a printable character; or one of {@link #WORDS}; or the number of bytes of a decimal
 * number, which follow, the highest first; or {@link #ANY} before the two bytes of any other
 * character.
 */
final class PackedDisksUsage {

    /** What hosts write between the values; any other text takes a byte for each character. */
    private static final String[] WORDS = {
        "[{\"path\":\"",
        "{\"path\":\"",
        "\",\"total\":\"",
        "\",\"used\":\"",
        "\",\"fs\":\"",
        "\"},",
        "\"}]"
    };

    private static final int FIRST_WORD = 0x80;
    private static final int ANY = 0x1f;

    /** Shorter numbers take as much as their digits, longer ones may not fit a long. */
    private static final int FEWEST_DIGITS = 4;

    private static final int MOST_DIGITS = 18;

    private PackedDisksUsage() {}

    static byte @Nullable [] pack(@Nullable String text) {
        if (text == null) {
            return null;
        }
        byte[] packed = new byte[3 * text.length()];
        int to = 0;
        int at = 0;
        while (at < text.length()) {
            int word = wordAt(text, at);
            int digits = digitsAt(text, at);
            char c = text.charAt(at);
            if (word >= 0) {
                packed[to++] = (byte) (FIRST_WORD + word);
                at += WORDS[word].length();
            } else if (digits >= FEWEST_DIGITS) {
                long number = Long.parseLong(text, at, at + digits, 10);
                int size = Long.BYTES - Long.numberOfLeadingZeros(number) / Byte.SIZE;
                packed[to++] = (byte) size;
                for (int i = size - 1; i >= 0; i--) {
                    packed[to++] = (byte) (number >>> (Byte.SIZE * i));
                }
                at += digits;
            } else if (c >= ' ' && c < FIRST_WORD) {
                packed[to++] = (byte) c;
                at++;
            } else {
                packed[to++] = ANY;
                packed[to++] = (byte) (c >>> Byte.SIZE);
                packed[to++] = (byte) c;
                at++;
            }
        }
        return Arrays.copyOf(packed, to);
    }

    static @Nullable String unpack(byte @Nullable [] packed) {
        if (packed == null) {
            return null;
        }
        StringBuilder text = new StringBuilder(4 * packed.length);
        int at = 0;
        while (at < packed.length) {
            int octet = packed[at++] & 0xff;
            if (octet >= FIRST_WORD) {
                text.append(WORDS[octet - FIRST_WORD]);
            } else if (octet >= ' ') {
                text.append((char) octet);
            } else {
                int size = octet == ANY ? Character.BYTES : octet;
                long number = 0;
                for (int i = 0; i < size; i++) {
                    number = (number << Byte.SIZE) | (packed[at++] & 0xff);
                }
                if (octet == ANY) {
                    text.append((char) number);
                } else {
                    text.append(number);
                }
            }
        }
        return text.toString();
    }

    private static int wordAt(String text, int at) {
        for (int i = 0; i < WORDS.length; i++) {
            if (text.startsWith(WORDS[i], at)) {
                return i;
            }
        }
        return -1;
    }

    /** Length of the number without leading zeros at a position; 0 for none. */
    private static int digitsAt(String text, int at) {
        int end = at;
        while (end < text.length()
                && end - at < MOST_DIGITS
                && text.charAt(end) >= (end == at ? '1' : '0')
                && text.charAt(end) <= '9') {
            end++;
        }
        return end - at;
    }
}
