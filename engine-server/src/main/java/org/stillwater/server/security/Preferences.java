package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Preferences of a client of oVirt's interface for its session, from {@code Prefer} headers (REST
 * specification §1.4).
 *
 * @param persistent to keep a session between requests
 * @param fresh to forget the present session
 * @param echoed to have each request repeat the session's id, against forged requests
 */
record Preferences(boolean persistent, boolean fresh, boolean echoed) {

    static Preferences of(HttpServletRequest request) {
        Set<String> named = new HashSet<>();
        for (String header : Collections.list(request.getHeaders("Prefer"))) {
            for (String part : header.split(",", -1)) {
                // A value or parameters may follow (RFC 7240, section 2); these have none.
                named.add(part.split("[;=]", 2)[0].strip().toLowerCase(Locale.ROOT));
            }
        }
        return new Preferences(
                named.contains("persistent-auth"),
                named.contains("new-auth"),
                named.contains("csrf-protection"));
    }
}
