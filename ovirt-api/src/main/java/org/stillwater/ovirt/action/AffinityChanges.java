package org.stillwater.ovirt.action;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.definition.Definitions;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.vm.VmView;

/**
 * Affinity groups of clusters and their VMs: {@code /clusters/{id}/affinitygroups}. Groups bind VMs
 * to each other, not to hosts.
 */
final class AffinityChanges {

    private static final String NO_HOSTS = "the engine binds VMs to each other, not to hosts";

    /** The elements of a group. */
    static final BodyRules RULES =
            BodyRules.of("affinity group", "affinity_group", "edit Affinity Group")
                    .kept(
                            List.of(
                                    "name",
                                    "description",
                                    "positive",
                                    "enforcing",
                                    "vms_rule/positive",
                                    "vms_rule/enforcing",
                                    "vms/vm/id",
                                    "vms/vm/name"))
                    .ignored("vms/vm", "a VM is named by its id or name")
                    .fixed("vms_rule/enabled", "true", "a group without a rule has no use")
                    .fixed("hosts_rule/enabled", "false", NO_HOSTS)
                    .unsupported(List.of("hosts", "host_labels"), NO_HOSTS)
                    .unsupported("vm_labels", "the engine keeps no labels")
                    .fixed("priority", List.of("1", "1.0"), "every group counts the same")
                    .ignored("comment", "a group has a description; oVirt ignores its comment too")
                    .ignored("hosts_rule/positive", "without hosts_rule/enabled it has no effect")
                    .ignored("hosts_rule/enforcing", "without hosts_rule/enabled it is none")
                    .ignored(List.of("id", "cluster"), "the path names it")
                    .ignored("broken", "only read")
                    .table();

    /** The elements of a VM that becomes a member. */
    static final BodyRules MEMBER =
            BodyRules.of("VM of an affinity group", "vm", "edit Affinity Group")
                    .kept(List.of("id", "name"))
                    .table();

    private static final String ADD = "add Affinity Group";
    private static final String EDIT = "edit Affinity Group";
    private static final int LONGEST_NAME = 255;

    private final Access access;
    private final Definitions definitions;
    private final int mostMembers;

    /**
     * Changes of groups.
     *
     * @param mostMembers VMs that a group may have
     */
    AffinityChanges(Access access, Definitions definitions, int mostMembers) {
        this.access = access;
        this.definitions = definitions;
        this.mostMembers = mostMembers;
    }

    synchronized Outcome add(Change change) {
        ClusterId cluster = cluster(change);
        Body body = RULES.read(change.body(), ADD);
        if (body.text("name") == null) {
            throw Refused.incomplete("AffinityGroup [name] is required for add.");
        }
        UUID id = UUID.randomUUID();
        save(
                defined(
                        change,
                        body,
                        new AffinityGroup(id, "new", cluster, true, false, Set.of()),
                        ADD),
                ADD);
        return shown(201, cluster, id);
    }

    synchronized Outcome update(Change change) {
        AffinityGroup group = known(change);
        Body body = RULES.read(change, EDIT);
        save(defined(change, body, group, EDIT), EDIT);
        return shown(200, group.cluster(), group.id());
    }

