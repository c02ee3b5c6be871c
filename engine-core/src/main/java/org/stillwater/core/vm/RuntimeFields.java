package org.stillwater.core.vm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * An immutable set of {@link RuntimeField}s in one long, for "changed fields".
 *
 * @param bits bit n stands for the n-th field in memory order; never stored
 */
public record RuntimeFields(long bits) {

    /** No field. */
    public static final RuntimeFields NONE = new RuntimeFields(0);

    private static final RuntimeField[] FIELDS = RuntimeField.values();

    static {
        if (FIELDS.length > Long.SIZE) {
            throw new IllegalStateException("RuntimeFields holds at most 64 fields");
        }
    }

    /** The set of these fields. */
    public static RuntimeFields of(RuntimeField... fields) {
        long bits = 0;
        for (RuntimeField field : fields) {
            bits |= bit(field);
        }
        return new RuntimeFields(bits);
    }

    /** Every field. */
    public static RuntimeFields all() {
        return of(FIELDS);
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return bits == 0;
    }

    /** Whether this field is in the set. */
    public boolean contains(RuntimeField field) {
        return (bits & bit(field)) != 0;
    }

    /** Number of fields. */
    public int size() {
        return Long.bitCount(bits);
    }

    /** The fields of either set. */
    public RuntimeFields union(RuntimeFields other) {
        return new RuntimeFields(bits | other.bits);
    }

    /** Calls the action for each field, in table order. */
    public void forEach(Consumer<RuntimeField> action) {
        for (long rest = bits; rest != 0; rest &= rest - 1) {
            action.accept(FIELDS[Long.numberOfTrailingZeros(rest)]);
        }
    }

    /** The fields in table order. */
    public List<RuntimeField> toList() {
        List<RuntimeField> fields = new ArrayList<>(size());
        forEach(fields::add);
        return fields;
    }

    @Override
    public String toString() {
        return Arrays.toString(toList().toArray());
    }

    static long bit(RuntimeField field) {
        return 1L << field.slot();
    }
}
