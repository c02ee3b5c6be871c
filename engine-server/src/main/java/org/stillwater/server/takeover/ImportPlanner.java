package org.stillwater.server.takeover;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.User;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.server.takeover.OvirtReader.NotRead;
import tools.jackson.databind.JsonNode;

/**
 * Reads everything of an engine that this one can keep, and lists the rest as losses. Objects named
 * {@code Default} become the predefined ones of this engine. Used once, by one thread.
 */
public final class ImportPlanner {

    /** Followed in one request, so that a page of VMs is one request. */
    private static final String OF_VMS =
            "nics,disk_attachments.disk,graphics_consoles,watchdogs,cdroms,numa_nodes,tags";

    private static final String ROOT_TAG = "00000000-0000-0000-0000-000000000000";

    private final OvirtReader engine;
    private final Losses losses = new Losses();
    private final Map<String, DataCentreId> dataCentreIds = new HashMap<>();
    private final Map<String, VmPlanner.Home> homes = new HashMap<>();
    private final List<DataCentre> dataCentres = new ArrayList<>();
    private final List<Cluster> clusters = new ArrayList<>();
    private final List<HostDefinition> hosts = new ArrayList<>();
    private final Map<HostId, List<FenceAgent>> agents = new LinkedHashMap<>();
    private final Map<VmId, Definition> vms = new LinkedHashMap<>();
    private final Map<UUID, Set<VmId>> taggedVms = new TreeMap<>();
    private final Map<UUID, Set<HostId>> taggedHosts = new TreeMap<>();

    /** Names of all VMs, also of those that are not kept. */
    private final Map<VmId, String> names = new HashMap<>();

    /** VMs of pools, also those that are not kept. */
    private final Map<String, Set<VmId>> members = new HashMap<>();

    private ImportPlanner(OvirtReader engine) {
        this.engine = engine;
    }

    /**
     * Plans an import; changes nothing anywhere.
     *
     * @param now when users are added
     * @throws NotRead if the engine does not answer as expected
     */
    public static ImportPlan plan(OvirtReader engine, Instant now) throws NotRead {
        return new ImportPlanner(engine).plan(now);
    }

    private ImportPlan plan(Instant now) throws NotRead {
        JsonNode root = engine.get("");
        String product =
                (OvirtJson.text(root, "product_info", "name")
                                + " "
                                + OvirtJson.text(root, "product_info", "version", "full_version"))
                        .strip();
        if (OvirtJson.number(root, 4, "product_info", "version", "major") != 4) {
            throw new NotRead(product + " has another API than that of version 4");
        }
        readDataCentres();
        readClusters();
        readHosts();
        readVms();
        MembershipPlanner memberships =
                new MembershipPlanner(engine, homes, vms.keySet(), names, losses);
        List<AffinityGroup> groups = memberships.groups();
        List<VmPool> pools = memberships.pools(members);
        List<Tag> tags = readTags();
        List<User> users = new AccessPlanner(engine, homes, vms.keySet(), names, losses).plan(now);
        return new ImportPlan(
                product,
                dataCentres,
                clusters,
                hosts,
                agents,
                vms,
                groups,
                pools,
                tags,
                taggedVms,
                taggedHosts,
                users,
                losses.all());
    }

    private void readDataCentres() throws NotRead {
        for (JsonNode each : engine.all("/datacenters", "data_center")) {
            String name = OvirtJson.text(each, "name");
            UUID given = OvirtJson.uuid(each, "id");
            if (given == null) {
                losses.add("data centre", name, "its identity is no UUID");
                continue;
            }
            DataCentreId id =
                    name.equals(DataCentre.DEFAULT.name())
                            ? DataCentreId.DEFAULT
                            : new DataCentreId(given);
            kept(
                    "data centre",
                    name,
                    () -> {
                        dataCentres.add(
                                new DataCentre(id, name, OvirtJson.text(each, "description")));
                        dataCentreIds.put(OvirtJson.text(each, "id"), id);
                    });
        }
    }

