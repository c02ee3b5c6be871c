package org.stillwater.server.takeover;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.server.takeover.OvirtReader.NotRead;
import tools.jackson.databind.JsonNode;

/**
 * Turns users and their permissions into users with grants. A grant never reaches further than the
 * role did: a role for which there is none of ours becomes a smaller one, or is a loss.
 */
final class AccessPlanner {

    private static final String USER = "user";

    /** Their profile of the engine's own users is ours. */
    private static final String INTERNAL = "internal-authz";

    /** Roles by name; all others are losses. */
    private static final Map<String, Role> ROLES =
            Map.of(
                    "SuperUser", Role.ADMINISTRATOR,
                    "ClusterAdmin", Role.ADMINISTRATOR,
                    "ReadOnlyAdmin", Role.READER,
                    "UserVmManager", Role.OPERATOR,
                    "PowerUserRole", Role.OPERATOR,
                    "UserRole", Role.READER,
                    "UserVmRunTimeManager", Role.READER);

    private final OvirtReader engine;
    private final Map<String, VmPlanner.Home> clusters;
    private final Set<VmId> vms;
    private final Map<VmId, String> names;
    private final Losses losses;

    AccessPlanner(
            OvirtReader engine,
            Map<String, VmPlanner.Home> clusters,
            Set<VmId> vms,
            Map<VmId, String> names,
            Losses losses) {
        this.engine = engine;
        this.clusters = clusters;
        this.vms = vms;
        this.names = names;
        this.losses = losses;
    }

    List<User> plan(Instant now) throws NotRead {
        Map<String, String> roles = new HashMap<>();
        for (JsonNode each : engine.all("/roles", "role")) {
            roles.put(OvirtJson.text(each, "id"), OvirtJson.text(each, "name"));
        }
        for (JsonNode each : engine.all("/groups", "group")) {
            losses.add("group", OvirtJson.text(each, "name"), "there are no groups here");
        }
        Set<String> everywhere = new HashSet<>();
        for (JsonNode each : engine.all("/permissions", "permission")) {
            everywhere.add(OvirtJson.text(each, "id"));
        }
        List<User> users = new ArrayList<>();
        for (JsonNode each : engine.all("/users", USER)) {
            String name = name(each);
            UUID id = OvirtJson.uuid(each, "id");
            if (id == null || name == null) {
                losses.add(USER, OvirtJson.text(each, "user_name"), "it has no login name");
                continue;
            }
            Set<Grant> grants = new HashSet<>();
            Set<String> lost = new TreeSet<>();
            for (JsonNode permission : engine.all("/users/" + id + "/permissions", "permission")) {
                String role = roles.getOrDefault(OvirtJson.text(permission, "role", "id"), "");
                Grant grant = grant(role, permission, everywhere, lost);
                if (grant != null) {
                    grants.add(grant);
                }
            }
            lost.forEach(text -> losses.add(USER, name, text));
            losses.add(USER, name, "the password, which no engine reveals");
            users.add(new User(id, name, null, true, grants, now));
        }
        return users;
    }

    /** {@code login@profile}; null if the engine reports no login. */
    private static @Nullable String name(JsonNode user) {
        String login = OvirtJson.text(user, "principal");
        String whole = OvirtJson.text(user, "user_name");
        int at = whole.lastIndexOf('@');
        if (login.isEmpty()) {
            login = at < 0 ? whole : whole.substring(0, at);
        }
        String profile = at < 0 ? "" : whole.substring(at + 1);
        if (profile.isEmpty() || profile.equals(INTERNAL)) {
            profile = User.INTERNAL;
        }
        return login.isEmpty() ? null : login + "@" + profile;
    }

    /**
     * The grant of a permission. oVirt leaves out objects of some kinds, such as quotas, networks
     * and vNIC profiles: such a permission looks like one on everything.
     *
     * @param everywhere ids of the permissions on everything
     */
    private @Nullable Grant grant(
            String name, JsonNode permission, Set<String> everywhere, Set<String> lost) {
        Role role = ROLES.get(name);
        if (role == null) {
            lost.add("the role " + (name.isEmpty() ? "that has no name" : name));
            return null;
        }
        UUID vm = OvirtJson.uuid(permission, "vm", "id");
        String cluster = OvirtJson.text(permission, "cluster", "id");
        boolean elsewhere =
                List.of(
                                "data_center",
                                "host",
                                "template",
                                "storage_domain",
                                "disk",
                                "vm_pool",
                                "network",
                                "vnic_profile",
                                "mac_pool")
                        .stream()
                        .anyMatch(each -> OvirtJson.has(permission, each));
        boolean hidden =
                vm == null
                        && cluster.isEmpty()
                        && !everywhere.contains(OvirtJson.text(permission, "id"));
        if (elsewhere || hidden) {
            lost.add("the role " + name + " on something that has no grants here");
            return null;
        }
        if (name.startsWith("User") && role == Role.READER) {
            lost.add(
                    "that "
                            + name
                            + " may start and stop: it is a reader here, until more is granted");
        }
        if (vm != null) {
            VmId id = VmId.of(vm);
            if (!vms.contains(id)) {
                lost.add(
                        "the role "
                                + name
                                + " on the VM "
                                + names.getOrDefault(id, id.toString())
                                + ", which is not kept");
                return null;
            }
            return new Grant(role, new Scope.OfVm(id));
        }
        if (!cluster.isEmpty()) {
            VmPlanner.Home home = clusters.get(cluster);
            if (home == null) {
                lost.add("the role " + name + " on a cluster that is not kept");
                return null;
            }
            return new Grant(role, new Scope.OfCluster(new ClusterId(home.cluster())));
        }
        if (name.equals("ClusterAdmin")) {
            lost.add("the role ClusterAdmin on everything: grant it for each cluster");
            return null;
        }
        return Grant.everywhere(role);
    }
}
