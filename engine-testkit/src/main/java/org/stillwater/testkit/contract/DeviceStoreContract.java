package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.VmWithDevices;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.testkit.Samples;

/** Contract of every {@link DeviceStore}. A subclass hands out empty stores before each test. */
public abstract class DeviceStoreContract {

    /** A definition that follows a host. */
    private static final VmSpecification FOUND = found("sound ich6");

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);
    private static final VmId GONE = Samples.vm(77);

    private VmStore vms;
    private DeviceStore store;

    /** An empty store of VMs. */
    protected abstract VmStore emptyVms() throws StoreUnavailable;

    /** The store of the devices of those VMs. */
    protected abstract DeviceStore devices();

    /** How often the devices of a VM changed since it was added. */
    protected abstract long generationsSinceAdded(VmId vm);

    /** The definition of a VM in the store of definitions over the same VMs, null for none. */
    protected abstract @Nullable VmSpecification specification(VmId vm) throws StoreUnavailable;

    /** A user defines a VM. */
    protected abstract void define(VmId vm, VmSpecification specification) throws StoreUnavailable;

    private static VmSpecification found(String changed) {
        return VmSpecification.BARE.withFound(
                new FoundDefinition(true, List.of(), List.of(changed)));
    }

    @BeforeEach
    void begin() throws StoreUnavailable {
        vms = emptyVms();
        store = devices();
        vms.add(
                LongStream.of(1, 2)
                        .mapToObj(Samples::storedVm)
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList());
    }

    @Test
    @DisplayName("S65 devices, hash and generation are saved together")
    void devicesHashAndGenerationAreSavedTogether() throws StoreUnavailable {
        VmDevice first = Samples.device(1, "ua-1");
        VmDevice second = Samples.device(2, "ua-2");
        rows(store.save(List.of(adding(VM, "h1", first, second))));
        assertThat(load(VM)).containsExactlyInAnyOrder(first, second);
        assertThat(hashes()).isEqualTo(Map.of(VM, "h1"));
        assertThat(generationsSinceAdded(VM)).isEqualTo(1);
        assertThat(generationsSinceAdded(OTHER)).isZero();

        VmDevice moved = first.pluggedAt("{type=pci}", "ua-new", "/dev/vdb", "pci_0000_05_00_0");
        VmDevice third = Samples.device(3, "ua-3");
        DeviceUpdate next =
                new DeviceUpdate(
                        VM, "h2", List.of(moved), List.of(second.id()), List.of(third), null);
        rows(store.save(List.of(next)));
        assertThat(load(VM)).containsExactlyInAnyOrder(moved, third);
        assertThat(hashes()).isEqualTo(Map.of(VM, "h2"));
        assertThat(generationsSinceAdded(VM)).isEqualTo(2);
    }

    @Test
    void aHashAloneChangesNoGeneration() throws StoreUnavailable {
        rows(store.save(List.of(following(VM, FOUND))));
        assertThat(rows(store.save(List.of(DeviceUpdate.ofHash(VM, "h1"))))).isEqualTo(1);
        assertThat(rows(store.save(List.of(DeviceUpdate.ofHash(VM, "h1"))))).isZero();
        assertThat(hashes()).isEqualTo(Map.of(VM, "h1"));
        assertThat(generationsSinceAdded(VM)).isZero();
    }

    @Test
    void withoutAHashTheSavedOneStays() throws StoreUnavailable {
        rows(store.save(List.of(following(VM, FOUND))));
        rows(store.save(List.of(DeviceUpdate.ofHash(VM, "h1"))));
        VmDevice device = Samples.device(1, "ua-1");
        rows(
                store.save(
                        List.of(
                                new DeviceUpdate(
                                        VM, null, List.of(), List.of(), List.of(device), null))));
        assertThat(load(VM)).containsExactly(device);
        assertThat(hashes()).isEqualTo(Map.of(VM, "h1"));
    }

    @Test
    void anUpdateTouchesColumnsOfMonitoringOnly() throws StoreUnavailable {
        VmDevice device =
                new VmDevice(
                        new UUID(5, 5),
                        "hostdev",
                        "pci",
                        "",
                        "",
                        true,
                        false,
                        false,
                        null,
                        "",
                        "{\"a\": \"" + Samples.AWKWARD.strip() + "\"}",
                        "{\"b\": 1}",
                        new UUID(6, 6));
        rows(store.save(List.of(adding(VM, "h1", device))));
        assertThat(load(VM)).containsExactly(device);
        VmDevice otherwise =
                new VmDevice(
                        device.id(),
                        "disk",
                        "lun",
                        "{type=pci}",
                        "hostdev0",
                        false,
                        true,
                        true,
                        "/dev/sda",
                        "pci_0000_05_00_0",
                        "",
                        "",
                        null);
        VmDevice expected =
                device.pluggedAt("{type=pci}", "hostdev0", "/dev/sda", "pci_0000_05_00_0");
        rows(
                store.save(
                        List.of(
                                new DeviceUpdate(
                                        VM,
                                        "h2",
                                        List.of(otherwise),
                                        List.of(),
                                        List.of(),
                                        null))));
        assertThat(load(VM)).containsExactly(expected);
        rows(store.save(List.of(adding(VM, "h3", otherwise))));
        assertThat(load(VM)).as("an addition that is there already").containsExactly(expected);
    }

    @Test
    void storageDomainsOfDisksFollow() throws StoreUnavailable {
        UUID image = new UUID(9, 1);
        VmDevice disk = Samples.device(1, "ua-1").with(new DiskImage(image, new UUID(9, 2)));
        rows(store.save(List.of(adding(VM, "h1", disk))));
        assertThat(load(VM)).containsExactly(disk);

        VmDevice moved = disk.with(new DiskImage(image, new UUID(9, 3)));
        DeviceUpdate update =
                new DeviceUpdate(VM, "h2", List.of(moved), List.of(), List.of(), null);
        rows(store.save(List.of(update)));
        assertThat(load(VM)).containsExactly(moved);
        assertThat(rows(store.save(List.of(update)))).as("again").isZero();
        rows(store.add(List.of(new VmWithDevices(Samples.storedVm(3), List.of(disk), "h3"))));
        assertThat(load(Samples.vm(3))).containsExactly(disk);
    }

    @Test
    void interfacesFollow() throws StoreUnavailable {
        List<VmNic> before = Samples.definition(1).nics();
        VmNic kept =
                new VmNic(
                        before.get(1).id(),
                        "nic2",
                        "52:54:00:00:09:09",
                        before.get(1).vnicProfile(),
                        100);
        VmNic fresh = new VmNic(new UUID(8, 8), "nic3", "52:54:00:00:0a:0a", null, 10_000);
        List<VmNic> next = List.of(kept, fresh);
        rows(
                store.save(
                        List.of(
                                new DeviceUpdate(
                                        VM, "h1", List.of(), List.of(), List.of(), next))));
        assertThat(nics(VM)).isEqualTo(next);
        assertThat(nics(OTHER)).isEqualTo(Samples.definition(2).nics());
        assertThat(generationsSinceAdded(VM)).isEqualTo(1);
    }

    @Test
    void aVmThatIsGoneIsNoError() throws StoreUnavailable {
        assertThat(rows(store.save(List.of(adding(GONE, "h", Samples.device(1, "a")))))).isZero();
        assertThat(store.load(List.of(GONE))).isEmpty();
        assertThat(hashes()).isEmpty();
    }

    @Test
    void nothingIsDoneAtOnce() throws StoreUnavailable {
        assertThat(rows(store.save(List.of()))).isZero();
        assertThat(store.load(List.of())).isEmpty();
    }

    @Test
    void vmsAreAddedWithTheirDevices() throws StoreUnavailable {
        VmDevice first = Samples.device(1, "ua-1");
        VmDevice second = Samples.device(2, "ua-2");
        List<VmWithDevices> added =
                sorted(
                        new VmWithDevices(Samples.storedVm(3), List.of(first, second), "h3", FOUND),
                        new VmWithDevices(Samples.storedVm(4), List.of(), null));

        assertThat(rows(store.add(added))).isEqualTo(2);

        assertThat(vm(Samples.vm(3))).isEqualTo(Samples.storedVm(3));
        assertThat(vm(Samples.vm(4))).isEqualTo(Samples.storedVm(4));
        assertThat(load(Samples.vm(3))).containsExactlyInAnyOrder(first, second);
        assertThat(load(Samples.vm(4))).isEmpty();
        assertThat(hashes()).isEqualTo(Map.of(Samples.vm(3), "h3"));
        assertThat(generationsSinceAdded(Samples.vm(3))).isZero();
        assertThat(rows(store.add(added))).as("the answer was lost").isZero();
    }

    @Test
    void aVmThatIsThereKeepsItsDataAndItsDevices() throws StoreUnavailable {
        VmDevice kept = Samples.device(1, "ua-1");
        rows(store.save(List.of(adding(VM, "h1", kept))));
        StoredVm otherwise =
                new StoredVm(VM, Samples.definition(9), Samples.runtime(9), VmPlacement.NOWHERE);
        List<VmWithDevices> added =
                sorted(
                        new VmWithDevices(otherwise, List.of(Samples.device(2, "ua-2")), "h2"),
                        new VmWithDevices(Samples.storedVm(3), List.of(kept), "h3", FOUND));

        assertThat(rows(store.add(added))).isEqualTo(1);

        assertThat(vm(VM)).isEqualTo(Samples.storedVm(1));
        assertThat(load(VM)).containsExactly(kept);
        assertThat(load(Samples.vm(3))).containsExactly(kept);
        assertThat(hashes()).isEqualTo(Map.of(VM, "h1", Samples.vm(3), "h3"));
    }

    @Test
    void aDefinitionFollowsTheHostUntilAUserChangesIt() throws StoreUnavailable {
        rows(store.add(List.of(new VmWithDevices(Samples.storedVm(3), List.of(), "h3", FOUND))));
        assertThat(specification(Samples.vm(3))).isEqualTo(FOUND);
        assertThat(specification(VM)).isNull();
        rows(store.save(List.of(following(VM, FOUND))));
        assertThat(specification(VM)).isEqualTo(FOUND);
        rows(store.save(List.of(following(VM, found("sound ac97")))));
        assertThat(specification(VM)).isEqualTo(found("sound ac97"));
        rows(store.save(List.of(following(VM, null))));
        assertThat(specification(VM)).as("left").isEqualTo(found("sound ac97"));

        define(VM, VmSpecification.BARE);
        rows(store.save(List.of(following(VM, FOUND))));
        assertThat(specification(VM)).isEqualTo(VmSpecification.BARE);
        VmSpecification taken =
                VmSpecification.BARE.withFound(
                        new FoundDefinition(false, List.of("disk vdb"), List.of()));
        define(VM, taken);
        rows(store.save(List.of(following(VM, FOUND))));
        assertThat(specification(VM)).as("of a user, with a part missing").isEqualTo(taken);
        rows(store.save(List.of(following(GONE, FOUND))));
        assertThat(specification(GONE)).isNull();
    }

    private static DeviceUpdate following(VmId vm, @Nullable VmSpecification specification) {
        return new DeviceUpdate(vm, null, List.of(), List.of(), List.of(), null, specification);
    }

    /** An engine of before such definitions leaves found VMs without them. */
    @Test
    void devicesOfAFoundVmWithoutADefinitionAreReadAgain() throws StoreUnavailable {
        rows(
                store.save(
                        List.of(DeviceUpdate.ofHash(VM, "h1"), DeviceUpdate.ofHash(OTHER, "h2"))
                                .stream()
                                .sorted(Comparator.comparing(DeviceUpdate::vmId))
                                .toList()));
        assertThat(hashes()).isEmpty();
        rows(store.save(List.of(following(VM, FOUND))));
        assertThat(hashes()).isEqualTo(Map.of(VM, "h1"));
    }

    private static List<VmWithDevices> sorted(VmWithDevices... vms) {
        return Stream.of(vms).sorted(Comparator.comparing(one -> one.vm().id())).toList();
    }

    private @Nullable StoredVm vm(VmId vm) throws StoreUnavailable {
        Map<VmId, StoredVm> all = new TreeMap<>();
        vms.loadAll(stored -> all.put(stored.id(), stored));
        return all.get(vm);
    }

    private static DeviceUpdate adding(VmId vm, String hash, VmDevice... devices) {
        return new DeviceUpdate(vm, hash, List.of(), List.of(), List.of(devices), null, FOUND);
    }

    private List<VmDevice> load(VmId vm) throws StoreUnavailable {
        return store.load(List.of(vm)).getOrDefault(vm, List.of());
    }

    private Map<VmId, String> hashes() throws StoreUnavailable {
        Map<VmId, String> hashes = new TreeMap<>();
        store.loadHashes(hashes::put);
        return hashes;
    }

    private List<VmNic> nics(VmId vm) throws StoreUnavailable {
        Map<VmId, List<VmNic>> nics = new TreeMap<>();
        vms.loadAll(stored -> nics.put(stored.id(), stored.definition().nics()));
        return nics.getOrDefault(vm, List.of());
    }

    private static int rows(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        WriteOutcome.Written written = (WriteOutcome.Written) outcome;
        assertThat(written.rejected()).isEmpty();
        return written.rows();
    }
}
