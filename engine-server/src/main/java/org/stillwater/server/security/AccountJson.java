package org.stillwater.server.security;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.server.settings.SecuritySettings;
import tools.jackson.databind.JsonNode;

/** Users and tokens as JSON, without secrets, and the reading of both. Stateless. */
final class AccountJson {

    private static final int MOST_GRANTS = 1_000;
    private static final int LONGEST_TOLD = 64;

    private AccountJson() {}

    /**
     * A role with its scope: everything if neither a cluster nor a VM is named.
     *
     * @param role the role
     * @param cluster id of a cluster
     * @param vm id of a VM
     */
    record GrantView(String role, @Nullable String cluster, @Nullable String vm) {

        static GrantView of(Grant grant) {
            return switch (grant.scope()) {
                case Scope.Everything _ -> new GrantView(grant.role().label(), null, null);
                case Scope.OfCluster(ClusterId id) ->
                        new GrantView(grant.role().label(), id.value().toString(), null);
                case Scope.OfVm(VmId id) ->
                        new GrantView(grant.role().label(), null, id.toString());
            };
        }

        static List<GrantView> all(Set<Grant> grants) {
            return grants.stream()
                    .map(GrantView::of)
                    .sorted(Comparator.comparing(GrantView::toString))
                    .toList();
        }
    }

    /** A user. */
    record UserView(
            UUID id,
            String name,
            boolean enabled,
            boolean hasPassword,
            boolean mustChangePassword,
            List<GrantView> grants,
            Instant createdAt) {

        static UserView of(User user) {
            return new UserView(
                    user.id(),
                    user.name(),
                    user.enabled(),
                    user.passwordHash() != null,
                    user.mustChangePassword(),
                    GrantView.all(user.grants()),
                    user.createdAt());
        }
    }

    /** Users, and how many there are. */
    record UserViews(List<UserView> items, int total) {}

    /**
     * A token.
     *
     * @param user name of the user that it represents
     * @param token the token itself, only in the answer that made it
     */
    record TokenView(
            UUID id,
            @Nullable String user,
            String label,
            List<String> roles,
            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable String token) {

        static TokenView of(ApiToken token, @Nullable User owner, @Nullable String secret) {
            return new TokenView(
                    token.id(),
                    owner == null ? null : owner.name(),
                    token.label(),
                    token.roles().stream().map(Role::label).sorted().toList(),
                    token.createdAt(),
                    token.expiresAt(),
                    secret);
        }

        /** Without the token. */
        @Override
        public String toString() {
            return "TokenView[" + id + "]";
        }
    }

    /** Tokens, and how many there are. */
    record TokenViews(List<TokenView> items, int total) {}

    /**
     * The caller.
     *
     * @param mostInBatch VMs of one batch at most; null where the engine runs no operations
     */
    record MeView(
            String name, String means, List<GrantView> grants, @Nullable Integer mostInBatch) {}