    synchronized Outcome remove(Change change) {
        AffinityGroup group = known(change);
        try {
            if (!definitions.removeGroup(group.id())) {
                throw Refused.notFound("AffinityGroup", change.at(3));
            }
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
        return Operations.removed(change, null);
    }

    synchronized Outcome addVm(Change change) {
        AffinityGroup group = known(change);
        Body body = MEMBER.read(change.body());
        VmId vm = member(change, body, group.cluster(), EDIT);
        Set<VmId> members = new HashSet<>(group.members());
        members.add(vm);
        if (members.size() > mostMembers) {
            throw Refused.conflict(
                    "Cannot edit Affinity Group: a group has at most %d VMs."
                            .formatted(mostMembers));
        }
        save(group.withMembers(members), EDIT);
        return Outcome.showing(200, "vms/" + vm);
    }

    synchronized Outcome removeVm(Change change) {
        AffinityGroup group = known(change);
        Set<VmId> members = new HashSet<>(group.members());
        UUID id = Access.uuid(change.at(5));
        if (id == null || !members.remove(VmId.of(id))) {
            throw Refused.notFound("VM", change.at(5));
        }
        save(group.withMembers(members), EDIT);
        return Operations.removed(change, null);
    }

    Outcome refuseHost(Change change) {
        AffinityGroup _ = known(change);
        throw Refused.unsupported("Cannot edit Affinity Group: " + NO_HOSTS + ".");
    }

    private static Outcome shown(int status, ClusterId cluster, UUID id) {
        return Outcome.showing(status, "clusters/%s/affinitygroups/%s".formatted(cluster, id));
    }

    private ClusterId cluster(Change change) {
        String id = change.at(1);
        UUID uuid = Access.uuid(id);
        Cluster cluster = uuid == null ? null : access.fleet().cluster(new ClusterId(uuid));
        if (cluster == null || !change.caller().has(Role.READER, cluster.id())) {
            throw Refused.notFound("Cluster", id);
        }
        if (!change.caller().has(Role.ADMINISTRATOR, cluster.id())) {
            throw Refused.forbidden();
        }
        return cluster.id();
    }

    private AffinityGroup known(Change change) {
        ClusterId cluster = cluster(change);
        String id = change.at(3);
        return definitions.groups().stream()
                .filter(group -> group.cluster().equals(cluster))
                .filter(group -> group.id().toString().equalsIgnoreCase(id))
                .findFirst()
                .orElseThrow(() -> Refused.notFound("AffinityGroup", id));
    }

    private AffinityGroup defined(Change change, Body body, AffinityGroup before, String verb) {
        String name = body.name("an affinity group", before.name());
        if (name != null && name.length() > LONGEST_NAME) {
            throw Refused.invalid("name has at most %d characters".formatted(LONGEST_NAME));
        }
        String description = body.raw("description");
        if (description != null && description.length() > AffinityGroup.LONGEST_DESCRIPTION) {
            throw Refused.invalid(
                    "description has at most %d characters"
                            .formatted(AffinityGroup.LONGEST_DESCRIPTION));
        }
        return new AffinityGroup(
                before.id(),
                name == null ? before.name() : name,
                description == null ? before.description() : description,
                before.cluster(),
                rule(body, "positive", before.positive()),
                rule(body, "enforcing", before.enforcing()),
                body.has("vms") ? members(change, body, before.cluster(), verb) : before.members());
    }

    /**
     * The rule for VMs, or the group's own element of older versions. The rule wins: oVirt's Go
     * client sends both, with {@code enforcing} of the group always false.
     */
    private static boolean rule(Body body, String member, boolean before) {
        Boolean own = body.flag(member);
        Boolean ofRule = body.flag("vms_rule", member);
        return ofRule != null ? ofRule : own != null ? own : before;
    }

    private Set<VmId> members(Change change, Body body, ClusterId cluster, String verb) {
        List<Body> vms = body.items("vms", "vm");
        if (vms.size() > mostMembers) {
            throw Refused.invalid("vms names at most %d VMs".formatted(mostMembers));
        }
        Set<VmId> members = new HashSet<>();
        vms.forEach(vm -> members.add(member(change, vm, cluster, verb)));
        return members;
    }

    private VmId member(Change change, Body vm, ClusterId cluster, String verb) {
        String id = vm.text("id");
        String name = vm.text("name");
        if (id == null && name == null) {
            throw Refused.incomplete("Vm [id|name] is required for add.");
        }
        VmView found = id == null ? named(change, name + "", cluster) : access.seen(change, id);
        if (!found.definition().cluster().equals(cluster)) {
            throw Refused.conflict(
                    "Cannot %s: %s is a VM of another cluster."
                            .formatted(verb, found.definition().name()));
        }
        return found.id();
    }

    private VmView named(Change change, String name, ClusterId cluster) {
        @Nullable VmView found =
                access.fleet()
                        .vms()
                        .filter(vm ->
                                vm.definition().name().equals(name)
                                        && vm.definition().cluster().equals(cluster))
                        .findFirst()
                        .orElse(null);
        if (found == null) {
            throw Refused.notFound("VM", name);
        }
        return access.seen(change, found.id().toString());
    }

    private void save(AffinityGroup group, String verb) {
        try {
            switch (definitions.save(group)) {
                case SAVED -> {}
                case TAKEN ->
                        throw Refused.conflict(
                                "Cannot %s: there is already an affinity group %s in the cluster."
                                        .formatted(verb, group.name()));
                case UNKNOWN -> throw Refused.notFound("Cluster", group.cluster().toString());
            }
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }
}
