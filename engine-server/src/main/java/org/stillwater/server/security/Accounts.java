package org.stillwater.server.security;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.UserStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.settings.SecuritySettings;

/**
 * Users and tokens, all of them in memory: the caller is known without asking the database. A
 * change is durable before it counts. There is always an enabled administrator of everything with a
 * password. Thread-safe: changes one after the other, readers see one state or the next.
 */
@Component
class Accounts {

    private static final String FIRST_ADMINISTRATOR = "admin@" + User.INTERNAL;
    private static final int MOST_USERS = 100_000;
    private static final int MOST_TOKENS_PER_USER = 100;

    /** One state of all accounts. */
    private record State(
            Map<UUID, User> users, Map<String, User> byName, Map<String, ApiToken> byHash) {

        static State of(Map<UUID, User> users, Map<String, ApiToken> tokens) {
            Map<String, User> byName = new HashMap<>();
            users.values().forEach(user -> byName.put(user.name(), user));
            return new State(Map.copyOf(users), Map.copyOf(byName), Map.copyOf(tokens));
        }
    }

    /** Outcome of a change. */
    enum Change {
        /** It is done and durable. */
        DONE,
        /** There is no such user or token, or a grant names a missing object. */
        UNKNOWN,
        /** Another user has that name. */
        TAKEN,
        /** There would be no administrator left. */
        LAST_ADMINISTRATOR,
        /** There are as many as there may be. */
        TOO_MANY
    }

    private final UserStore store;
    private final FirstPasswordFile firstPassword;
    private final EngineClock clock;
    private volatile State state;

    Accounts(
            UserStore store,
            SecuritySettings settings,
            Passwords passwords,
            FirstPasswordFile firstPassword,
            EngineClock clock)
            throws StoreUnavailable {
        this.store = store;
        this.firstPassword = firstPassword;
        this.clock = clock;
        Map<UUID, User> users = new HashMap<>();
        store.users().forEach(user -> users.put(user.id(), user));
        Map<String, ApiToken> tokens = new HashMap<>();
        store.tokens().forEach(token -> tokens.put(token.hash(), token));
        if (users.isEmpty()) {
            User first = first(settings, passwords);
            users.put(first.id(), first);
        }
        this.state = State.of(users, tokens);
    }

    /**
     * The first administrator. A password from the settings counts as chosen by a user. A generated
     * one is written to a file first, so that no administrator has a lost password, and must be
     * changed.
     */
    private User first(SecuritySettings settings, Passwords passwords) throws StoreUnavailable {
        String given = settings.initialPassword();
        String password = given == null ? Secrets.password() : given;
        User first =
                new User(
                        UUID.randomUUID(),
                        FIRST_ADMINISTRATOR,
                        passwords.hash(password),
                        true,
                        Set.of(Grant.everywhere(Role.ADMINISTRATOR)),
                        clock.now(),
                        given == null);
        if (given == null) {
            firstPassword.write(password);
        }
        if (store.save(first) == Saved.SAVED && given == null) {
            firstPassword.announce(first.name());
        }
        return first;
    }

    /** Whether all that this user may do is to change the password. */
    boolean mustChangePassword(String name) {
        User user = state.byName().get(name);
        return user != null && user.mustChangePassword();
    }

    /** The user that logs in with this name; without a profile, the engine's own is meant. */
    @Nullable User named(String name) {
        return state.byName().get(whole(name));
    }

    /** A name with its profile. */
    static String whole(String name) {
        return name.indexOf('@') < 0 ? name + "@" + User.INTERNAL : name;
    }

    @Nullable User user(UUID id) {
        return state.users().get(id);
    }

    List<User> users() {
        return state.users().values().stream().sorted(Comparator.comparing(User::name)).toList();
    }

    List<ApiToken> tokens() {
        return state.byHash().values().stream()
                .sorted(Comparator.comparing(ApiToken::createdAt).thenComparing(ApiToken::id))
                .toList();
    }

    @Nullable ApiToken token(UUID id) {
        return state.byHash().values().stream()
                .filter(token -> token.id().equals(id))
                .findAny()
                .orElse(null);
    }

    /** The token with this secret that has not expired, null if there is none. */
    @Nullable ApiToken valid(String secret) {
        ApiToken token = state.byHash().get(Secrets.hash(secret));
        return token == null || token.hasExpired(clock.now()) ? null : token;
    }

    /** The user that gave this password; none once it is another. */
    AccessRecheck standing(User user) {
        return () -> {
            User now = user(user.id());
            return now == null
                            || !now.enabled()
                            || !Objects.equals(now.passwordHash(), user.passwordHash())
                    ? null
                    : now.caller();
        };
    }

    /** The owner of this token, until it ends or is revoked. */
    AccessRecheck standing(ApiToken token) {
        return () -> {
            User now = user(token.user());
            return now == null
                            || !now.enabled()
                            || token.hasExpired(clock.now())
                            || !state.byHash().containsKey(token.hash())
                    ? null
                    : token.caller(now);
        };
    }

