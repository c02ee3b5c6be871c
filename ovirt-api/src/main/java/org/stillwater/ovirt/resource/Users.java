package org.stillwater.ovirt.resource;

import java.util.List;
import org.stillwater.ovirt.model.User;
import org.stillwater.ovirt.resource.Resource.At;

/** Users: whoever asks, as the API tells of him. */
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

    static User.DomainName domain(Scope scope) {
        String id = Uuids.hex(DOMAIN);
        return new User.DomainName(id, scope.base() + "/domains/" + id, DOMAIN);
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
