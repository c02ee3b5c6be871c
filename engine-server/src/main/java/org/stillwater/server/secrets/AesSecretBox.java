package org.stillwater.server.secrets;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.secret.SecretBox;

/**
 * AES-256-GCM with a random nonce of 96 bits for each secret (NIST SP 800-38D: at most 2³² secrets
 * a key, which no installation comes near). An envelope is {@code sw1:KEY:BASE64}, of which the
 * base64 is nonce, ciphertext and tag; the owner of the secret and the envelope's head are
 * authenticated. Thread-safe; {@link #reload} and {@link #reloadOrKeep} change the keys for all.
 */
public final class AesSecretBox implements SecretBox {

    private static final String VERSION = "sw1";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final Pattern ENVELOPE =
            Pattern.compile(VERSION + ":([0-9a-f]{8}):([A-Za-z0-9+/=]+)");

    private final SecretKeyFile file;
    private final SecureRandom random = new SecureRandom();
    private volatile State state = new State(null, "the key file was not read yet");

    private record State(@Nullable SecretKeys keys, String trouble) {}

    /** With the keys of a file, which need not be there. */
    public AesSecretBox(SecretKeyFile file) {
        this.file = file;
        reload();
    }

    /** Reads the file again. A file that cannot be used leaves no key. */
    public void reload() {
        state = read();
    }

    /**
     * Reads the file again. If it is unusable, the former keys stay.
     *
     * @throws Unusable if the file is missing or cannot be used
     */
    public void reloadOrKeep() {
        State fresh = read();
        if (fresh.keys() != null || state.keys() == null) {
            state = fresh;
        }
        if (fresh.keys() == null) {
            throw new Unusable(fresh.trouble());
        }
    }

    private State read() {
        try {
            SecretKeys keys = file.read();
            return new State(
                    keys, keys == null ? "the key file " + file.path() + " is missing" : "");
        } catch (IOException e) {
            return new State(null, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Makes the engine's own file if it is not there, and reads it.
     *
     * @throws IOException if it cannot be made
     */
    public void create() throws IOException {
        if (state.keys() == null && file.isOwn() && !Files.exists(file.path())) {
            file.create();
            reload();
        }
    }

    /** Reason why there are no keys, one clause for people; null if there are some. */
    public @Nullable String trouble() {
        State now = state;
        return now.keys() == null ? now.trouble() : null;
    }

    /** Names of the keys, newest first; empty if there are none. */
    public List<String> names() {
        SecretKeys keys = state.keys();
        return keys == null ? List.of() : keys.names();
    }

    private SecretKeys keys() {
        State now = state;
        SecretKeys keys = now.keys();
        if (keys == null) {
            throw new Unusable(now.trouble());
        }
        return keys;
    }

    @Override
    public String newestKey() {
        return keys().newest();
    }

    @Override
    public String keyOf(String envelope) {
        Matcher parts = ENVELOPE.matcher(envelope);
        return parts.matches() ? parts.group(1) : "unknown";
    }

    @Override
    public String seal(String text, String context) {
        SecretKeys keys = keys();
        String name = keys.newest();
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed =
                    cipher(Cipher.ENCRYPT_MODE, key(keys, name), nonce, name, context)
                            .doFinal(text.getBytes(StandardCharsets.UTF_8));
            byte[] whole = new byte[NONCE_BYTES + sealed.length];
            System.arraycopy(nonce, 0, whole, 0, NONCE_BYTES);
            System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
            return VERSION + ":" + name + ":" + Base64.getEncoder().encodeToString(whole);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES/GCM", e);
        }
    }

    @Override
    public String open(String envelope, String context) {
        Matcher parts = ENVELOPE.matcher(envelope);
        if (!parts.matches()) {
            throw new Unusable("it is no secret of this engine's");
        }
        String name = parts.group(1);
        SecretKey key = key(keys(), name);
        try {
            byte[] whole = decode(parts.group(2));
            if (whole.length < NONCE_BYTES + TAG_BITS / Byte.SIZE) {
                throw new Unusable("it is cut off");
            }
            byte[] nonce = Arrays.copyOf(whole, NONCE_BYTES);
            byte[] text =
                    cipher(Cipher.DECRYPT_MODE, key, nonce, name, context)
                            .doFinal(whole, NONCE_BYTES, whole.length - NONCE_BYTES);
            return new String(text, StandardCharsets.UTF_8);
        } catch (AEADBadTagException | IllegalArgumentException _) {
            throw new Unusable(
                    "its row was changed by another program than the engine, or it was moved to"
                            + " another row");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES/GCM", e);
        }
    }

    /**
     * The bytes of a text that {@link #seal} made. The last character may carry unused bits , which
     * the JDK's decoder ignores (RFC 4648 §3.5 lets it): a text with such bits was changed, and is
     * refused like any other change.
     */
    private static byte[] decode(String base64) {
        byte[] bytes = Base64.getDecoder().decode(base64);
        if (!Base64.getEncoder().encodeToString(bytes).equals(base64)) {
            throw new IllegalArgumentException("not as it was encoded");
        }
        return bytes;
    }

    private SecretKey key(SecretKeys keys, String name) {
        SecretKey key = keys.key(name);
        if (key == null) {
            throw new Unusable("the key %s is not in %s".formatted(name, file.path()));
        }
        return key;
    }

    private static Cipher cipher(int mode, SecretKey key, byte[] nonce, String name, String context)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD((VERSION + ":" + name + ":" + context).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