    private void readClusters() throws NotRead {
        for (JsonNode each : engine.all("/clusters", "cluster")) {
            String name = OvirtJson.text(each, "name");
            String given = OvirtJson.text(each, "id");
            UUID uuid = OvirtJson.uuid(each, "id");
            if (uuid == null) {
                losses.add("cluster", name, "its identity is no UUID");
                continue;
            }
            ClusterId id =
                    name.equals(Cluster.DEFAULT.name()) ? ClusterId.DEFAULT : new ClusterId(uuid);
            String centre = OvirtJson.text(each, "data_center", "id");
            losses.addIf(
                    !dataCentreIds.containsKey(centre),
                    "cluster",
                    name,
                    "its data centre, which is missing: it belongs to Default");
            List<JsonNode> networks = engine.all("/clusters/" + given + "/networks", "network");
            kept(
                    "cluster",
                    name,
                    () -> {
                        clusters.add(
                                ClusterPlanner.plan(
                                        each,
                                        id,
                                        dataCentreIds.getOrDefault(centre, DataCentreId.DEFAULT),
                                        networks,
                                        losses));
                        homes.put(
                                given,
                                new VmPlanner.Home(
                                        id.value(), centre, OvirtJson.lower(each, "bios_type")));
                    });
        }
    }

    private void readHosts() throws NotRead {
        for (JsonNode each : engine.pages("/hosts", "host", "tags")) {
            String name = OvirtJson.text(each, "name");
            UUID uuid = OvirtJson.uuid(each, "id");
            VmPlanner.Home home = homes.get(OvirtJson.text(each, "cluster", "id"));
            if (uuid == null || home == null) {
                losses.add("host", name, "its identity or its cluster is missing");
                continue;
            }
            HostId id = new HostId(uuid);
            List<JsonNode> found = engine.all("/hosts/" + uuid + "/fenceagents", "agent");
            kept(
                    "host",
                    name,
                    () -> {
                        hosts.add(
                                new HostDefinition(
                                        id,
                                        name,
                                        OvirtJson.text(each, "address"),
                                        Math.toIntExact(
                                                OvirtJson.number(
                                                        each, HostDefinition.DEFAULT_PORT, "port")),
                                        new ClusterId(home.cluster()),
                                        new HostTraits(
                                                OvirtJson.flag(each, "power_management", "enabled"),
                                                OvirtJson.flag(
                                                        each,
                                                        "power_management",
                                                        "kdump_detection"),
                                                OvirtJson.lower(each, "spm", "status")
                                                        .equals("spm"),
                                                false,
                                                OvirtJson.text(each, "comment"))));
                        tagged(
                                each,
                                tag ->
                                        taggedHosts
                                                .computeIfAbsent(tag, _ -> new TreeSet<>())
                                                .add(id));
                        List<FenceAgent> ours = fenceAgents(name, found);
                        if (!ours.isEmpty()) {
                            agents.put(id, ours);
                        }
                    });
        }
    }

    private List<FenceAgent> fenceAgents(String host, List<JsonNode> found) {
        List<JsonNode> ordered = new ArrayList<>(found);
        ordered.sort(
                java.util.Comparator.comparingLong(each -> OvirtJson.number(each, 0, "order")));
        List<FenceAgent> ours = new ArrayList<>();
        for (JsonNode each : ordered) {
            String type = OvirtJson.text(each, "type");
            String address = OvirtJson.text(each, "address");
            kept(
                    "fence agent of host",
                    host + ", " + (type + " at " + address).strip(),
                    () -> {
                        FenceAgentPlanner.requireAnOrderOfItsOwn(each, found);
                        ours.add(FenceAgentPlanner.plan(each));
                        losses.add(
                                "host",
                                host,
                                "the password of its fence agent "
                                        + type
                                        + " at "
                                        + address
                                        + ", which no engine reveals: set it here");
                    });
            losses.addIf(
                    OvirtJson.flag(each, "encrypt_options"),
                    "host",
                    host,
                    "the encrypted options of its fence agent " + type + " at " + address);
        }
        return ours;
    }

