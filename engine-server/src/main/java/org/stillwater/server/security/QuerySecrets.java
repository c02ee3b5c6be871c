package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Secrets in the query of an address, where proxies, browsers and access logs keep them. Stateless.
 */
final class QuerySecrets {

    private static final Set<String> NAMES =
            Set.of("password", "token", "client_secret", "current", "new", "again");

    private QuerySecrets() {}

    /** The name of the first parameter of the query that holds a secret, null if none does. */
    static @Nullable String in(HttpServletRequest request) {
        String query = request.getQueryString();
        if (query == null) {
            return null;
        }
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            if (NAMES.contains(name)) {
                return name;
            }
        }
        return null;
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException _) {
            return name; // no encoding that the server would read either
        }
    }
}
