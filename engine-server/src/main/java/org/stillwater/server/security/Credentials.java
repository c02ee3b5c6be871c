package org.stillwater.server.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The credentials of a request, from its header {@code Authorization}. */
sealed interface Credentials {

    /** A name and a password. */
    record NameAndPassword(String name, String password) implements Credentials {

        /** Without the password. */
        @Override
        public String toString() {
            return "NameAndPassword[" + name + "]";
        }
    }

    /** A token of any kind. */
    record Bearer(String token) implements Credentials {

        /** Without the token. */
        @Override
        public String toString() {
            return "Bearer";
        }
    }

    /** Something else. */
    record Unreadable() implements Credentials {}

    /** Credentials of a header, null if it has none. */
    static @Nullable Credentials of(@Nullable String header) {
        if (header == null) {
            return null;
        }
        String text = header.strip();
        int blank = text.indexOf(' ');
        if (blank < 0) {
            return new Unreadable();
        }
        String value = text.substring(blank + 1).strip();
        return switch (text.substring(0, blank).toLowerCase(Locale.ROOT)) {
            case "basic" -> basic(value);
            case "bearer" -> new Bearer(value);
            default -> new Unreadable();
        };
    }

    private static Credentials basic(String value) {
        try {
            byte[] bytes = Base64.getDecoder().decode(value);
            String text = utf8(bytes);
            int colon = text.indexOf(':');
            return colon < 0
                    ? new Unreadable()
                    : new NameAndPassword(text.substring(0, colon), text.substring(colon + 1));
        } catch (IllegalArgumentException _) {
            return new Unreadable();
        }
    }

    /** UTF-8, as browsers and curl send it; other bytes are the Latin alphabet of old clients. */
    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException _) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }
}
