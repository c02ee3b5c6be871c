package org.stillwater.server.secrets;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a file, newest first: AES with 256 bits, one a line in base64. A key is named by the
 * first 8 hexadecimal digits of a digest of it, so that a name never stands for another key.
 * Immutable; the text form names keys only.
 */
final class SecretKeys {

    private static final int KEY_BYTES = 32;
    private static final int NAME_BYTES = 4;
    private static final int MOST = 100;
    private static final byte[] NAMING =
            "stillwater: name of a key\n".getBytes(StandardCharsets.US_ASCII);

    private final Map<String, SecretKey> keys;

    private SecretKeys(Map<String, SecretKey> keys) {
        this.keys = keys;
    }

    /**
     * Reads the text of a file. Empty lines and lines that begin with # are skipped.
     *
     * @throws IllegalArgumentException if a line is no key; the message names the line, never its
     *     content
     */
    static SecretKeys parse(String text) {
        Map<String, SecretKey> keys = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            byte[] bytes = decoded(line.strip(), number);
            keys.putIfAbsent(name(bytes), new SecretKeySpec(bytes, "AES"));
            Arrays.fill(bytes, (byte) 0);
        }
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("it holds no key");
        }
        if (keys.size() > MOST) {
            throw new IllegalArgumentException("it holds more than " + MOST + " keys");
        }
        return new SecretKeys(keys);
    }

    private static byte[] decoded(String line, int number) {
        try {
            byte[] bytes = Base64.getDecoder().decode(line);
            if (bytes.length == KEY_BYTES) {
                return bytes;
            }
        } catch (IllegalArgumentException _) {
            // reported below, without the content
        }
        throw new IllegalArgumentException(
                "its line %d is not %d bytes in base64".formatted(number, KEY_BYTES));
    }

    private static String name(byte[] key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(NAMING);
            return HexFormat.of().formatHex(digest.digest(key), 0, NAME_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Name of the key that encrypts. */
    String newest() {
        return keys.keySet().iterator().next();
    }

    /** The key of a name; null if it is not there. */
    @Nullable SecretKey key(String name) {
        return keys.get(name);
    }

    /** Names of all keys, newest first. */
    List<String> names() {
        return new ArrayList<>(keys.keySet());
    }

    @Override
    public String toString() {
        return "keys " + keys.keySet();
    }
}
