package org.stillwater.server.api.web;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Names of enum constants in JSON. */
public final class EnumNames {

    private EnumNames() {}

    public static <E> Map<String, E> of(E[] values, Function<E, String> word) {
        return Arrays.stream(values).collect(Collectors.toUnmodifiableMap(word, value -> value));
    }

    public static <E extends Enum<E>> Map<String, E> of(E[] values) {
        return of(values, Json::word);
    }
}
