package org.stillwater.core.value;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An enum with a stable number of each constant in the database; {@code ordinal()} never leaves
 * memory.
 */
public interface Coded {

    /** The number stored in the database. */
    int code();

    /** Index of an enum's constants by code, for decoding database rows. */
    static <E extends Enum<E> & Coded> Map<Integer, E> byCode(Class<E> type) {
        return Arrays.stream(type.getEnumConstants())
                .collect(Collectors.toUnmodifiableMap(Coded::code, Function.identity()));
    }
}
