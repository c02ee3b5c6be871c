package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;

class PasswordsTest {

    private final Passwords passwords = new Passwords();

    @Test
    void aPasswordMatchesItsHashOnly() {
        String hash = passwords.hash("first");
        assertThat(passwords.matches("first", hash)).isTrue();
        assertThat(passwords.matches("second", hash)).isFalse();
        assertThat(passwords.matches("first", null)).isFalse();
    }

    /** A malformed hash would be refused at once, and so reveal an unknown user. */
    @Test
    void theHashOfNoPasswordTakesTheWorkOfAnyOther() {
        String hash = passwords.hash("first");
        String parameters = hash.substring(0, hash.lastIndexOf('$', hash.lastIndexOf('$') - 1));
        assertThat(passwords.unmatched).startsWith(parameters + "$").hasSameSizeAs(hash);
        assertThat(
                        new Argon2PasswordEncoder(16, 32, 1, 19 * 1024, 2)
                                .upgradeEncoding(passwords.unmatched))
                .isFalse();
        assertThat(new Passwords().unmatched).isNotEqualTo(passwords.unmatched);
    }
}
