package org.stillwater.core.access;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A credential of a program: it acts for a user, with no more than some of the user's roles.
 * Immutable.
 *
 * @param id identity
 * @param user the user that it represents
 * @param label purpose, in the user's words
 * @param hash SHA-256 of the token in lower-case hexadecimal; the token itself is kept nowhere
 * @param roles upper limit of its rights
 * @param createdAt when it was made
 * @param expiresAt when it ends, null for never
 */
public record ApiToken(
        UUID id,
        UUID user,
        String label,
        String hash,
        Set<Role> roles,
        Instant createdAt,
        @Nullable Instant expiresAt) {

    public ApiToken {
        roles = Set.copyOf(roles);
    }

    /** Whether it has expired. */
    public boolean hasExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** The caller of requests with this token: the user, narrowed to the token's roles. */
    public Caller caller(User owner) {
        Caller whole = owner.caller();
        Set<Grant> narrowed = new HashSet<>();
        for (Grant grant : whole.grants()) {
            for (Role role : roles) {
                if (grant.role().contains(role)) {
                    narrowed.add(new Grant(role, grant.scope()));
                } else if (role.contains(grant.role())) {
                    narrowed.add(grant);
                }
            }
        }
        return new Caller(whole.name(), narrowed);
    }

    /** Without the hash. */
    @Override
    public String toString() {
        return "ApiToken[" + id + ", user=" + user + ", roles=" + roles + "]";
    }
}