    /** Refuses members that a body does not have: one that is spelled wrong is not left out. */
    static void only(JsonNode body, String... names) {
        List<String> known = List.of(names);
        String unknown =
                object(body).propertyNames().stream()
                        .filter(name -> !known.contains(name))
                        .map(AccountJson::shortened)
                        .sorted()
                        .limit(3)
                        .collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            throw Rejected.badRequest(
                    "There is no member %s here. The members are %s."
                            .formatted(
                                    unknown,
                                    known.stream().sorted().collect(Collectors.joining(", "))));
        }
    }

    private static String shortened(String name) {
        return name.length() <= LONGEST_TOLD ? name : name.substring(0, LONGEST_TOLD) + "…";
    }

    /** A text member of a body; null if it is left out. */
    static @Nullable String text(JsonNode body, String name, int longest) {
        JsonNode value = object(body).path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isString() || value.asString().length() > longest) {
            throw Rejected.badRequest(
                    name + " must be a text of at most " + longest + " characters");
        }
        String text = value.asString();
        // The database takes neither U+0000 nor half of a character.
        if (text.codePoints().anyMatch(each -> each == 0 || (each >= 0xD800 && each <= 0xDFFF))) {
            throw Rejected.badRequest(
                    name + " must be text without U+0000 and halves of characters");
        }
        return text;
    }

    /** A truth of a body; null if it is left out. */
    static @Nullable Boolean truth(JsonNode body, String name) {
        JsonNode value = object(body).path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isBoolean()) {
            throw Rejected.badRequest(name + " must be true or false");
        }
        return value.asBoolean();
    }

    /**
     * Refuses read-only members of a user with other values than the present ones; left-out members
     * are fine.
     */
    static void checkReadOnly(JsonNode body, User user) {
        String id = text(body, "id", LONGEST_TOLD);
        if (id != null && !id.strip().equalsIgnoreCase(user.id().toString())) {
            throw Rejected.badRequest("id is that of another user");
        }
        Boolean hasPassword = truth(body, "hasPassword");
        boolean has = user.passwordHash() != null;
        if (hasPassword != null && hasPassword != has) {
            throw Rejected.badRequest("hasPassword is read-only: that of this user is " + has);
        }
        String createdAt = text(body, "createdAt", LONGEST_TOLD);
        if (createdAt != null && !isNear(createdAt, user.createdAt())) {
            throw Rejected.badRequest(
                    "createdAt is read-only: that of this user is " + user.createdAt());
        }
    }

    /** Dates of JavaScript have milliseconds, and those of the engine microseconds. */
    private static boolean isNear(String text, Instant time) {
        try {
            Instant given = OffsetDateTime.parse(text.strip()).toInstant();
            return Duration.between(given, time).abs().compareTo(Duration.ofMillis(1)) < 0;
        } catch (DateTimeException _) {
            return false;
        }
    }

    static @Nullable String password(JsonNode body, String name) {
        String password = text(body, name, SecuritySettings.LONGEST_PASSWORD);
        if (password != null && password.length() < SecuritySettings.SHORTEST_PASSWORD) {
            throw Rejected.badRequest(
                    name
                            + " must have at least "
                            + SecuritySettings.SHORTEST_PASSWORD
                            + " characters");
        }
        return password;
    }

    /** The member {@code grants}; null if it is left out. */
    static @Nullable Set<Grant> grants(JsonNode body) {
        JsonNode all = object(body).path("grants");
        if (all.isMissingNode() || all.isNull()) {
            return null;
        }
        if (!all.isArray() || all.size() > MOST_GRANTS) {
            throw Rejected.badRequest("grants must be a list of at most " + MOST_GRANTS);
        }
        Set<Grant> grants = new HashSet<>();
        for (JsonNode each : all) {
            only(each, "role", "cluster", "vm");
            String cluster = text(each, "cluster", 64);
            String vm = text(each, "vm", 64);
            if (cluster != null && vm != null) {
                throw Rejected.badRequest("a grant is on a cluster or on a VM, not on both");
            }
            grants.add(
                    new Grant(
                            role(text(each, "role", 64)),
                            cluster != null
                                    ? new Scope.OfCluster(new ClusterId(uuid(cluster)))
                                    : vm != null
                                            ? new Scope.OfVm(VmId.of(uuid(vm)))
                                            : new Scope.Everything()));
        }
        return grants;
    }

    /** The member {@code roles}: at least one. */
    static Set<Role> roles(JsonNode body) {
        Set<Role> roles = new HashSet<>();
        JsonNode all = object(body).path("roles");
        if (!all.isArray() || all.isEmpty() || all.size() > Role.values().length) {
            throw Rejected.badRequest("roles must be a list of one or more roles");
        }
        all.forEach(each -> roles.add(role(each.isString() ? each.asString() : null)));
        return roles;
    }

    private static Role role(@Nullable String label) {
        Role role = label == null ? null : Role.ofLabel(label);
        if (role == null) {
            throw Rejected.badRequest(
                    "a role is one of "
                            + Stream.of(Role.values())
                                    .map(Role::label)
                                    .collect(Collectors.joining(", ")));
        }
        return role;
    }

    static UUID uuid(String text) {
        try {
            return VmId.parse(text).toUuid();
        } catch (IllegalArgumentException _) {
            throw Rejected.badRequest("an id is a UUID");
        }
    }

    private static JsonNode object(JsonNode body) {
        if (!body.isObject()) {
            throw Rejected.badRequest("an object is expected here");
        }
        return body;
    }
}
