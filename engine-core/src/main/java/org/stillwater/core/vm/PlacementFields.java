package org.stillwater.core.vm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * An immutable set of {@link PlacementField}s, for "changed fields".
 *
 * @param bits bit n stands for the n-th field in table order; never stored
 */
public record PlacementFields(int bits) {

    /** No field. */
    public static final PlacementFields NONE = new PlacementFields(0);

    private static final PlacementField[] FIELDS = PlacementField.values();

    static {
        if (FIELDS.length > Integer.SIZE) {
            throw new IllegalStateException("PlacementFields holds at most 32 fields");
        }
    }

    /** The set of these fields. */
    public static PlacementFields of(PlacementField... fields) {
        int bits = 0;
        for (PlacementField field : fields) {
            bits |= bit(field);
        }
        return new PlacementFields(bits);
    }

    /** Every field. */
    public static PlacementFields all() {
        return of(FIELDS);
    }

    /** The fields in which two placements differ. */
    @SuppressWarnings("ReferenceEquality") // the same instance differs in nothing: the common case
    public static PlacementFields between(VmPlacement before, VmPlacement after) {
        if (before == after) {
            return NONE;
        }
        int bits = 0;
        for (PlacementField field : FIELDS) {
            if (!Objects.equals(field.value(before), field.value(after))) {
                bits |= bit(field);
            }
        }
        return new PlacementFields(bits);
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return bits == 0;
    }

    /** Whether this field is in the set. */
    public boolean contains(PlacementField field) {
        return (bits & bit(field)) != 0;
    }

    /** The fields of either set. */
    public PlacementFields union(PlacementFields other) {
        return new PlacementFields(bits | other.bits);
    }

    /** Calls the action for each field, in table order. */
    public void forEach(Consumer<PlacementField> action) {
        for (int rest = bits; rest != 0; rest &= rest - 1) {
            action.accept(FIELDS[Integer.numberOfTrailingZeros(rest)]);
        }
    }

    /** The fields in table order. */
    public List<PlacementField> toList() {
        List<PlacementField> fields = new ArrayList<>(Integer.bitCount(bits));
        forEach(fields::add);
        return fields;
    }

    @Override
    public String toString() {
        return Arrays.toString(toList().toArray());
    }

    @SuppressWarnings("EnumOrdinal") // a bit of this process only, never stored
    private static int bit(PlacementField field) {
        return 1 << field.ordinal();
    }
}