    synchronized Change add(User user) throws StoreUnavailable {
        if (state.users().size() >= MOST_USERS) {
            return Change.TOO_MANY;
        }
        return state.byName().containsKey(user.name()) ? Change.TAKEN : save(user);
    }

    synchronized Change change(UUID id, UnaryOperator<User> how) throws StoreUnavailable {
        Change change = changed(id, how);
        if (change == Change.UNKNOWN && state.users().containsKey(id)) {
            reload(); // a VM or cluster that the user had a grant on may be gone
            change = changed(id, how);
        }
        return change;
    }

    /** Reads all accounts again: grants on a removed object were removed with it. */
    synchronized void reload() throws StoreUnavailable {
        Map<UUID, User> users = new HashMap<>();
        store.users().forEach(user -> users.put(user.id(), user));
        state = State.of(users, state.byHash());
    }

    /** Forgets grants on a removed object; the database has done so already. */
    synchronized void forget(Scope gone) {
        Map<UUID, User> users = new HashMap<>(state.users());
        boolean any = false;
        for (User user : state.users().values()) {
            Set<Grant> left =
                    user.grants().stream()
                            .filter(grant -> !grant.scope().equals(gone))
                            .collect(Collectors.toUnmodifiableSet());
            if (left.size() < user.grants().size()) {
                users.put(user.id(), user.with(user.enabled(), left));
                any = true;
            }
        }
        if (any) {
            state = State.of(users, state.byHash());
        }
    }

    private Change changed(UUID id, UnaryOperator<User> how) throws StoreUnavailable {
        User before = state.users().get(id);
        if (before == null) {
            return Change.UNKNOWN;
        }
        User after = how.apply(before);
        if (leavesNoAdministrator(before, after)) {
            return Change.LAST_ADMINISTRATOR;
        }
        Change change = save(after);
        if (change == Change.DONE
                && before.name().equals(FIRST_ADMINISTRATOR)
                && before.mustChangePassword()
                && !Objects.equals(before.passwordHash(), after.passwordHash())) {
            firstPassword.delete();
        }
        return change;
    }

    private Change save(User user) throws StoreUnavailable {
        return switch (store.save(user)) {
            case SAVED -> {
                Map<UUID, User> users = new HashMap<>(state.users());
                users.put(user.id(), user);
                state = State.of(users, state.byHash());
                yield Change.DONE;
            }
            case TAKEN -> Change.TAKEN;
            case UNKNOWN -> Change.UNKNOWN;
        };
    }

    synchronized Change remove(UUID id) throws StoreUnavailable {
        User before = state.users().get(id);
        if (before == null) {
            return Change.UNKNOWN;
        }
        if (leavesNoAdministrator(before, null)) {
            return Change.LAST_ADMINISTRATOR;
        }
        boolean _ = store.remove(id);
        Map<UUID, User> users = new HashMap<>(state.users());
        users.remove(id);
        Map<String, ApiToken> tokens = new HashMap<>(state.byHash());
        tokens.values().removeIf(token -> token.user().equals(id));
        state = State.of(users, tokens);
        return Change.DONE;
    }

    /** Adds a token; at the limit the oldest expired one of the same user makes room. */
    synchronized Change add(ApiToken token) throws StoreUnavailable {
        List<ApiToken> own =
                tokens().stream().filter(each -> each.user().equals(token.user())).toList();
        if (own.size() >= MOST_TOKENS_PER_USER) {
            Instant now = clock.now();
            ApiToken expired =
                    own.stream().filter(each -> each.hasExpired(now)).findFirst().orElse(null);
            if (expired == null || revoke(expired) != Change.DONE) {
                return Change.TOO_MANY;
            }
        }
        if (store.add(token) != Saved.SAVED) {
            return Change.UNKNOWN;
        }
        Map<String, ApiToken> tokens = new HashMap<>(state.byHash());
        tokens.put(token.hash(), token);
        state = new State(state.users(), state.byName(), Map.copyOf(tokens));
        return Change.DONE;
    }

    synchronized Change revoke(ApiToken token) throws StoreUnavailable {
        if (!store.removeToken(token.id())) {
            return Change.UNKNOWN;
        }
        Map<String, ApiToken> tokens = new HashMap<>(state.byHash());
        tokens.remove(token.hash());
        state = new State(state.users(), state.byName(), Map.copyOf(tokens));
        return Change.DONE;
    }

    private boolean leavesNoAdministrator(User before, @Nullable User after) {
        return administrates(before)
                && (after == null || !administrates(after))
                && state.users().values().stream()
                        .noneMatch(user -> !user.id().equals(before.id()) && administrates(user));
    }

    private static boolean administrates(User user) {
        return user.enabled()
                && user.passwordHash() != null
                && user.grants().contains(new Grant(Role.ADMINISTRATOR, new Scope.Everything()));
    }
}
