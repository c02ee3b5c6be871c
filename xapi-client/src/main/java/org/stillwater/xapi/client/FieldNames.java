package org.stillwater.xapi.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the place of a field by the bytes of its name, without a string of them. Immutable. */
final class FieldNames {

    /** Places of the table for each name: few names meet. */
    private static final int ROOM = 4;

    private final @Nullable ShortBytes[] names;
    private final int[] places;
    private final int shift;

    /**
     * The fields of a class.
     *
     * @param fields none of them longer than {@link ShortBytes#MOST}
     */
    FieldNames(List<String> fields) {
        int size = Integer.highestOneBit(Math.max(1, fields.size() * ROOM)) << 1;
        this.names = new ShortBytes[size];
        this.places = new int[size];
        this.shift = Integer.SIZE - Integer.numberOfTrailingZeros(size);
        for (int place = 0; place < fields.size(); place++) {
            byte[] bytes = fields.get(place).getBytes(StandardCharsets.US_ASCII);
            if (bytes.length > ShortBytes.MOST) {
                throw new IllegalArgumentException("too long a name: " + fields.get(place));
            }
            ShortBytes name =
                    new ShortBytes()
                            .set(
                                    Arrays.copyOf(bytes, bytes.length + ShortBytes.MARGIN),
                                    0,
                                    bytes.length);
            int at = name.hash() >>> shift;
            while (names[at] != null) {
                at = (at + 1) % size;
            }
            names[at] = name;
            places[at] = place;
        }
    }

    /** The field's place, or {@link Source#UNKNOWN}. */
    int place(ShortBytes name) {
        int at = name.hash() >>> shift;
        while (true) {
            ShortBytes known = names[at];
            if (known == null) {
                return Source.UNKNOWN;
            }
            if (known.isSame(name)) {
                return places[at];
            }
            at = (at + 1) % names.length;
        }
    }
}
