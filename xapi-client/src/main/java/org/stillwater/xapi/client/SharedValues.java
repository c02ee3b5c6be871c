package org.stillwater.xapi.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sets and maps of short texts that records of a pool repeat: allowed operations, platforms,
 * operating systems. Equal ones are mostly one object. A new value takes the place of another one,
 * so the table never grows. Thread-safe: entries are immutable, and a lost one costs an object.
 */
final class SharedValues {

    private static final int PLACES = 1 << 11;

    /** Values with more elements are seldom equal. */
    private static final int MOST = 32;

    /** Longest value of a map, such as the name of an operating system. */
    private static final int LONGEST_VALUE = 64;

    /** Those of all pools. */
    static final SharedValues ALL = new SharedValues();

    private final @Nullable Object[] entries = new Object[PLACES];

    /**
     * The list, or an equal one.
     *
     * @param list immutable, not empty
     */
    @SuppressWarnings("unchecked") // a list equals lists only, and its elements are these
    List<String> of(List<String> list) {
        return list.size() <= MOST && isShort(list.getFirst())
                ? (List<String>) shared(list, list.hashCode())
                : list;
    }

    /**
     * The map, or an equal one, with entries perhaps in another order; maps with references as
     * names keep theirs.
     *
     * @param map never changed from now on, not empty
     */
    @SuppressWarnings("unchecked") // a map equals maps only, and its entries are these
    Map<String, String> of(Map<String, String> map) {
        if (map.size() > MOST) {
            return map;
        }
        for (Map.Entry<String, String> each : map.entrySet()) {
            if (!isShort(each.getKey()) || each.getValue().length() > LONGEST_VALUE) {
                return map;
            }
        }
        return (Map<String, String>) shared(map, map.hashCode());
    }

    /** References are longer. */
    private static boolean isShort(String text) {
        return text.length() <= SharedTexts.LONGEST;
    }

    private Object shared(Object value, int hash) {
        int place =
                (hash * 0x9E3779B9) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
        Object known = entries[place];
        if (known != null && value.equals(known)) {
            return known;
        }
        entries[place] = value;
        return value;
    }
}
