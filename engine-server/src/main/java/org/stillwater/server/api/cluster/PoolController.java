package org.stillwater.server.api.cluster;

import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.access.Caller;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.operation.Commands;
import org.stillwater.server.api.rows.ClusterReference;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import tools.jackson.databind.JsonNode;

/** VMs that are alike, of which users get one each: {@code /api/v1/pools}. */
@RestController
@IfCommandsAreEnabled
@RequestMapping("/api/v1/pools")
class PoolController {

    private static final int LONGEST_USER = 255;

    private final FleetReader fleet;
    private final PoolKeeper pools;

    private final CallerScope scope;

    PoolController(FleetReader fleet, PoolKeeper pools, CallerScope scope) {
        this.scope = scope;
        this.fleet = fleet;
        this.pools = pools;
    }

    /**
     * A VM of a pool.
     *
     * @param user its user, null for none
     */
    record Member(
            String id, @Nullable String name, @Nullable String status, @Nullable String user) {}

    /**
     * A pool as answers show it.
     *
     * @param cluster the cluster's id
     * @param stateful whether a VM runs on when its user gives it back
     * @param disksReset whether a VM's disks are as new for its next user: never, because storage
     *     is not managed; the VM's definition decides whether disks discard their changes
     * @param prestarted how many free VMs are to be up
     */
    record Pool(
            String id,
            String name,
            String description,
            String cluster,
            boolean stateful,
            boolean disksReset,
            int size,
            int prestarted,
            int mostPerUser,
            List<Member> vms) {}

    /** A list with its size. */
    record Pools(List<Pool> items, int total) {}

    @GetMapping
    Pools list() {
        Caller caller = scope.caller();
        List<Pool> all =
                pools.pools().stream()
                        .filter(pool -> scope.sees(pool.cluster(), caller))
                        .sorted(Comparator.comparing(VmPool::name))
                        .map(this::shown)
                        .toList();
        return new Pools(all, all.size());
    }

    @GetMapping("/{id}")
    Pool one(@PathVariable String id) {
        return shown(known(id));
    }

    @PostMapping
    ResponseEntity<Pool> add(@RequestBody JsonNode body) {
        VmPool pool = save(UUID.randomUUID(), body);
        return ResponseEntity.created(URI.create("/api/v1/pools/" + pool.id())).body(shown(pool));
    }

    /** Replaces all of it but its VMs, unless they are named too. */
    @PutMapping("/{id}")
    Pool change(@PathVariable String id, @RequestBody JsonNode body) {
        return shown(save(known(id).id(), body));
    }

