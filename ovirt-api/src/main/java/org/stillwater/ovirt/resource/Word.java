package org.stillwater.ovirt.resource;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Words of the API for constants: their names in lower case. A list of VMs has four in each VM, so
 * that each is made once; there are as many as constants. Thread-safe.
 */
final class Word {

    private static final Map<Enum<?>, String> WORDS = new ConcurrentHashMap<>();

    private Word() {}

    /** The word of a constant. */
    static String of(Enum<?> constant) {
        String known = WORDS.get(constant);
        return known != null ? known : WORDS.computeIfAbsent(constant, Word::made);
    }

    private static String made(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
