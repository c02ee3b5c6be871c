package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.server.takeover.OvirtReader.NotRead;
import tools.jackson.databind.JsonNode;

/**
 * Converts affinity groups and pools, with those of their VMs that are kept; the others are losses
 * of the group or the pool, too. Used by one thread.
 */
final class MembershipPlanner {

    private static final String GROUP = "affinity group";
    private static final String POOL = "pool";

    private final OvirtReader engine;
    private final Map<String, VmPlanner.Home> homes;
    private final Set<VmId> vms;
    private final Map<VmId, String> names;
    private final Losses losses;

    /**
     * A planner.
     *
     * @param homes our cluster for the id of one of theirs
     * @param vms VMs that are kept
     * @param names names of all VMs of the other engine
     */
    MembershipPlanner(
            OvirtReader engine,
            Map<String, VmPlanner.Home> homes,
            Set<VmId> vms,
            Map<VmId, String> names,
            Losses losses) {
        this.engine = engine;
        this.homes = homes;
        this.vms = vms;
        this.names = names;
        this.losses = losses;
    }

    List<AffinityGroup> groups() throws NotRead {
        List<AffinityGroup> groups = new ArrayList<>();
        for (Map.Entry<String, VmPlanner.Home> cluster : homes.entrySet()) {
            ClusterId id = new ClusterId(cluster.getValue().cluster());
            for (JsonNode each :
                    engine.all(
                            "/clusters/" + cluster.getKey() + "/affinitygroups",
                            "affinity_group")) {
                add(each, id, groups);
            }
        }
        return groups;
    }

    private void add(JsonNode group, ClusterId cluster, List<AffinityGroup> groups) {
        String name = OvirtJson.text(group, "name");
        losses.addIf(
                !OvirtJson.list(group, "hosts", "host").isEmpty()
                        || !OvirtJson.list(group, "host_labels", "affinity_label").isEmpty()
                        || !OvirtJson.list(group, "vm_labels", "affinity_label").isEmpty(),
                GROUP,
                name,
                "its hosts and labels");
        UUID id = OvirtJson.uuid(group, "id");
        boolean rules = OvirtJson.has(group, "vms_rule", "enabled");
        if (id == null || (rules && !OvirtJson.flag(group, "vms_rule", "enabled"))) {
            losses.add(GROUP, name, "its rule does not bind VMs");
            return;
        }
        Set<VmId> given = new TreeSet<>();
        for (JsonNode vm : OvirtJson.list(group, "vms", "vm")) {
            UUID member = OvirtJson.uuid(vm, "id");
            if (member != null) {
                given.add(VmId.of(member));
            }
        }
        Set<VmId> bound = kept(GROUP, name, given);
        losses.unless(
                GROUP,
                name,
                () ->
                        groups.add(
                                new AffinityGroup(
                                        id,
                                        name,
                                        OvirtJson.text(group, "description"),
                                        cluster,
                                        rules
                                                ? OvirtJson.flag(group, "vms_rule", "positive")
                                                : OvirtJson.flag(group, "positive"),
                                        rules
                                                ? OvirtJson.flag(group, "vms_rule", "enforcing")
                                                : OvirtJson.flag(group, "enforcing"),
                                        bound)));
    }

    /**
     * The pools.
     *
     * @param members VMs of each pool, by the pool's id
     */
    List<VmPool> pools(Map<String, Set<VmId>> members) throws NotRead {
        List<VmPool> pools = new ArrayList<>();
        for (JsonNode each : engine.all("/vmpools", "vm_pool")) {
            String name = OvirtJson.text(each, "name");
            UUID id = OvirtJson.uuid(each, "id");
            VmPlanner.Home home = homes.get(OvirtJson.text(each, "cluster", "id"));
            if (id == null || home == null) {
                losses.add(POOL, name, "its identity or its cluster is missing");
                continue;
            }
            losses.add(POOL, name, "which user has which of its VMs, and its template");
            SortedMap<VmId, @Nullable String> of = new TreeMap<>();
            kept(POOL, name, members.getOrDefault(OvirtJson.text(each, "id"), Set.of()))
                    .forEach(vm -> of.put(vm, null));
            losses.unless(
                    POOL, name, () -> pools.add(pool(each, id, new ClusterId(home.cluster()), of)));
        }
        return pools;
    }

    private static VmPool pool(
            JsonNode pool, UUID id, ClusterId cluster, SortedMap<VmId, @Nullable String> members) {
        int size =
                Math.toIntExact(
                        Math.max(members.size(), OvirtJson.number(pool, members.size(), "size")));
        return new VmPool(
                        id,
                        OvirtJson.text(pool, "name"),
                        OvirtJson.text(pool, "description"),
                        cluster,
                        OvirtJson.flag(pool, "stateful"),
                        size,
                        Math.toIntExact(
                                Math.min(size, OvirtJson.number(pool, 0, "prestarted_vms"))),
                        Math.toIntExact(Math.max(1, OvirtJson.number(pool, 1, "max_user_vms"))),
                        null,
                        new TreeMap<>())
                .with(members);
    }

    /** Those that are kept; the others are noted by name. */
    private Set<VmId> kept(String kind, String name, Set<VmId> given) {
        Set<VmId> kept = new TreeSet<>();
        for (VmId each : given) {
            if (vms.contains(each)) {
                kept.add(each);
            } else {
                losses.add(
                        kind,
                        name,
                        "its VM "
                                + names.getOrDefault(each, each.toString())
                                + ", which is not kept");
            }
        }
        return kept;
    }
}
