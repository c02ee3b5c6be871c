package org.stillwater.ovirt.resource;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests that change something, and the allowed methods. Thread-safe. */
public interface Writes {

    /** Nothing can be changed. */
    Writes NONE =
            new Writes() {
                @Override
                public @Nullable Answer answer(Request request) {
                    return null;
                }

                @Override
                public List<String> actions(Kind kind) {
                    return List.of();
                }
            };

    /**
     * Answers a request with a method other than GET and HEAD.
     *
     * @return null if it is none of those that are known: then it is refused with 404 or 405
     * @throws Refusal if it is not fulfilled
     */
    @Nullable Answer answer(Request request);

    /** Names of the parameters of the query that a request of this method and path has. */
    default Set<String> parameters(Request request) {
        return Set.of();
    }

    /**
     * Answers a query of an action that was answered before its end, and refuses a read with a
     * parameter that would select other objects.
     *
     * @return null if the path is not of an action
     * @throws Refusal if there is no such action, or such a parameter
     */
    default @Nullable Answer read(Request request) {
        return null;
    }

    /**
     * Methods that change the object at a path.
     *
     * @param path segments after the base
     */
    default List<String> methods(List<String> path) {
        return List.of();
    }

    /**
     * Whether a change, if it is made, has an audit event of its own.
     *
     * @param method of HTTP
     * @param path segments after the base
     */
    default boolean tellsOfItself(String method, List<String> path) {
        return false;
    }

    /** Names of the actions of an entity, which are linked in it. */
    List<String> actions(Kind kind);
}
