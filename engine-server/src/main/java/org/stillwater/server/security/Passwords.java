package org.stillwater.server.security;

import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;
import org.springframework.stereotype.Component;

/**
 * Hashes of passwords: Argon2id with 19 MiB, two passes and one lane, the least that OWASP's
 * password storage guide requests in 2025. Thread-safe.
 */
@Component
class Passwords {

    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 32;
    private static final int LANES = 1;
    private static final int MEMORY_KIBIBYTES = 19 * 1024;
    private static final int PASSES = 2;

    private final Argon2PasswordEncoder encoder =
            new Argon2PasswordEncoder(SALT_BYTES, HASH_BYTES, LANES, MEMORY_KIBIBYTES, PASSES);

    /**
     * The hash of no password: random bytes, checked in the same time as any hash. To hash
     * something for it would cost each start of the engine.
     */
    final String unmatched =
            "$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s"
                    .formatted(
                            MEMORY_KIBIBYTES,
                            PASSES,
                            LANES,
                            random(SALT_BYTES),
                            random(HASH_BYTES));

    private static String random(int length) {
        byte[] bytes = new byte[length];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }

    String hash(String password) {
        return String.valueOf(encoder.encode(password));
    }

    /** Whether the password is the one of the hash; takes equally long where there is no hash. */
    boolean matches(String password, @Nullable String hash) {
        boolean same = encoder.matches(password, hash == null ? unmatched : hash);
        return same && hash != null;
    }
}
