package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.ClusterStore.ChosenMachine;
import org.stillwater.core.store.ClusterStore.Removal;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;

/** Contract of every {@link ClusterStore}. A subclass hands out a new store before each test. */
public abstract class ClusterStoreContract {

    private static final DataCentreId ELSEWHERE = new DataCentreId(new UUID(0, 7));
    private static final ClusterId ID = new ClusterId(new UUID(0, 9));

    /** Every value differs from its default. */
    private static final Cluster FULL =
            new Cluster(
                    ID,
                    DataCentreId.DEFAULT,
                    "full",
                    Samples.AWKWARD,
                    new HostRequirements(
                            new CompatibilityVersion(4, 8),
                            new CpuType(
                                    "Intel Haswell-noTSX Family",
                                    Set.of("vmx", "nx", "model_Haswell-noTSX"),
                                    new CompatibilityVersion(4, 2),
                                    new CompatibilityVersion(5, 10)),
                            CpuArchitecture.X86_64,
                            List.of("pc-q35-rhel9.4.0", "pc-q35-rhel8.6.0", "a \"quoted\", one"),
                            "pc-q35-rhel8.6.0",
                            Set.of("hwrng", "random"),
                            Set.of("libgfapi_supported"),
                            false,
                            true,
                            false,
                            List.of(
                                    new ClusterNetwork("ovirtmgmt", true, true),
                                    new ClusterNetwork("storage, \"fast\"", true, false),
                                    new ClusterNetwork("guests", false, true))),
                    MigrateOnError.HIGHLY_AVAILABLE,
                    new FencingPolicy(false, 50, true),
                    new MemoryThresholds(2048, 90),
                    Hypervisor.XAPI);

    private ClusterStore store;

    /** A store with only the predefined rows of every database. */
    protected abstract ClusterStore newClusters() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = newClusters();
    }

    @Test
    void oneOfEachIsThereFromTheBeginning() throws StoreUnavailable {
        assertThat(store.loadDataCentres()).containsExactly(DataCentre.DEFAULT);
        assertThat(store.loadClusters()).containsExactly(Cluster.DEFAULT);
    }

    @Test
    void everyValueOfAClusterIsSavedAndLoaded() throws StoreUnavailable {
        assertThat(store.add(FULL)).isEqualTo(Saved.SAVED);
        assertThat(store.loadClusters()).containsExactly(Cluster.DEFAULT, FULL);
    }

    @Test
    void everyValueOfAClusterCanBeChanged() throws StoreUnavailable {
        store.add(FULL);
        Cluster plain =
                new Cluster(
                        ID,
                        DataCentreId.DEFAULT,
                        "plain",
                        "",
                        HostRequirements.NONE,
                        MigrateOnError.NONE,
                        FencingPolicy.DEFAULT,
                        MemoryThresholds.DEFAULT);
        assertThat(store.update(plain)).isEqualTo(Saved.SAVED);
        assertThat(store.loadClusters()).containsExactly(Cluster.DEFAULT, plain);
        assertThat(store.update(FULL)).isEqualTo(Saved.SAVED);
        assertThat(store.loadClusters()).containsExactly(Cluster.DEFAULT, FULL);
    }

    @Test
    void aTakenIdOrNameOfAClusterChangesNothing() throws StoreUnavailable {
        store.add(FULL);
        assertThat(store.add(FULL)).isEqualTo(Saved.TAKEN);
        assertThat(store.add(named(new ClusterId(new UUID(0, 10)), "full"))).isEqualTo(Saved.TAKEN);
        assertThat(store.update(named(ID, Cluster.DEFAULT.name()))).isEqualTo(Saved.TAKEN);
        assertThat(store.loadClusters()).containsExactly(Cluster.DEFAULT, FULL);
    }

    @Test
    void missingClustersAreNeitherChangedNorReferredTo() throws StoreUnavailable {
        assertThat(store.update(FULL)).isEqualTo(Saved.UNKNOWN);
        Cluster lost =
                new Cluster(
                        ID,
                        ELSEWHERE,
                        "lost",
                        "",
                        HostRequirements.NONE,
                        MigrateOnError.ALL,
                        FencingPolicy.DEFAULT,
                        MemoryThresholds.DEFAULT);
        assertThat(store.add(lost)).isEqualTo(Saved.UNKNOWN);
        assertThat(store.update(new DataCentre(ELSEWHERE, "x", ""))).isEqualTo(Saved.UNKNOWN);
        assertThat(store.loadClusters()).containsExactly(Cluster.DEFAULT);
        assertThat(store.loadDataCentres()).containsExactly(DataCentre.DEFAULT);
    }

    @Test
    void aClusterIsRemovedWithAllThatHangsOnIt() throws StoreUnavailable {
        store.add(FULL);
        assertThat(store.remove(ID)).isEqualTo(Removal.REMOVED);
        assertThat(store.remove(ID)).isEqualTo(Removal.UNKNOWN);
        assertThat(store.loadClusters()).containsExactly(Cluster.DEFAULT);
        assertThat(store.add(FULL)).isEqualTo(Saved.SAVED);
    }

    @Test
    void dataCentresAreAddedAndRenamed() throws StoreUnavailable {
        DataCentre other = new DataCentre(ELSEWHERE, "elsewhere", Samples.AWKWARD);
        assertThat(store.add(other)).isEqualTo(Saved.SAVED);
        assertThat(store.add(other)).isEqualTo(Saved.TAKEN);
        assertThat(store.loadDataCentres()).containsExactly(DataCentre.DEFAULT, other);
        DataCentre renamed = new DataCentre(ELSEWHERE, "near", "");
        assertThat(store.update(renamed)).isEqualTo(Saved.SAVED);
        assertThat(store.update(new DataCentre(ELSEWHERE, DataCentre.DEFAULT.name(), "")))
                .isEqualTo(Saved.TAKEN);
        assertThat(store.loadDataCentres()).containsExactly(DataCentre.DEFAULT, renamed);
    }

    @Test
    void aChosenMachineTypeIsSavedOnceAndForThatClusterOnly() throws StoreUnavailable {
        store.add(named(ID, "other"));
        List<ChosenMachine> chosen =
                List.of(
                        new ChosenMachine(ID, "pc-q35-rhel9.4.0"),
                        new ChosenMachine(new ClusterId(new UUID(0, 99)), "pc"));
        assertThat(store.chooseMachines(chosen)).isEqualTo(written(1));
        assertThat(store.chooseMachines(chosen)).isEqualTo(written(0));
        assertThat(store.loadClusters())
                .extracting(cluster -> cluster.requirements().emulatedMachine())
                .containsExactly(null, "pc-q35-rhel9.4.0");
    }

    private static Cluster named(ClusterId id, String name) {
        return new Cluster(
                id,
                DataCentreId.DEFAULT,
                name,
                "",
                HostRequirements.NONE,
                MigrateOnError.ALL,
                FencingPolicy.DEFAULT,
                MemoryThresholds.DEFAULT);
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
