package org.stillwater.server.security;

import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;
import org.springframework.stereotype.Component;

/**
 * Hashes of passwords: Argon2id with 19 MiB, two passes and one lane, the least that OWASP's
 * password storage guide asks for in 2025. Thread-safe.
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

    /** Of a password without a user: checking it takes as long as any other. */
    private final String nobodys = hash(Secrets.token());

    String hash(String password) {
        return String.valueOf(encoder.encode(password));
    }

    /** Whether the password is the one of the hash; takes equally long where there is no hash. */
    boolean matches(String password, @Nullable String hash) {
        boolean same = encoder.matches(password, hash == null ? nobodys : hash);
        return same && hash != null;
    }
}
