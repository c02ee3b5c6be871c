package org.stillwater.ovirt.resource;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Identities of objects without one of their own: made of names, so that they are stable. */
final class Uuids {

    /** Blank template, root tag: always there. */
    static final String ZERO = "00000000-0000-0000-0000-000000000000";

    private Uuids() {}

    static String of(String... names) {
        return UUID.nameUUIDFromBytes(String.join("\n", names).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    /** A UUID in its usual form, or null. */
    static @Nullable UUID parse(String text) {
        if (text.length() != 36) {
            return null;
        }
        try {
            UUID id = UUID.fromString(text);
            return id.toString().equalsIgnoreCase(text) ? id : null;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** Hexadecimal digits of a text. */
    static String hex(String text) {
        return java.util.HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
