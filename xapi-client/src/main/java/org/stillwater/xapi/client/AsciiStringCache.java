package org.stillwater.xapi.client;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Short texts that records of a pool repeat: states, operations, devices, null references. Equal
 * ones are mostly one string. A new text takes the place of another one, so the table never grows.
 * Thread-safe: entries are immutable, and a lost one costs a string.
 */
final class AsciiStringCache {

    /** Longer texts are identities, which do not repeat. */
    static final int LONGEST = 24;

    private static final int PLACES = 1 << 12;

    /** Those of all pools. */
    static final AsciiStringCache ALL = new AsciiStringCache();

    private record Entry(ShortBytes bytes, String text) {}

    private final @Nullable Entry[] entries = new Entry[PLACES];

    /**
     * The text of these bytes.
     *
     * @param bytes of ASCII
     * @param key the same bytes
     */
    String of(byte[] bytes, int from, int length, ShortBytes key) {
        int place = key.hash() >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
        Entry known = entries[place];
        if (known != null && known.bytes.isSame(key)) {
            return known.text;
        }
        String text = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
        entries[place] = new Entry(key.copy(), text);
        return text;
    }
}
