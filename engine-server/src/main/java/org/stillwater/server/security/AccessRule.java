package org.stillwater.server.security;

import java.util.List;
import java.util.Set;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The access to some paths: one line of {@link AccessRules}.
 *
 * @param methods the methods that it is about, none for all
 * @param pattern paths that it is about
 * @param need right that the caller needs
 * @param note further checks, for people
 */
record AccessRule(Set<String> methods, PathPattern pattern, AccessRequirement need, String note) {

    static AccessRule of(String methods, String pattern, AccessRequirement need, String note) {
        return new AccessRule(
                methods.equals("*") ? Set.of() : Set.copyOf(List.of(methods.split(" ", -1))),
                PathPatternParser.defaultInstance.parse(pattern),
                need,
                note);
    }

    boolean covers(String method, PathContainer path) {
        return (methods.isEmpty() || methods.contains(method)) && pattern.matches(path);
    }
}
