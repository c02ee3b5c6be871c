package org.stillwater.server.security;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Making, hashing and comparing secrets. Thread-safe. */
final class Secrets {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int TOKEN_BYTES = 32;
    private static final int PASSWORD_CHARACTERS = 20;

    /** Letters and digits without similar ones. */
    private static final String LETTERS =
            "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

    private Secrets() {}

    /** 256 random bits, for URLs and headers. */
    static String token() {
        byte[] bytes = new byte[TOKEN_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** A password of 116 random bits that people can read and type. */
    static String password() {
        StringBuilder password = new StringBuilder(PASSWORD_CHARACTERS);
        for (int i = 0; i < PASSWORD_CHARACTERS; i++) {
            password.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        return password.toString();
    }

    /** Whether two texts are the same, in a time that does not depend on where they differ. */
    static boolean same(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** Stored form of a token: SHA-256 in hexadecimal. */
    static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** A key that never leaves this process, for {@link #fingerprint}. */
    static SecretKeySpec key() {
        byte[] bytes = new byte[TOKEN_BYTES];
        RANDOM.nextBytes(bytes);
        return new SecretKeySpec(bytes, "HmacSHA256");
    }

    /** Fingerprint that distinguishes texts without revealing them: an HMAC of all of them. */
    static String fingerprint(SecretKeySpec key, String... texts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            for (String text : texts) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                mac.update(
                        new byte[] {
                            (byte) (bytes.length >> 24),
                            (byte) (bytes.length >> 16),
                            (byte) (bytes.length >> 8),
                            (byte) bytes.length
                        });
                mac.update(bytes);
            }
            return HexFormat.of().formatHex(mac.doFinal());
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java platform has HMAC with SHA-256", e);
        }
    }
}