    @DeleteMapping("/{id}")
    ResponseEntity<Void> remove(@PathVariable String id) {
        VmPool pool = known(id);
        try {
            boolean _ = pools.remove(pool.id());
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
        return ResponseEntity.noContent().build();
    }

    /** Gives a user a VM; it is started if none is up. */
    @PostMapping("/{id}/allocate")
    Member allocate(
            @PathVariable String id,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody JsonNode body) {
        VmPool pool = known(id);
        scope.act(pool.cluster());
        JsonObjectReader asked = JsonObjectReader.of(body);
        String user = asked.requiredText("user");
        asked.end();
        if (user.isBlank() || user.length() > LONGEST_USER) {
            throw ApiException.badRequest("user has 1 to " + LONGEST_USER + " characters");
        }
        try {
            return switch (pools.assign(pool.id(), user, Commands.origin(correlation))) {
                case PoolKeeper.Assignment.Given(VmId vm) -> member(vm, user);
                case PoolKeeper.Assignment.Refused(String reason) ->
                        throw ApiException.conflict("The pool allocated no VM: " + reason);
            };
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
    }

    /** Takes a VM back from its user. */
    @PostMapping("/{id}/vms/{vm}/release")
    Member release(
            @PathVariable String id,
            @PathVariable String vm,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation) {
        VmPool pool = known(id);
        scope.act(pool.cluster());
        VmId released = scope.vm(vm);
        if (!pool.members().containsKey(released)) {
            throw ApiException.notFound("The pool has no VM " + Ids.shortened(vm) + ".");
        }
        try {
            if (!pools.release(released, Commands.origin(correlation))) {
                throw ApiException.conflict("No user has the VM.");
            }
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
        return member(released, null);
    }

    private VmPool save(UUID id, JsonNode body) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        VmPool before = pools.pool(id);
        VmPool wanted;
        try {
            wanted =
                    new VmPool(
                            id,
                            asked.requiredName("name"),
                            asked.text("description", ""),
                            ClusterReference.of(fleet, asked.text("cluster")),
                            asked.flag("stateful", false),
                            asked.number("size", 0, 0, 100_000),
                            asked.number("prestarted", 0, 0, 100_000),
                            asked.number("mostPerUser", 1, 1, 100_000),
                            before == null ? null : before.template(),
                            new TreeMap<>());
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
        boolean names = asked.has("vms");
        List<String> named = asked.texts("vms");
        asked.end();
        List<VmId> members = members(named, wanted);
        if (!names && before != null && before.members().size() > wanted.size()) {
            throw ApiException.conflict(
                    "The pool has %d VMs: a smaller one names those that it keeps in vms."
                            .formatted(before.members().size()));
        }
        try {
            switch (pools.save(wanted, names ? members : null)) {
                case SAVED -> {}
                case TAKEN ->
                        throw ApiException.conflict("There is already a pool " + wanted.name());
                case UNKNOWN -> throw ApiException.badRequest("The cluster is not there any more.");
            }
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
        VmPool saved = pools.pool(id);
        return saved == null ? wanted : saved;
    }

    private List<VmId> members(List<String> texts, VmPool pool) {
        if (texts.size() > pool.size()) {
            throw ApiException.badRequest(
                    "vms names %d VMs, but the pool's size is %d"
                            .formatted(texts.size(), pool.size()));
        }
        List<VmId> members = new ArrayList<>(texts.size());
        for (VmId id : scope.distinctVms(texts)) {
            VmView vm = fleet.vm(id);
            if (vm == null) {
                throw ApiException.badRequest("vms: there is no VM " + id);
            }
            if (!vm.definition().cluster().equals(pool.cluster())) {
                throw ApiException.badRequest(
                        "vms: %s is a VM of another cluster".formatted(vm.definition().name()));
            }
            VmPool other = pools.poolOf(id);
            if (other != null && !other.id().equals(pool.id())) {
                throw ApiException.conflict(
                        "vms: %s is in the pool %s"
                                .formatted(vm.definition().name(), other.name()));
            }
            members.add(id);
        }
        return members;
    }

    private VmPool known(String text) {
        Caller caller = scope.caller();
        List<VmPool> seen =
                pools.pools().stream().filter(pool -> scope.sees(pool.cluster(), caller)).toList();
        return Ids.one("pool", text, seen, VmPool::id, VmPool::name);
    }

    private Pool shown(VmPool pool) {
        List<Member> members = new ArrayList<>(pool.members().size());
        for (Map.Entry<VmId, @Nullable String> member : pool.members().entrySet()) {
            members.add(member(member.getKey(), member.getValue()));
        }
        return new Pool(
                pool.id().toString(),
                pool.name(),
                pool.description(),
                pool.cluster().toString(),
                pool.stateful(),
                false,
                pool.size(),
                pool.prestarted(),
                pool.mostPerUser(),
                members);
    }

    private Member member(VmId id, @Nullable String user) {
        VmView vm = fleet.vm(id);
        return new Member(
                id.toString(),
                vm == null ? null : vm.definition().name(),
                vm == null ? null : Json.word(vm.state().runtime().status()),
                user);
    }

    private static ApiException unavailable(StoreUnavailable e) {
        return ApiException.unavailable(
                "Nothing was changed, because the database does not answer: " + e.getMessage());
    }
}
