package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.model.GuestNics;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.RuntimeFields;
import org.stillwater.core.model.VmDevice;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.HostStore;
import org.stillwater.core.port.PlacementChange;
import org.stillwater.core.port.RuntimeChange;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.StoredDevices;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.port.VmStore;
import org.stillwater.core.port.WriteOutcome;

/** What every {@link VmStore} does. A subclass hands out an empty store before each test. */
public abstract class VmStoreContract {

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);

    private VmStore store;

    /** An empty store of VMs. */
    protected abstract VmStore emptyVms() throws StoreUnavailable;

    /** The hosts that placements may name. */
    protected abstract HostStore hosts();

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyVms();
        hosts().add(Samples.hostDefinition(1));
        hosts().add(Samples.hostDefinition(2));
    }

    @Test
    void anAddedVmIsLoadedAsItWas() throws StoreUnavailable {
        StoredVm vm =
                new StoredVm(
                        VM,
                        Samples.definition(1),
                        Samples.runtime(1),
                        Samples.placement(Samples.host(1), Samples.host(2)));
        assertThat(store.add(List.of(vm))).isEqualTo(written(1));
        assertThat(load()).containsExactly(vm);
    }

    @Test
    void manyVmsKeepWhatIsTheirs() throws StoreUnavailable {
        List<StoredVm> vms = add(LongStream.rangeClosed(1, 300).toArray());
        assertThat(load()).containsExactlyElementsOf(vms);
    }

    @Test
    void aVmThatIsThereIsLeftAsItIs() throws StoreUnavailable {
        add(1);
        StoredVm other =
                new StoredVm(VM, Samples.definition(7), Samples.runtime(7), VmPlacement.NOWHERE);
        StoredVm fresh = Samples.storedVm(2);
        assertThat(store.add(sorted(List.of(other, fresh)))).isEqualTo(written(1));
        assertThat(load()).containsExactlyInAnyOrder(Samples.storedVm(1), fresh);
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheNamedColumnIsWritten(RuntimeField field) throws StoreUnavailable {
        add(1);
        VmRuntime reported = Samples.runtime(2);
        RuntimeFields fields = RuntimeFields.of(field);
        VmRuntime expected = Samples.runtime(1).with(field, reported.value(field));
        int rows = expected.equals(Samples.runtime(1)) ? 0 : 1;
        assertThat(write(new RuntimeChange(VM, fields, reported))).isEqualTo(written(rows));
        assertThat(load(VM).runtime()).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void everyColumnGoesBackToItsDefault(RuntimeField field) throws StoreUnavailable {
        add(1);
        assertThat(write(new RuntimeChange(VM, RuntimeFields.of(field), VmRuntime.INITIAL)))
                .isEqualTo(written(1));
        assertThat(load(VM).runtime())
                .isEqualTo(Samples.runtime(1).with(field, field.defaultValue()));
    }

    @Test
    void theSameReportTwiceWritesOnce() throws StoreUnavailable {
        add(1, 2);
        List<RuntimeChange> changes =
                sorted(
                        List.of(
                                new RuntimeChange(VM, RuntimeFields.all(), Samples.runtime(8)),
                                new RuntimeChange(OTHER, RuntimeFields.all(), Samples.runtime(9))),
                        RuntimeChange::vmId);
        assertThat(store.writeRuntimes(changes)).isEqualTo(written(2));
        assertThat(store.writeRuntimes(changes)).isEqualTo(written(0));
        assertThat(load(VM).runtime()).isEqualTo(Samples.runtime(8));
        assertThat(load(OTHER).runtime()).isEqualTo(Samples.runtime(9));
    }

    @Test
    void oneBatchMayChangeDifferentColumnsOfDifferentVms() throws StoreUnavailable {
        add(1, 2);
        VmRuntime paused = Samples.runtime(1).with(RuntimeField.STATUS, VmStatus.PAUSED);
        VmRuntime named = Samples.runtime(2).with(RuntimeField.FQDN, "new.example.org");
        assertThat(
                        store.writeRuntimes(
                                sorted(
                                        List.of(
                                                new RuntimeChange(
                                                        VM,
                                                        RuntimeFields.of(RuntimeField.STATUS),
                                                        paused),
                                                new RuntimeChange(
                                                        OTHER,
                                                        RuntimeFields.of(RuntimeField.FQDN),
                                                        named)),
                                        RuntimeChange::vmId)))
                .isEqualTo(written(2));
        assertThat(load(VM).runtime()).isEqualTo(paused);
        assertThat(load(OTHER).runtime()).isEqualTo(named);
    }

    @Test
    void aReportNeverTouchesThePlacement() throws StoreUnavailable {
        VmPlacement placement = Samples.placement(Samples.host(1), Samples.host(2));
        store.add(List.of(new StoredVm(VM, Samples.definition(1), VmRuntime.INITIAL, placement)));
        write(new RuntimeChange(VM, RuntimeFields.all(), Samples.runtime(3)));
        assertThat(load(VM).placement()).isEqualTo(placement);
    }

    @Test
    void aPlacementNeverTouchesTheRuntime() throws StoreUnavailable {
        add(1);
        VmPlacement placement = Samples.placement(Samples.host(2), Samples.host(1));
        List<PlacementChange> changes = List.of(new PlacementChange(VM, placement));
        assertThat(store.writePlacements(changes)).isEqualTo(written(1));
        assertThat(store.writePlacements(changes)).isEqualTo(written(0));
        assertThat(load(VM))
                .isEqualTo(new StoredVm(VM, Samples.definition(1), Samples.runtime(1), placement));
    }

    @Test
    void aPlacementMayBecomeNowhere() throws StoreUnavailable {
        VmPlacement placement = Samples.placement(Samples.host(1), Samples.host(2));
        store.add(List.of(new StoredVm(VM, Samples.definition(1), VmRuntime.INITIAL, placement)));
        assertThat(store.writePlacements(List.of(new PlacementChange(VM, VmPlacement.NOWHERE))))
                .isEqualTo(written(1));
        assertThat(load(VM).placement()).isEqualTo(VmPlacement.NOWHERE);
    }

    @Test
    void aTimeFinerThanTheColumnIsNotWrittenAgainAndAgain() throws StoreUnavailable {
        add(1);
        VmPlacement fine =
                VmPlacement.NOWHERE.withLastStart(Instant.parse("2026-01-02T03:04:05.123456789Z"));
        List<PlacementChange> changes = List.of(new PlacementChange(VM, fine));
        assertThat(store.writePlacements(changes)).isEqualTo(written(1));
        assertThat(store.writePlacements(changes)).isEqualTo(written(0));
    }

    @Test
    void guestInterfacesAreReplacedWithTheirDigest() throws StoreUnavailable {
        add(1, 2);
        RuntimeFields nics = RuntimeFields.of(RuntimeField.GUEST_NICS);
        VmRuntime reported = VmRuntime.INITIAL.with(RuntimeField.GUEST_NICS, Samples.guestNics(99));
        assertThat(write(new RuntimeChange(VM, nics, reported))).isEqualTo(written(1));
        assertThat(load(VM).runtime().guestNics()).isEqualTo(Samples.guestNics(99));
        assertThat(write(new RuntimeChange(VM, nics, VmRuntime.INITIAL))).isEqualTo(written(1));
        assertThat(load(VM).runtime().guestNics()).isEqualTo(GuestNics.NONE);
        assertThat(load(OTHER).runtime().guestNics()).isEqualTo(Samples.guestNics(2));
    }

    @Test
    void aVmThatIsGoneIsNoError() throws StoreUnavailable {
        assertThat(write(new RuntimeChange(VM, RuntimeFields.all(), Samples.runtime(1))))
                .isEqualTo(written(0));
        assertThat(
                        store.writePlacements(
                                List.of(new PlacementChange(VM, VmPlacement.on(Samples.host(1))))))
                .isEqualTo(written(0));
        assertThat(
                        store.replaceDevices(
                                List.of(
                                        new StoredDevices(
                                                VM, "h", List.of(Samples.device(1, "a"))))))
                .isEqualTo(written(0));
        assertThat(load()).isEmpty();
    }

    @Test
    void anEmptyBatchIsDoneAtOnce() {
        assertThat(store.add(List.of())).isEqualTo(written(0));
        assertThat(store.writeRuntimes(List.of())).isEqualTo(written(0));
        assertThat(store.writePlacements(List.of())).isEqualTo(written(0));
        assertThat(store.replaceDevices(List.of())).isEqualTo(written(0));
    }

    @Test
    void devicesAreReplacedAsASetWithTheirHash() throws StoreUnavailable {
        add(1, 2);
        StoredDevices first =
                new StoredDevices(
                        VM,
                        "hash-1",
                        List.of(Samples.device(1, "ua-1"), Samples.device(2, "ua-2")));
        StoredDevices others = new StoredDevices(OTHER, "", List.of(Samples.device(3, "ua-3")));
        rows(store.replaceDevices(sorted(List.of(first, others), StoredDevices::vmId)));
        assertThat(loadDevices()).isEqualTo(Map.of(VM, first, OTHER, others));

        StoredDevices second =
                new StoredDevices(
                        VM,
                        "hash-2",
                        List.of(Samples.device(2, "moved"), Samples.device(4, "ua-4")));
        assertThat(rows(store.replaceDevices(List.of(second)))).isPositive();
        assertThat(rows(store.replaceDevices(List.of(second)))).isZero();
        assertThat(loadDevices()).isEqualTo(Map.of(VM, second, OTHER, others));

        StoredDevices none = new StoredDevices(VM, "hash-3", List.of());
        rows(store.replaceDevices(List.of(none)));
        assertThat(loadDevices()).isEqualTo(Map.of(VM, none, OTHER, others));
    }

    private List<StoredVm> add(long... seeds) {
        List<StoredVm> vms = sorted(LongStream.of(seeds).mapToObj(Samples::storedVm).toList());
        assertThat(store.add(vms)).isEqualTo(written(vms.size()));
        return vms;
    }

    private WriteOutcome write(RuntimeChange change) {
        return store.writeRuntimes(List.of(change));
    }

    private StoredVm load(VmId id) throws StoreUnavailable {
        return load().stream().filter(vm -> vm.id().equals(id)).findFirst().orElseThrow();
    }

    private List<StoredVm> load() throws StoreUnavailable {
        List<StoredVm> loaded = new ArrayList<>();
        store.loadAll(loaded::add);
        return loaded;
    }

    private Map<VmId, StoredDevices> loadDevices() throws StoreUnavailable {
        Map<VmId, StoredDevices> loaded = new TreeMap<>();
        store.loadDevices(devices ->
                loaded.put(
                        devices.vmId(),
                        new StoredDevices(
                                devices.vmId(),
                                devices.hash(),
                                devices.devices().stream()
                                        .sorted(Comparator.comparing(VmDevice::alias))
                                        .toList())));
        return loaded;
    }

    private static int rows(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        WriteOutcome.Written written = (WriteOutcome.Written) outcome;
        assertThat(written.rejected()).isEmpty();
        return written.rows();
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }

    private static List<StoredVm> sorted(List<StoredVm> vms) {
        return sorted(vms, StoredVm::id);
    }

    private static <T> List<T> sorted(List<T> rows, Function<T, VmId> key) {
        return rows.stream().sorted(Comparator.comparing(key)).toList();
    }
}
