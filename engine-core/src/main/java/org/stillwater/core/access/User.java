package org.stillwater.core.access;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An account that may log in. Immutable.
 *
 * @param id identity
 * @param name the name to log in with: {@code login@profile}, unique
 * @param passwordHash Argon2 hash of the password, null for an account without a password
 * @param enabled whether the user may do anything now
 * @param grants roles of the user, with their scopes
 * @param createdAt when the user was added
 * @param mustChangePassword whether the user must change the password before any other request
 */
public record User(
        UUID id,
        String name,
        @Nullable String passwordHash,
        boolean enabled,
        Set<Grant> grants,
        Instant createdAt,
        boolean mustChangePassword) {

    /** The profile of users with passwords in the engine. */
    public static final String INTERNAL = "internal";

    public User {
        grants = Set.copyOf(grants);
    }

    /** A user with an unrestricted password, or without one. */
    public User(
            UUID id,
            String name,
            @Nullable String passwordHash,
            boolean enabled,
            Set<Grant> grants,
            Instant createdAt) {
        this(id, name, passwordHash, enabled, grants, createdAt, false);
    }

    /** The same user with another password, which is good for everything. */
    public User withPasswordHash(String hash) {
        return new User(id, name, hash, enabled, grants, createdAt, false);
    }

    /** The same user with or without the duty to change the password before any other request. */
    public User withMustChangePassword(boolean must) {
        return new User(id, name, passwordHash, enabled, grants, createdAt, must);
    }

    /** The same user, let in or kept out, with these grants. */
    public User with(boolean nowEnabled, Set<Grant> nowGrants) {
        return new User(
                id, name, passwordHash, nowEnabled, nowGrants, createdAt, mustChangePassword);
    }

    /** The caller of this user's requests: without any grant until the password was changed. */
    public Caller caller() {
        return new Caller(name, enabled && !mustChangePassword ? grants : Set.of());
    }

    /** Without the hash. */
    @Override
    public String toString() {
        return "User[" + name + ", enabled=" + enabled + ", grants=" + grants + "]";
    }
}
