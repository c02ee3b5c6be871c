package org.stillwater.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.access.User;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryPoolStore;
import org.stillwater.testkit.memory.InMemoryTagStore;
import org.stillwater.testkit.memory.InMemoryUserStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** An import that is repeated after administrators completed the first one. */
class ImportWriterTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    private static final ClusterId EAST = new ClusterId(new UUID(2, 1));
    private static final UUID DESKS = new UUID(3, 1);
    private static final UUID ANN = new UUID(4, 1);

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryClusterStore clusters = new InMemoryClusterStore();
    private final InMemoryPoolStore pools = new InMemoryPoolStore(vms);
    private final InMemoryUserStore users = new InMemoryUserStore();

    private List<String> imported(String description, Set<Grant> grants) throws Exception {
        DataCentre centre = new DataCentre(new DataCentreId(new UUID(1, 1)), "east", "");
        return new ImportWriter(
                        clusters,
                        new InMemoryHostStore(vms),
                        new InMemoryDefinitionStore(vms),
                        new ReferenceWriter(pools, new InMemoryTagStore(), users))
                        .write(
                                new ImportPlan(
                                        "an engine",
                                        List.of(centre),
                                        List.of(
                                                new Cluster(
                                                        EAST,
                                                        centre.id(),
                                                        "cl-east",
                                                        description,
                                                        HostRequirements.NONE,
                                                        MigrateOnError.ALL,
                                                        FencingPolicy.DEFAULT,
                                                        MemoryThresholds.DEFAULT)),
                                        List.of(),
                                        Map.of(),
                                        Map.of(),
                                        List.of(),
                                        List.of(
                                                new VmPool(
                                                        DESKS,
                                                        "desks",
                                                        description,
                                                        EAST,
                                                        false,
                                                        3,
                                                        0,
                                                        1,
                                                        null,
                                                        new TreeMap<>())),
                                        List.of(),
                                        Map.of(),
                                        Map.of(),
                                        List.of(
                                                new User(
                                                        ANN,
                                                        "ann@internal",
                                                        null,
                                                        true,
                                                        grants,
                                                        NOW)),
                                        List.of()))
                        .stream()
                        .map(Loss::toString)
                        .toList();
    }

    private User ann() throws Exception {
        return users.users().stream()
                .filter(each -> each.id().equals(ANN))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("a repeated import keeps passwords, roles, CPU types and templates set here")
    void keepsValuesSetInTheEngine() throws Exception {
        Set<Grant> reader = Set.of(Grant.everywhere(Role.READER));
        User first =
                new User(
                        new UUID(4, 9),
                        "admin@internal",
                        "a hash",
                        true,
                        Set.of(Grant.everywhere(Role.ADMINISTRATOR)),
                        NOW);
        assertThat(users.save(first)).isEqualTo(Saved.SAVED);
        assertThat(imported("first", reader)).isEmpty();
        assertThat(imported("first", reader)).as("once more").isEmpty();

        User changed =
                ann().withPasswordHash("another hash")
                        .with(false, Set.of(Grant.everywhere(Role.OPERATOR)));
        assertThat(users.save(changed)).isEqualTo(Saved.SAVED);
        Cluster cluster =
                clusters.loadClusters().stream()
                        .filter(each -> each.id().equals(EAST))
                        .findFirst()
                        .orElseThrow();
        CpuType type = new CpuType("Cascadelake", Set.of("avx512f"), null, null);
        MemoryThresholds thresholds = new MemoryThresholds(512, 90);
        Cluster completed =
                new Cluster(
                        EAST,
                        cluster.dataCentre(),
                        cluster.name(),
                        cluster.description(),
                        new HostRequirements(
                                null,
                                type,
                                null,
                                List.of("pc-q35"),
                                "pc-q35",
                                Set.of(),
                                Set.of(),
                                null,
                                true,
                                false,
                                List.of()),
                        cluster.migrateOnError(),
                        cluster.fencing(),
                        thresholds);
        assertThat(clusters.update(completed)).isEqualTo(Saved.SAVED);
        assertThat(pools.save(pools.load().getFirst().withTemplate("{}"))).isEqualTo(Saved.SAVED);

        assertThat(imported("second", reader))
                .containsExactly(
                        "user ann@internal: it is here already, with other roles, and keeps these");
        assertThat(ann()).isEqualTo(changed);
        Cluster kept =
                clusters.loadClusters().stream()
                        .filter(each -> each.id().equals(EAST))
                        .findFirst()
                        .orElseThrow();
        assertThat(kept.description()).isEqualTo("second");
        assertThat(kept.requirements()).isEqualTo(completed.requirements());
        assertThat(kept.memory()).isEqualTo(thresholds);
        VmPool pool = pools.load().getFirst();
        assertThat(pool.description()).isEqualTo("second");
        assertThat(pool.template()).isEqualTo("{}");
    }

    @Test
    @DisplayName("a VM that the database refuses is named, and groups, pools and users remain")
    void refusedVm() throws Exception {
        ImportPlan plan = ImportPlanner.plan(ImportPlannerTest.engine(), NOW);
        InMemoryDefinitionStore definitions = new InMemoryDefinitionStore(vms);
        Definition vm = plan.vms().values().iterator().next();
        assertThat(definitions.add(VmId.of(new UUID(5, 1)), vm)).isTrue();
        users.there(new Scope.OfCluster(plan.clusters().getFirst().id()));
        assertThat(users.save(new User(ANN, "admin@internal", "a hash", true, Set.of(), NOW)))
                .isEqualTo(Saved.SAVED);
        List<Loss> refused =
                new ImportWriter(
                                clusters,
                                new InMemoryHostStore(vms),
                                definitions,
                                new ReferenceWriter(pools, new InMemoryTagStore(), users))
                        .write(plan);
        assertThat(refused)
                .extracting(Loss::toString)
                .contains(
                        "affinity group apart: its VM web-01, which is not kept",
                        "pool desks: its VM web-01, which is not kept",
                        "user ann@internal: a role on the VM web-01, which is not kept")
                .anyMatch(each -> each.startsWith("VM web-01: the interface "))
                .noneMatch(each -> each.startsWith("tag of VM"));
        assertThat(definitions.loadAffinityGroups())
                .singleElement()
                .satisfies(group -> assertThat(group.members()).isEmpty());
        assertThat(pools.load()).extracting(VmPool::name).containsExactly("desks");
        assertThat(users.users())
                .filteredOn(each -> each.name().equals("ann@internal"))
                .singleElement()
                .satisfies(user -> assertThat(user.grants()).hasSize(1));
    }

    @Test
    @DisplayName("without an administrator, no user is written, and each is named")
    void noAdministrator() throws Exception {
        assertThat(imported("first", Set.of()))
                .singleElement()
                .asString()
                .startsWith("user ann@internal: the engine has no administrator yet");
        assertThat(users.users()).isEmpty();
    }
}
