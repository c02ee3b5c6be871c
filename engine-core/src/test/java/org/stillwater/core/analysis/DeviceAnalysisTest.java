package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.analysis.DeviceChanges.SkipReason;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedDevice;
import org.stillwater.core.report.ReportedDevices;

class DeviceAnalysisTest {

    private static final String PCI = "{type=pci, slot=0x05}";
    private static final UUID DISK_ID = UUID.fromString("11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01");
    private static final VmDevice DISK = known(DISK_ID, "disk", "disk", true, true);

    @Test
    @DisplayName("S68 a managed plugged disk that is not listed is unplugged without address")
    void aManagedPluggedDiskThatIsNotListedIsUnplugged() {
        DeviceChanges changes = compare(List.of(DISK));

        assertThat(changes.updates())
                .singleElement()
                .satisfies(disk -> {
                    assertThat(disk.plugged()).isFalse();
                    assertThat(disk.address()).isEmpty();
                    assertThat(disk.alias()).isEqualTo(DISK.alias());
                    assertThat(disk.managed()).isTrue();
                });
        assertThat(changes.removals()).isEmpty();
        assertThat(changes.isComplete()).isTrue();
    }

    @ParameterizedTest(name = "S68 {0} {1} that is not listed is left alone")
    @CsvSource({
        "graphics, vnc",
        "graphics, spice",
        "console, pty",
        "tpm, tpm-crb",
        "mdev, vgpu",
        "hostdev, mdev"
    })
    void devicesWithoutAddressesAreUnchanged(String type, String device) {
        for (boolean managed : new boolean[] {true, false}) {
            VmDevice known = known(new UUID(1, 1), type, device, managed, true);
            DeviceChanges changes = compare(List.of(known));
            assertThat(changes.isEmpty()).isTrue();
            assertThat(changes.missed()).isEmpty();
        }
    }

    @Test
    @DisplayName("S68 a balloon that is not listed is left alone, and noted")
    void aBalloonThatIsNotListedIsNoted() {
        VmDevice balloon = known(new UUID(1, 1), "balloon", "memballoon", true, true);

        DeviceChanges changes = compare(List.of(balloon));

        assertThat(changes.isEmpty()).isTrue();
        assertThat(changes.missed()).containsExactly(balloon);
    }

    @Test
    void aManagedDeviceThatIsUnpluggedAlreadyStaysSo() {
        assertThat(compare(List.of(known(DISK_ID, "disk", "disk", true, false))))
                .isEqualTo(
                        new DeviceChanges(List.of(), List.of(), List.of(), List.of(), List.of()));
    }

    @Test
    @DisplayName("S69 an unmanaged device that is gone is removed, a new one added as unmanaged")
    void unmanagedDevicesComeAndGo() {
        VmDevice gone = known(new UUID(1, 1), "controller", "usb", false, true);
        ReportedDevice fresh =
                new ReportedDevice(
                        new UUID(2, 2),
                        "hostdev",
                        "pci",
                        PCI,
                        "hostdev0",
                        true,
                        "pci_0000_05_00_0");

        DeviceChanges changes = compare(List.of(gone), fresh);

        assertThat(changes.removals()).containsExactly(gone);
        assertThat(changes.additions())
                .containsExactly(
                        new VmDevice(
                                fresh.id(),
                                "hostdev",
                                "pci",
                                PCI,
                                "hostdev0",
                                false,
                                true,
                                true,
                                null,
                                "pci_0000_05_00_0",
                                "",
                                "",
                                null));
    }

    @Test
    void aMemoryModuleThatIsGoneIsRemoved() {
        VmDevice module = known(new UUID(1, 1), "memory", "dimm", false, true);

        assertThat(compare(List.of(module)).removals())
                .singleElement()
                .extracting(VmDevice::type)
                .isEqualTo(DeviceAnalysis.MEMORY);
    }

    @Test
    void aListedDeviceIsPluggedWhereItIs() {
        VmDevice unplugged = known(DISK_ID, "disk", "disk", true, false);
        ReportedDevice listed = reported(DISK_ID, "disk", "disk", "ua-new");

        assertThat(compare(List.of(unplugged), listed).updates())
                .containsExactly(unplugged.pluggedAt(PCI, "ua-new", null, ""));
    }

    @Test
    @DisplayName("a disk that moved to another storage domain is there, and new ones keep theirs")
    void volumesFollow() {
        DiskImage before = new DiskImage(DISK_ID, new UUID(4, 1));
        DiskImage after = new DiskImage(DISK_ID, new UUID(4, 2));
        VmDevice known = known(DISK_ID, "disk", "disk", false, true).with(before);

        assertThat(compare(List.of(known), reported(known, before)).isEmpty()).isTrue();
        assertThat(compare(List.of(known), reported(known, after)).updates())
                .containsExactly(known.with(after));
        assertThat(compare(List.of(), reported(known, after)).additions())
                .containsExactly(known.with(after));
    }

