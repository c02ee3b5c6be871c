package org.stillwater.server.api.cluster;

import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.command.definition.Definitions;
import org.stillwater.core.access.Caller;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.rows.ClusterReference;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.settings.ClusterSettings;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import tools.jackson.databind.JsonNode;

/** Which VMs belong on one host, or on different ones: {@code /api/v1/affinity-groups}. */
@IfCommandsAreEnabled
@RestController
@RequestMapping("/api/v1/affinity-groups")
class AffinityGroupController {

    private static final int LONGEST_NAME = 255;

    private final FleetReader fleet;
    private final Definitions definitions;

    private final CallerScope scope;
    private final int mostMembers;

    AffinityGroupController(
            FleetReader fleet,
            Definitions definitions,
            CallerScope scope,
            ClusterSettings settings) {
        this.scope = scope;
        this.fleet = fleet;
        this.definitions = definitions;
        this.mostMembers = settings.mostGroupMembers();
    }

    /**
     * A group as answers show it.
     *
     * @param description free text, perhaps empty
     * @param cluster the cluster's id
     * @param positive whether its VMs belong together, rather than apart
     * @param enforcing whether a VM rather runs nowhere than against it
     */
    record Group(
            String id,
            String name,
            String description,
            String cluster,
            boolean positive,
            boolean enforcing,
            List<String> vms) {

        static Group of(AffinityGroup group) {
            return new Group(
                    group.id().toString(),
                    group.name(),
                    group.description(),
                    group.cluster().toString(),
                    group.positive(),
                    group.enforcing(),
                    group.members().stream().map(VmId::toString).sorted().toList());
        }
    }

    /** A list with its size. */
    record Groups(List<Group> items, int total) {}

    @GetMapping
    Groups list() {
        Caller caller = scope.caller();
        List<Group> all =
                definitions.groups().stream()
                        .filter(group -> scope.sees(group.cluster(), caller))
                        .map(Group::of)
                        .sorted(Comparator.comparing(Group::name).thenComparing(Group::id))
                        .toList();
        return new Groups(all, all.size());
    }

    @GetMapping("/{id}")
    Group one(@PathVariable String id) {
        return Group.of(known(id));
    }

    @PostMapping
    ResponseEntity<Group> add(@RequestBody JsonNode body) {
        AffinityGroup group = save(read(UUID.randomUUID(), body));
        return ResponseEntity.created(URI.create("/api/v1/affinity-groups/" + group.id()))
                .body(Group.of(group));
    }

    /** Replaces all of it. */
    @PutMapping("/{id}")
    Group change(@PathVariable String id, @RequestBody JsonNode body) {
        return Group.of(save(read(known(id).id(), body)));
    }

    @DeleteMapping("/{id}")
    ResponseEntity<Void> remove(@PathVariable String id) {
        try {
            if (!definitions.removeGroup(known(id).id())) {
                throw unknown(id);
            }
        } catch (StoreUnavailable e) {
            throw unavailable("removed", e);
        }
        return ResponseEntity.noContent().build();
    }

    private AffinityGroup save(AffinityGroup group) {
        try {
            return switch (definitions.save(group)) {
                case SAVED -> group;
                case TAKEN ->
                        throw ApiException.conflict(
                                "There is already an affinity group "
                                        + group.name()
                                        + " in the cluster.");
                case UNKNOWN -> throw ApiException.badRequest("The cluster is not there any more.");
            };
        } catch (StoreUnavailable e) {
            throw unavailable("saved", e);
        }
    }

    private AffinityGroup read(UUID id, JsonNode body) {
        JsonObjectReader group = JsonObjectReader.of(body);
        UUID given = group.uuid("id");
        if (given != null && !given.equals(id)) {
            throw ApiException.badRequest("id is that of another affinity group");
        }
        String name = group.requiredName("name");
        if (name.length() > LONGEST_NAME) {
            throw ApiException.badRequest("name has at most " + LONGEST_NAME + " characters");
        }
        String description = group.text("description", "", AffinityGroup.LONGEST_DESCRIPTION);
        ClusterId cluster = ClusterReference.of(fleet, group.text("cluster"));
        boolean positive = group.flag("positive", true);
        boolean enforcing = group.flag("enforcing", false);
        Set<VmId> members = members(group.texts("vms"), cluster);
        group.end();
        return new AffinityGroup(id, name, description, cluster, positive, enforcing, members);
    }

    private Set<VmId> members(List<String> texts, ClusterId cluster) {
        if (texts.size() > mostMembers) {
            throw ApiException.badRequest("vms names at most " + mostMembers + " VMs");
        }
        Set<VmId> members = new TreeSet<>();
        for (VmId id : scope.distinctVms(texts)) {
            var vm = fleet.vm(id);
            if (vm == null) {
                throw ApiException.badRequest("vms: there is no VM " + id);
            }
            if (!vm.definition().cluster().equals(cluster)) {
                throw ApiException.badRequest(
                        "vms: %s is a VM of another cluster".formatted(vm.definition().name()));
            }
            members.add(id);
        }
        return members;
    }

    private AffinityGroup known(String text) {
        Caller caller = scope.caller();
        List<AffinityGroup> seen =
                definitions.groups().stream()
                        .filter(group -> scope.sees(group.cluster(), caller))
                        .toList();
        return Ids.one("affinity group", text, seen, AffinityGroup::id, AffinityGroup::name);
    }

    private static ApiException unknown(String id) {
        return ApiException.notFound("There is no affinity group " + Ids.shortened(id) + ".");
    }

    private static ApiException unavailable(String what, StoreUnavailable e) {
        return ApiException.unavailable(
                "The affinity group was not %s, because the database does not answer: %s"
                        .formatted(what, e.getMessage()));
    }
}
