package org.stillwater.core.access;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who may log in. Immutable.
 *
 * @param id identity
 * @param name the name to log in with: {@code login@profile}, unique
 * @param passwordHash Argon2 hash of the password, null for a user who cannot log in by one
 * @param enabled whether the user may do anything now
 * @param grants what the user may do, and on what
 * @param createdAt when the user was added
 */
public record User(
        UUID id,
        String name,
        @Nullable String passwordHash,
        boolean enabled,
        Set<Grant> grants,
        Instant createdAt) {

    /** The profile of users whose passwords the engine keeps. */
    public static final String INTERNAL = "internal";

    public User {
        grants = Set.copyOf(grants);
    }

    /** The same user with another password. */
    public User withPasswordHash(String hash) {
        return new User(id, name, hash, enabled, grants, createdAt);
    }

    /** The same user, let in or kept out, with these grants. */
    public User with(boolean nowEnabled, Set<Grant> nowGrants) {
        return new User(id, name, passwordHash, nowEnabled, nowGrants, createdAt);
    }

    /** Who asks when this user does. */
    public Caller caller() {
        return new Caller(name, enabled ? grants : Set.of());
    }

    /** Without the hash. */
    @Override
    public String toString() {
        return "User[" + name + ", enabled=" + enabled + ", grants=" + grants + "]";
    }
}