    private void readVms() throws NotRead {
        Map<String, String> networkNames = new HashMap<>();
        for (JsonNode each : engine.all("/networks", "network")) {
            networkNames.put(OvirtJson.text(each, "id"), OvirtJson.text(each, "name"));
        }
        Map<String, String> networks = new HashMap<>();
        for (JsonNode each : engine.all("/vnicprofiles", "vnic_profile")) {
            String network = networkNames.get(OvirtJson.text(each, "network", "id"));
            if (network != null) {
                networks.put(OvirtJson.text(each, "id"), network);
            }
        }
        Map<String, String> storage = new HashMap<>();
        for (JsonNode each : engine.all("/storagedomains", "storage_domain")) {
            storage.put(OvirtJson.text(each, "id"), OvirtJson.lower(each, "storage", "type"));
        }
        ClaimPlanner claims = new ClaimPlanner(clusters, losses);
        VmPlanner planner =
                new VmPlanner(new VmPlanner.ReferencedObjects(homes, networks, storage), losses);
        for (JsonNode each : engine.pages("/vms", "vm", OF_VMS)) {
            UUID uuid = OvirtJson.uuid(each, "id");
            if (uuid == null) {
                losses.add("VM", OvirtJson.text(each, "name"), "its identity is no UUID");
                continue;
            }
            VmId id = VmId.of(uuid);
            names.put(id, OvirtJson.text(each, "name"));
            String pool = OvirtJson.text(each, "vm_pool", "id");
            if (!pool.isEmpty()) {
                members.computeIfAbsent(pool, _ -> new TreeSet<>()).add(id);
            }
            Definition definition = planner.plan(each);
            if (definition == null || !claims.add(definition)) {
                continue;
            }
            vms.put(id, definition);
            tagged(each, tag -> taggedVms.computeIfAbsent(tag, _ -> new TreeSet<>()).add(id));
        }
    }

    /** Each after the one above it: the root is in every engine. */
    private List<Tag> readTags() throws NotRead {
        Map<String, List<JsonNode>> below = new HashMap<>();
        for (JsonNode each : engine.all("/tags", "tag")) {
            String parent = OvirtJson.text(each, "parent", "id");
            below.computeIfAbsent(parent.isEmpty() ? ROOT_TAG : parent, _ -> new ArrayList<>())
                    .add(each);
        }
        List<Tag> tags = new ArrayList<>();
        collect(ROOT_TAG, null, below, tags);
        for (List<JsonNode> unreached : below.values()) {
            for (JsonNode each : unreached) {
                losses.add("tag", OvirtJson.text(each, "name"), "the tag above it is missing");
            }
        }
        Set<UUID> kept = new TreeSet<>();
        tags.forEach(each -> kept.add(each.id()));
        taggedVms.keySet().retainAll(kept);
        taggedHosts.keySet().retainAll(kept);
        return tags;
    }

    private static void collect(
            String parent,
            @Nullable UUID above,
            Map<String, List<JsonNode>> below,
            List<Tag> tags) {
        List<JsonNode> children = below.remove(parent); // once: a circle ends
        if (children == null) {
            return;
        }
        for (JsonNode each : children) {
            UUID id = OvirtJson.uuid(each, "id");
            if (id == null || OvirtJson.text(each, "id").equals(ROOT_TAG)) {
                continue;
            }
            tags.add(
                    new Tag(
                            id,
                            OvirtJson.text(each, "name"),
                            OvirtJson.text(each, "description"),
                            above));
            collect(OvirtJson.text(each, "id"), id, below, tags);
        }
    }

    private static void tagged(JsonNode of, java.util.function.Consumer<UUID> receiver) {
        for (JsonNode each : OvirtJson.list(of, "tags", "tag")) {
            UUID tag = OvirtJson.uuid(each, "id");
            if (tag != null && !tag.toString().equals(ROOT_TAG)) {
                receiver.accept(tag);
            }
        }
    }

    private void kept(String kind, String name, Runnable adding) {
        losses.unless(kind, name, adding);
    }
}
