package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.Datamodel;

/**
 * Sessions of logged-in users. In memory only: a restart of the coordinator ends all. Guarded by
 * the pool.
 */
final class Sessions {

    /** Sessions that one originator may have; the one unused for longest goes. Source: db_gc.ml. */
    static final int MOST_PER_ORIGINATOR = 500;

    private static final Duration IDLE = Duration.ofHours(24);

    /** A user's secret and role. */
    record Account(String password, String role) {}

    private record Login(String role, String originator, long usedMillis) {}

    private final Pool pool;
    private final Map<String, Account> accounts = new HashMap<>();
    private final LinkedHashMap<String, Login> logins = new LinkedHashMap<>();

    Sessions(Pool pool) {
        this.pool = pool;
        accounts.put("root", new Account("stillwater", "pool-admin"));
        accounts.put("operator", new Account("operator", "vm-operator"));
        accounts.put("reader", new Account("reader", "read-only"));
    }

    String login(String user, String password, String originator, String host) {
        Account account = accounts.get(user);
        if (account == null || !account.password.equals(password)) {
            throw new XapiError("SESSION_AUTHENTICATION_FAILED", user, "Authentication failure");
        }
        long same = logins.values().stream().filter(e -> e.originator.equals(originator)).count();
        if (same >= MOST_PER_ORIGINATOR) {
            String oldest =
                    logins.entrySet().stream()
                            .filter(e -> e.getValue().originator.equals(originator))
                            .findFirst()
                            .orElseThrow()
                            .getKey();
            logout(oldest);
        }
        Map<String, Object> fields = new HashMap<>();
        fields.put("this_host", host);
        fields.put("last_active", pool.clock.wireNow());
        fields.put("is_local_superuser", user.equals("root"));
        fields.put("auth_user_name", user);
        fields.put("originator", originator);
        fields.put("pool", false);
        String ref = pool.store.create("session", fields);
        logins.put(ref, new Login(account.role, originator, pool.clock.millis()));
        return ref;
    }

    /** Whether this user may read metrics with a password in the header. */
    boolean isPassword(String user, String password) {
        Account account = accounts.get(user);
        return account != null && account.password.equals(password);
    }

    /** The role of a session that is valid; using it keeps it alive. */
    String check(@Nullable String ref) {
        Login login = logins.remove(ref);
        if (ref == null || login == null) {
            throw new XapiError("SESSION_INVALID", String.valueOf(ref));
        }
        if (isOver(login)) {
            logout(ref);
            throw new XapiError("SESSION_INVALID", ref);
        }
        logins.put(ref, new Login(login.role, login.originator, pool.clock.millis()));
        return login.role;
    }

    boolean isValid(@Nullable String ref) {
        Login login = logins.get(ref);
        return login != null && !isOver(login);
    }

    private boolean isOver(Login login) {
        return pool.clock.millis() - login.usedMillis > IDLE.toMillis();
    }

    void logout(String ref) {
        logins.remove(ref);
        pool.store.destroy("session", ref);
        pool.changed();
    }

    void endAll() {
        for (String each : java.util.List.copyOf(logins.keySet())) {
            logout(each);
        }
    }

    int count() {
        return logins.size();
    }

    static boolean mayUse(String role, String lowest) {
        return Datamodel.ROLES.indexOf(role) >= Datamodel.ROLES.indexOf(lowest)
                && (!lowest.isEmpty() || role.equals("pool-admin"));
    }
}