    private static ReportedDevice reported(VmDevice disk, DiskImage volume) {
        return new ReportedDevice(
                disk.id(),
                disk.type(),
                disk.device(),
                disk.address(),
                disk.alias(),
                false,
                "",
                volume);
    }

    @Test
    void aListedDeviceThatIsAsKnownIsNoChange() {
        assertThat(compare(List.of(DISK), reported(DISK_ID, "disk", "disk", DISK.alias())))
                .satisfies(changes -> assertThat(changes.isEmpty()).isTrue());
    }

    @Test
    void aDiskHasTheNameThatTheGuestGivesToTheStartOfItsId() {
        Map<String, String> guest =
                Map.of("11a0b1c2-d3e4-4f50-8", "/dev/vda", "ffffffff-d3e4-4f50-8", "/dev/vdb");

        DeviceChanges changes =
                DeviceAnalysis.compare(
                        List.of(DISK),
                        new ReportedDevices(
                                List.of(reported(DISK_ID, "disk", "disk", DISK.alias())), guest),
                        _ -> false);

        assertThat(changes.updates())
                .singleElement()
                .extracting(VmDevice::logicalName)
                .isEqualTo("/dev/vda");
    }

    @Test
    void aSilentGuestLeavesNamesAndAGuestWithoutTheDiskTakesItsNameAway() {
        VmDevice named = DISK.pluggedAt(PCI, DISK.alias(), "/dev/vda", "");
        ReportedDevice listed = reported(DISK_ID, "disk", "disk", DISK.alias());

        assertThat(compare(List.of(named), listed).isEmpty()).isTrue();
        assertThat(
                        DeviceAnalysis.compare(
                                        List.of(named),
                                        new ReportedDevices(
                                                List.of(listed), Map.of("other", "/dev/vdb")),
                                        _ -> false)
                                .updates())
                .singleElement()
                .extracting(VmDevice::logicalName)
                .isNull();
    }

    @Test
    @DisplayName("T26 a device without a type or name is skipped, the others are processed")
    void aDeviceWithoutTypeOrNameIsSkipped() {
        DeviceChanges changes =
                compare(
                        List.of(),
                        reported(new UUID(1, 1), "", "disk", "a"),
                        reported(new UUID(2, 2), "controller", "", "b"),
                        reported(new UUID(3, 3), "controller", "usb", "c"));

        assertThat(changes.additions()).extracting(VmDevice::alias).containsExactly("c");
        assertThat(changes.skipped())
                .extracting(DeviceChanges.Skipped::reason)
                .containsExactly(SkipReason.NO_TYPE, SkipReason.NO_TYPE);
        assertThat(changes.isComplete()).isTrue();
    }

    @Test
    void aDeviceWithoutAddressIsSkippedAndCountsAsNotListed() {
        ReportedDevice listed = new ReportedDevice(DISK_ID, "disk", "disk", "", "ua", false, "");

        DeviceChanges changes = compare(List.of(DISK), listed);

        assertThat(changes.skipped())
                .extracting(DeviceChanges.Skipped::reason)
                .containsExactly(SkipReason.NO_ADDRESS);
        assertThat(changes.updates()).containsExactly(DISK.unplugged());
    }

    @Test
    void aVirtioSerialControllerIsFoundByItsKind() {
        VmDevice controller = known(new UUID(1, 1), "controller", "virtio-serial", true, true);
        ReportedDevice listed =
                reported(new UUID(2, 2), "controller", "virtio-serial", "virtio-serial0");

        DeviceChanges changes = compare(List.of(controller), listed);

        assertThat(changes.additions()).isEmpty();
        assertThat(changes.updates())
                .containsExactly(controller.pluggedAt(PCI, "virtio-serial0", null, ""));
    }

    @Test
    void aControllerThatIsNamedIsNotTakenByOneThatIsOnlyOfItsKind() {
        VmDevice controller = known(new UUID(1, 1), "controller", "virtio-serial", true, true);
        ReportedDevice other =
                reported(new UUID(2, 2), "controller", "virtio-serial", "virtio-serial0");
        ReportedDevice named =
                reported(controller.id(), "controller", "virtio-serial", controller.alias());

        DeviceChanges changes = compare(List.of(controller), other, named);

        assertThat(changes.updates()).isEmpty();
        assertThat(changes.additions()).extracting(VmDevice::id).containsExactly(other.id());
    }

    @Test
    void anOtherKindOfDeviceIsNotFoundByItsKind() {
        VmDevice usb = known(new UUID(1, 1), "controller", "usb", true, true);

        DeviceChanges changes =
                compare(List.of(usb), reported(new UUID(2, 2), "controller", "usb", "usb"));

        assertThat(changes.additions()).hasSize(1);
        assertThat(changes.updates()).containsExactly(usb.unplugged());
    }

    @Test
    void aDeviceWithoutIdentityOfItsOwnIsFoundByItsAlias() {
        VmDevice usb =
                new VmDevice(
                        new UUID(1, 1), "controller", "usb", "", "usb", true, false, false, null);

        assertThat(
                        compare(List.of(usb), reported(new UUID(2, 2), "controller", "usb", "usb"))
                                .updates())
                .containsExactly(usb.pluggedAt(PCI, "usb", null, ""));
    }

