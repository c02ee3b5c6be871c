package org.stillwater.vdsm.client;

import org.jspecify.annotations.Nullable;

/**
 * Equal texts of different VMs kept once: names of guest systems and kernels, time zones, loopback
 * addresses. At 100 000 VMs, the copies of such texts took a fifth of the live heap.
 *
 * <p>A table of a fixed size in which a text has one place, by its hash. Another text of the same
 * place takes it over, so texts that no other VM has, such as MAC addresses, cost a place for a
 * while and nothing else. A text that lost its place is kept twice, which is no error.
 *
 * <p>For any thread, without a lock: a text is immutable, so a thread sees it whole or not at all.
 */
final class StringInterner {

    /** Longer texts are hardly equal. */
    static final int LONGEST = 256;

    /** A power of two; an attaching fleet has some hundred different texts that VMs share. */
    private static final int PLACES = 1 << 14;

    private final @Nullable String[] places = new String[PLACES];

    /**
     * The text of a part of a buffer, if it is at its place.
     *
     * @return null if it is not
     */
    @Nullable String find(char[] text, int from, int to) {
        int length = to - from;
        if (length > LONGEST) {
            return null;
        }
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + text[i]; // as String#hashCode
        }
        String there = places[place(hash)];
        if (there == null || there.length() != length) {
            return null;
        }
        for (int i = 0; i < length; i++) {
            if (there.charAt(i) != text[from + i]) {
                return null;
            }
        }
        return there;
    }

    /** The same text, which {@link #find} finds from now on unless it is too long. */
    String keep(String text) {
        if (text.length() <= LONGEST) {
            places[place(text.hashCode())] = text;
        }
        return text;
    }

    private static int place(int hash) {
        return (hash ^ (hash >>> 14)) & (PLACES - 1);
    }
}
