package org.stillwater.ovirt.resource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.model.User;
import org.stillwater.ovirt.resource.Resource.At;

/** Users: the caller, as the API shows it. */
final class Users {

    static final String DOMAIN = "internal-authz";

    private Users() {}

    /** Identity of a user, made of the name. */
    static String id(String name) {
        return Uuids.of("user", login(name));
    }

    /** The name without the profile. */
    static String login(String name) {
        int at = name.lastIndexOf('@');
        return at > 0 ? name.substring(0, at) : name;
    }

    static List<String> list(Scope scope) {
        return List.of(scope.request().caller().name());
    }

    /**
     * The user of this identity: the caller, and for callers that see everything also a user that
     * is named by a job or an event.
     */
    static @Nullable String find(Scope scope, String id) {
        return known(scope).get(id);
    }

    private static Map<String, String> known(Scope scope) {
        return scope.once(
                "users",
                () -> {
                    Map<String, String> known = new HashMap<>();
                    list(scope).forEach(name -> known.put(id(name), name));
                    if (scope.readsAll()) {
                        Stream.concat(
                                        scope.fleet().operations().stream()
                                                .map(each -> each.origin().requestedBy()),
                                        scope.fleet().events().stream()
                                                .map(each -> each.details().get("user")))
                                .filter(Objects::nonNull)
                                .distinct()
                                .forEach(name -> known.putIfAbsent(id(name), name));
                    }
                    return known;
                });
    }

    /** A reference to a user, which leads only to users that can be found. */
    static Entity reference(Scope scope, String name) {
        String id = id(name);
        return known(scope).containsKey(id)
                ? new Reference(id, scope.base() + "/users/" + id, name)
                : new Reference(id, null, name);
    }

    static Entity domain(Scope scope) {
        String id = Uuids.hex(DOMAIN);
        return new Reference(id, scope.base() + "/domains/" + id, DOMAIN);
    }

    static <P> User tell(Scope scope, Resource<P, String> resource, At<P, String> at) {
        String login = login(at.item());
        return new User(
                id(at.item()),
                at.href(),
                login,
                "",
                scope.links(resource, at),
                "",
                domain(scope),
                Uuids.hex(login),
                "",
                "",
                "*",
                login,
                login + "@" + DOMAIN,
                scope.inlined(resource, at));
    }
}
