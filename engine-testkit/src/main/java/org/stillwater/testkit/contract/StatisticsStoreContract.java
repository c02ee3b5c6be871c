package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StatisticsStore.DiskSample;
import org.stillwater.core.store.StatisticsStore.HostSample;
import org.stillwater.core.store.StatisticsStore.NicSample;
import org.stillwater.core.store.StatisticsStore.ReaderSigns;
import org.stillwater.core.store.StatisticsStore.Sample;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.InterfaceStatus;
import org.stillwater.testkit.Samples;

/** Contract of every {@link StatisticsStore}. A subclass sets a store up before each test. */
public abstract class StatisticsStoreContract {

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);

    private StatisticsStore store;

    /** A store without samples, beside these VMs and the host {@code Samples.host(1)}. */
    protected abstract StatisticsStore emptyStatistics(List<VmId> vms);

    /** The stored sample of a VM, null if there is none. */
    protected abstract @Nullable Sample sampleOf(VmId vm);

    @BeforeEach
    void begin() {
        store = emptyStatistics(List.of(VM, OTHER));
    }

    private static Sample sample(VmId vm, long elapsed) {
        return sample(vm, elapsed, List.of(), List.of());
    }

    private static Sample sample(
            VmId vm, long elapsed, List<NicSample> nics, List<DiskSample> disks) {
        return sample(vm, elapsed, nics, disks, true);
    }

    private static Sample sample(
            VmId vm,
            long elapsed,
            List<NicSample> nics,
            List<DiskSample> disks,
            boolean partsChanged) {
        return new Sample(
                vm,
                12.5,
                0.25,
                elapsed,
                6,
                40,
                0,
                "[{\"path\":\"/ü\"}]",
                1_024L,
                2_048L,
                nics,
                disks,
                partsChanged);
    }

    private static NicSample nic(UUID id, @Nullable Double rate, long received) {
        return new NicSample(
                id, InterfaceStatus.UP, rate, null, 1L, 2L, received, 0L, -5L, 0L, 1_234.5);
    }

    private static DiskSample disk(UUID id, @Nullable Long rate, double latency) {
        return new DiskSample(id, rate, 0L, 7L, null, 1L << 40, latency, 0.0, null);
    }

    @Test
    void onlyDifferencesAreWritten() {
        assertThat(store.dump(List.of(sample(VM, 1), sample(OTHER, 1)), List.of()))
                .isEqualTo(written(2));
        assertThat(store.dump(List.of(sample(VM, 2), sample(OTHER, 1)), List.of()))
                .isEqualTo(written(1));
        assertThat(sampleOf(VM)).isEqualTo(sample(VM, 2));
        assertThat(sampleOf(OTHER)).isEqualTo(sample(OTHER, 1));
    }

    @Test
    void unknownValuesReplaceKnownOnes() {
        store.dump(List.of(sample(VM, 1)), List.of());
        Sample nothing =
                new Sample(
                        VM, null, null, null, null, null, null, null, null, null, List.of(),
                        List.of(), true);
        assertThat(store.dump(List.of(nothing), List.of())).isEqualTo(written(1));
        assertThat(store.dump(List.of(nothing), List.of())).isEqualTo(written(0));
        assertThat(sampleOf(VM)).isEqualTo(nothing);
    }

    /** Makes an interface of the VM known to the store; its identity. */
    protected abstract UUID interfaceOf(VmId vm);

    @Test
    void aVmIsWrittenWithItsInterfacesAndDisksWhereTheyDiffer() {
        UUID nic = interfaceOf(VM);
        UUID other = interfaceOf(OTHER);
        UUID disk = new UUID(7, 7);
        List<Sample> first =
                List.of(
                        sample(
                                VM,
                                1,
                                List.of(nic(nic, 12.3456, 10)),
                                List.of(disk(disk, 5L, 0.25))),
                        sample(
                                OTHER,
                                1,
                                List.of(nic(other, null, 10)),
                                List.of(disk(disk, 6L, 0))));
        assertThat(store.dump(first, List.of())).as("a shared disk too").isEqualTo(written(6));
        assertThat(store.dump(first, List.of())).isEqualTo(written(0));
        assertThat(
                        store.dump(
                                List.of(
                                        sample(
                                                VM,
                                                1,
                                                List.of(nic(nic, null, 10)),
                                                List.of(disk(disk, 5L, 0.5)))),
                                List.of()))
                .isEqualTo(written(2));
    }

    @Test
    void lostDevicesOfAVmAreRemovedAndOtherVmsKeepTheirs() {
        UUID nic = interfaceOf(VM);
        UUID other = interfaceOf(OTHER);
        store.dump(
                List.of(
                        sample(
                                VM,
                                1,
                                List.of(nic(nic, 1.0, 10)),
                                List.of(
                                        disk(new UUID(7, 7), 5L, 0.25),
                                        disk(new UUID(8, 8), 5L, 0.25))),
                        sample(
                                OTHER,
                                1,
                                List.of(nic(other, 1.0, 10)),
                                List.of(disk(new UUID(8, 8), 5L, 0.25)))),
                List.of());
        Sample left = sample(VM, 1, List.of(), List.of(disk(new UUID(7, 7), 5L, 0.25)));
        assertThat(store.dump(List.of(left), List.of())).isEqualTo(written(2));
        assertThat(store.dump(List.of(left), List.of())).isEqualTo(written(0));
    }

    @Test
    void nothingIsRemovedFromAnUnchangedSet() {
        UUID nic = interfaceOf(VM);
        DiskSample stays = disk(new UUID(7, 7), 5L, 0.25);
        DiskSample leaves = disk(new UUID(8, 8), 5L, 0.25);
        store.dump(
                List.of(sample(VM, 1, List.of(nic(nic, 1.0, 10)), List.of(stays, leaves))),
                List.of());
        assertThat(store.dump(List.of(sample(VM, 1, List.of(), List.of(stays), false)), List.of()))
                .isEqualTo(written(0));
        assertThat(store.dump(List.of(sample(VM, 1, List.of(), List.of(stays), true)), List.of()))
                .as("they were still there")
                .isEqualTo(written(2));
    }

    @Test
    void heartbeatsAndLooksAreNoReads() throws StoreUnavailable {
        ReaderSigns signs = store.heartbeat();
        assertThat(signs.reads()).isNotNull();
        assertThat(store.heartbeat()).isEqualTo(signs);
        assertThat(store.readerSigns()).isEqualTo(signs);
    }

    @Test
    void samplesAreShownAndHidden() throws StoreUnavailable {
        assertThat(store.show(false)).isEqualTo(written(1));
        assertThat(store.heartbeat().shown()).isFalse();
        assertThat(store.show(true)).isEqualTo(written(1));
        assertThat(store.heartbeat().shown()).isTrue();
        assertThat(store.readerSigns().shown()).isTrue();
        store.dump(List.of(sample(VM, 1)), List.of());
        assertThat(store.heartbeat().shown()).as("a dump changes nothing").isTrue();
    }

    private static final HostId HOST = Samples.host(1);

    private static HostSample hostSample(double load, long received, String... nics) {
        TreeMap<String, HostNicUsage> usage = new TreeMap<>();
        for (String nic : nics) {
            usage.put(
                    nic,
                    new HostNicUsage(
                            true, 1_000, received, 5L, 1, 0, 12.5, null, 3L, 0L, 1767225600.5));
        }
        return new HostSample(
                HOST,
                new HostValues()
                        .put(HostField.CPU_USER, 12.5)
                        .put(HostField.CPU_LOAD, load)
                        .put(HostField.MEMORY_FREE, 512L)
                        .put(HostField.VM_COUNT, 3)
                        .put(HostField.HA_ACTIVE, true)
                        .statistics(),
                new HostUsage(12, 50, null, usage),
                true);
    }

    /** Rows for a sample of a host with this number of interfaces. */
    protected abstract int rowsOf(int interfaces);

    @Test
    void aHostIsWrittenWithItsInterfacesWhereTheyDiffer() {
        List<HostSample> first = List.of(hostSample(1.5, 10, "ens1", Samples.AWKWARD));
        assertThat(store.dump(List.of(), first)).isEqualTo(written(rowsOf(2)));
        assertThat(store.dump(List.of(), first)).isEqualTo(written(0));
        assertThat(store.dump(List.of(), List.of(hostSample(2.5, 10, "ens1", Samples.AWKWARD))))
                .isEqualTo(written(1));
    }

    @Test
    void anInterfaceThatIsGoneIsRemoved() {
        store.dump(List.of(), List.of(hostSample(1.5, 10, "ens1", "ens2")));
        assertThat(store.dump(List.of(), List.of(hostSample(1.5, 10, "ens1"))))
                .isEqualTo(written(1));
        assertThat(store.dump(List.of(), List.of(hostSample(1.5, 10, "ens1"))))
                .isEqualTo(written(0));
        assertThat(store.dump(List.of(), List.of(hostSample(1.5, 10)))).isEqualTo(written(1));
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
