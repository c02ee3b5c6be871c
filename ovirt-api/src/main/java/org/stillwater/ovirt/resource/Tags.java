package org.stillwater.ovirt.resource;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Strong entity tags. Compressed bytes are other bytes, so their tag is another one. */
public final class Tags {

    private static final String COMPRESSED = "-gzip";
    private static final int MOST = 64;
    private static final int BYTES = 16;

    private Tags() {}

    /** A tag of these bytes. */
    public static String of(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(digest, 0, BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static String of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The value of {@code ETag}. */
    public static String quoted(String tag, boolean compressed) {
        return '"' + tag + (compressed ? COMPRESSED : "") + '"';
    }

    /**
     * Whether a reader has the content of an entity tag, compressed or not. Tags are compared
     * weakly (RFC 9110 §13.1.2): a cache between us and the reader may have made a weak one of
     * ours.
     *
     * @param known value of {@code If-None-Match}, null for none
     */
    public static boolean isKnown(@Nullable String known, String tag) {
        if (known == null) {
            return false;
        }
        for (String each : known.split(",", MOST)) {
            String bare = each.strip();
            if (bare.equals("*")) {
                return true;
            }
            if (bare.startsWith("W/")) {
                bare = bare.substring(2);
            }
            if (bare.equals(quoted(tag, false)) || bare.equals(quoted(tag, true))) {
                return true;
            }
        }
        return false;
    }
}