    @Test
    void theSecondDeviceOfOneIdentityIsSkipped() {
        ReportedDevice first = reported(new UUID(1, 1), "controller", "usb", "a");
        ReportedDevice second = reported(new UUID(1, 1), "controller", "scsi", "b");

        DeviceChanges changes = compare(List.of(), first, second);

        assertThat(changes.additions()).extracting(VmDevice::device).containsExactly("usb");
        assertThat(changes.skipped())
                .extracting(DeviceChanges.Skipped::reason)
                .containsExactly(SkipReason.DUPLICATE);
    }

    @Test
    @DisplayName("T24 a device that a command changed after the list was asked for stays as it is")
    void aDeviceChangedByACommandSinceIsUnchanged() {
        UUID plugged = new UUID(1, 1);
        UUID unplugged = new UUID(2, 2);
        UUID removed = new UUID(3, 3);
        List<UUID> changedSince = List.of(plugged, unplugged, removed);

        DeviceChanges changes =
                DeviceAnalysis.compare(
                        List.of(
                                known(plugged, "disk", "disk", true, true),
                                known(unplugged, "disk", "disk", true, false)),
                        new ReportedDevices(
                                List.of(
                                        reported(unplugged, "disk", "disk", "b"),
                                        reported(removed, "disk", "disk", "c")),
                                Map.of()),
                        changedSince::contains);

        assertThat(changes.isEmpty()).isTrue();
        assertThat(changes.skipped())
                .extracting(DeviceChanges.Skipped::reason)
                .containsOnly(SkipReason.CHANGED_SINCE)
                .hasSize(3);
        assertThat(changes.isComplete()).as("the list is to be read again").isFalse();
    }

    @Test
    void interfacesKeepTheirNamesAndNewOnesGetFreeNames() {
        UUID profile = new UUID(9, 9);
        VmNic first = new VmNic(new UUID(1, 1), "nic1", "m1", profile, 1000);
        VmNic second = new VmNic(new UUID(2, 2), "nic2", "m2", null, 1000);
        VmNic third = new VmNic(new UUID(3, 3), "nic1", "m3", null, 100);
        VmNic fourth = new VmNic(new UUID(4, 4), "nic2", "m4", null, 100);

        List<VmNic> next =
                DeviceAnalysis.followNics(
                        List.of(first, second),
                        List.of(new VmNic(second.id(), "nic1", "m2", null, 1000), third, fourth));

        assertThat(next)
                .containsExactly(
                        second,
                        new VmNic(third.id(), "nic1", "m3", null, 100),
                        new VmNic(fourth.id(), "nic3", "m4", null, 100));
        assertThat(
                        DeviceAnalysis.followNics(
                                List.of(first),
                                List.of(new VmNic(first.id(), "x", "m9", null, 10))))
                .containsExactly(new VmNic(first.id(), "nic1", "m9", profile, 10));
    }

    @Test
    void anInterfaceOfAnotherVmsIdentityIsIdentifiedByItsVmToo() {
        VmId vm = new VmId(0, 1);
        VmId other = new VmId(0, 2);
        VmNic reported = new VmNic(new UUID(3, 3), "nic1", "m1", null, 10);
        VmNic free = new VmNic(new UUID(3, 4), "nic2", "m2", null, 10);
        Map<UUID, VmId> owners = Map.of(reported.id(), other, free.id(), vm);

        List<VmNic> own = DeviceAnalysis.ownNics(vm, List.of(), List.of(reported, free), owners);

        assertThat(own).extracting(VmNic::mac).containsExactly("m1", "m2");
        assertThat(own.getLast()).as("its own identity").isEqualTo(free);
        assertThat(own.getFirst().id()).isNotEqualTo(reported.id());
        assertThat(DeviceAnalysis.ownNics(vm, own, List.of(reported, free), Map.of()))
                .as("also when the other VM is gone")
                .isEqualTo(own);
        assertThat(DeviceAnalysis.ownNics(other, List.of(), List.of(reported), owners))
                .containsExactly(reported);
    }

    private static DeviceChanges compare(List<VmDevice> known, ReportedDevice... reported) {
        return DeviceAnalysis.compare(
                known, new ReportedDevices(List.of(reported), Map.of()), _ -> false);
    }

    private static VmDevice known(
            UUID id, String type, String device, boolean managed, boolean plugged) {
        return known(id, type, device, managed, plugged, null);
    }

    private static VmDevice known(
            UUID id,
            String type,
            String device,
            boolean managed,
            boolean plugged,
            @Nullable String logicalName) {
        return new VmDevice(
                id,
                type,
                device,
                plugged ? PCI : "",
                "ua-" + id,
                managed,
                plugged,
                false,
                logicalName);
    }

    private static ReportedDevice reported(UUID id, String type, String device, String alias) {
        return new ReportedDevice(id, type, device, PCI, alias, false, "");
    }
}
