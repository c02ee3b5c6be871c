package org.stillwater.server.security;

import java.util.Locale;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Browsers that a user has logged in with: each has a cookie that proves it, signed with a key that
 * lives as long as the process. Such a browser has turns of its own when logins are slowed, so that
 * guesses from elsewhere never make its user wait. A stolen cookie lets its thief guess no faster
 * than from another address. Thread-safe.
 */
@Component
class KnownDevices {

    private final SecretKeySpec key = Secrets.key();

    /** The value of the cookie for a browser that this user logged in with just now. */
    String cookie(String name) {
        String id = Secrets.token();
        return id + "." + signature(id, name);
    }

    /**
     * The browser's identity if the cookie proves that this user has logged in there, else null.
     */
    @Nullable String device(@Nullable String cookie, String name) {
        int dot = cookie == null ? -1 : cookie.indexOf('.');
        if (cookie == null || dot < 0) {
            return null;
        }
        String id = cookie.substring(0, dot);
        return Secrets.same(signature(id, name), cookie.substring(dot + 1)) ? id : null;
    }

    private String signature(String id, String name) {
        return Secrets.fingerprint(key, id, Accounts.whole(name).toLowerCase(Locale.ROOT));
    }
}
