package org.stillwater.xapi.client;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a server writes the fields of a class: all records have the same fields in the
 * same order. A reader compares the bytes of the expected name, eight at once, instead of searching
 * for its end and looking it up. It begins with the order that the last reader of the class met,
 * and corrects it. One for each reply; not thread-safe.
 */
final class FieldOrder {

    /** Fields of a record that are remembered; the largest class has about a hundred. */
    private static final int MOST_FIELDS = 256;

    /** Corrections of a class in one reply: a server without an order costs little. */
    private static final int MOST_LEARNT = 4 * MOST_FIELDS;

    private static final int ROOM = 32;

    /** An order that readers share. Immutable. */
    static final class Names {
        static final Names NONE = new Names(new byte[0][], new int[0]);

        private final byte[][] names;
        private final int[] places;

        private Names(byte[][] names, int[] places) {
            this.names = names;
            this.places = places;
        }
    }

    private @Nullable XapiClass type;

    /** The names in quotes with the colon, and {@link ShortBytes#MARGIN} behind them. */
    private byte[][] names = Names.NONE.names;

    private int[] places = Names.NONE.places;
    private int known;
    private int next;
    private int learnt;

    /** Whether the arrays belong to this reader alone. */
    private boolean own;

    /** A record of a class begins. */
    void begin(XapiClass of) {
        next = 0;
        if (!of.equals(type)) {
            Names last = of.order();
            type = of;
            names = last.names;
            places = last.places;
            known = names.length;
            learnt = 0;
            own = false;
        }
    }

    /** Length of the expected name with its quotes and the colon; 0 if none is expected. */
    int expected() {
        return next < known ? names[next].length - ShortBytes.MARGIN : 0;
    }

    /**
     * Whether the expected name is at a place of a buffer, which has {@link ShortBytes#MARGIN}
     * bytes behind that name.
     */
    boolean isAt(byte[] bytes, int from) {
        byte[] name = names[next];
        int length = name.length - ShortBytes.MARGIN;
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            if (ShortBytes.eight(bytes, from + i) != ShortBytes.eight(name, i)) {
                return false;
            }
        }
        int unused = Byte.SIZE * (Long.BYTES - (length - i));
        return unused == Long.SIZE
                || (ShortBytes.eight(bytes, from + i) ^ ShortBytes.eight(name, i)) << unused == 0;
    }

    /** Takes the expected field; its place. */
    int take() {
        return places[next++];
    }

    /** A field is there that is not remembered. */
    void pass() {
        next++;
    }

    /** A field is there that is expected from now on. */
    void learn(byte[] bytes, int from, int length, int place) {
        int here = next;
        boolean isNews = expected() != length || !isAt(bytes, from);
        next++;
        if (!isNews || here >= MOST_FIELDS || here > known || ++learnt > MOST_LEARNT) {
            return;
        }
        if (!own || here >= names.length) {
            int room = Math.max(ROOM, here < known ? known : 2 * known);
            names = Arrays.copyOf(names, room);
            places = Arrays.copyOf(places, room);
            own = true;
        }
        names[here] = Arrays.copyOfRange(bytes, from, from + length + ShortBytes.MARGIN);
        places[here] = place;
        known = Math.max(known, here + 1);
    }

    /** A record ends: later readers begin with what was learnt. */
    void end() {
        XapiClass of = type;
        if (own && of != null) {
            names = Arrays.copyOf(names, known);
            places = Arrays.copyOf(places, known);
            of.order(new Names(names, places));
            own = false;
        }
    }
}
