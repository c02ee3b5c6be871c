package org.stillwater.testkit.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.stillwater.core.access.ApiToken;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.UserStore;

/** Users and tokens in memory. Tests name the objects that may be granted on. Thread-safe. */
public final class InMemoryUserStore implements UserStore {

    private final Map<UUID, User> users = new LinkedHashMap<>(); // guarded by this
    private final Map<UUID, ApiToken> tokens = new LinkedHashMap<>(); // guarded by this
    private final Set<Scope> there = ConcurrentHashMap.newKeySet();
    private volatile boolean available = true;

    /** From now on this VM or cluster exists. */
    public void there(Scope scope) {
        there.add(scope);
    }

    /** Removes an object and the grants on it. */
    public synchronized void gone(Scope scope) {
        there.remove(scope);
        users.replaceAll((_, user) ->
                user.with(
                        user.enabled(),
                        user.grants().stream()
                                .filter(grant -> !grant.scope().equals(scope))
                                .collect(Collectors.toSet())));
    }

    /** Whether it answers. */
    public void available(boolean now) {
        available = now;
    }

    private void check() throws StoreUnavailable {
        if (!available) {
            throw new StoreUnavailable(
                    "told not to answer", new IllegalStateException("told not to answer"));
        }
    }

    @Override
    public synchronized List<User> users() throws StoreUnavailable {
        check();
        return users.values().stream().sorted(Comparator.comparing(User::name)).toList();
    }

    @Override
    public synchronized List<ApiToken> tokens() throws StoreUnavailable {
        check();
        return new ArrayList<>(tokens.values());
    }

    @Override
    public synchronized Saved save(User user) throws StoreUnavailable {
        check();
        if (users.values().stream()
                .anyMatch(
                        each -> each.name().equals(user.name()) && !each.id().equals(user.id()))) {
            return Saved.TAKEN;
        }
        for (Grant grant : user.grants()) {
            if (!(grant.scope() instanceof Scope.Everything) && !there.contains(grant.scope())) {
                return Saved.UNKNOWN;
            }
        }
        User before = users.get(user.id());
        users.put(
                user.id(),
                before == null
                        ? user
                        : new User(
                                user.id(),
                                user.name(),
                                user.passwordHash(),
                                user.enabled(),
                                user.grants(),
                                before.createdAt(),
                                user.mustChangePassword()));
        return Saved.SAVED;
    }

    @Override
    public synchronized boolean remove(UUID user) throws StoreUnavailable {
        check();
        tokens.values().removeIf(token -> token.user().equals(user));
        return users.remove(user) != null;
    }

    @Override
    public synchronized Saved add(ApiToken token) throws StoreUnavailable {
        check();
        if (!users.containsKey(token.user())) {
            return Saved.UNKNOWN;
        }
        tokens.put(token.id(), token);
        return Saved.SAVED;
    }

    @Override
    public synchronized boolean removeToken(UUID token) throws StoreUnavailable {
        check();
        return tokens.remove(token) != null;
    }
}
