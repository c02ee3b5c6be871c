package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which changes are made at which paths: methods and patterns such as {@code vms/{id}/nics}.
 * Thread-safe once it is complete.
 */
final class Routes {

    private static final String ANY = "{id}";

    private final List<Route> routes = new ArrayList<>();

    /**
     * One of them.
     *
     * @param action whether it is answered with an action, even if it fails
     * @param audited whether it becomes an operation on a VM, which has an audit event of its own
     */
    private record Route(
            String method,
            List<String> pattern,
            boolean action,
            boolean audited,
            Function<Change, Outcome> change) {

        boolean isAt(List<String> path) {
            return matches(pattern, path);
        }
    }

    /** Whether a path is of a pattern, segment by segment. */
    static boolean matches(List<String> pattern, List<String> path) {
        if (path.size() != pattern.size()) {
            return false;
        }
        for (int i = 0; i < path.size(); i++) {
            if (!pattern.get(i).equals(ANY) && !pattern.get(i).equals(path.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** A change that is answered with the entity, or with a fault. */
    Routes add(String method, String pattern, Function<Change, Outcome> change) {
        return add(method, pattern, false, false, change);
    }

    /** The same for a change that becomes an operation on a VM. */
    Routes operation(String method, String pattern, Function<Change, Outcome> change) {
        return add(method, pattern, false, true, change);
    }

    /** An action, which is posted. */
    Routes action(String pattern, boolean audited, Function<Change, Outcome> change) {
        return add("POST", pattern, true, audited, change);
    }

    private Routes add(
            String method,
            String pattern,
            boolean action,
            boolean audited,
            Function<Change, Outcome> change) {
        routes.add(new Route(method, List.of(pattern.split("/", -1)), action, audited, change));
        return this;
    }

    private @Nullable Route at(String method, List<String> path) {
        for (Route route : routes) {
            if (route.method().equals(method) && route.isAt(path)) {
                return route;
            }
        }
        return null;
    }

    /** Makes a change; null if there is none at its path with its method. */
    @Nullable Outcome make(Change change) {
        Route route = at(change.method(), change.path());
        return route == null ? null : route.change().apply(change);
    }

    /** Methods that change the object at a path. */
    List<String> methods(List<String> path) {
        return routes.stream()
                .filter(route -> !route.action() && route.isAt(path))
                .map(Route::method)
                .distinct()
                .toList();
    }

    /** Whether this is a change of an entity, not an action. */
    boolean isOfEntity(String method, List<String> path) {
        Route route = at(method, path);
        return route != null && !route.action();
    }

    /** Whether this becomes an operation on a VM. */
    boolean isAudited(String method, List<String> path) {
        Route route = at(method, path);
        return route != null && route.audited();
    }
}
