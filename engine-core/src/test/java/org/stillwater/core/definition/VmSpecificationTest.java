package org.stillwater.core.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Definitions of impossible VMs are refused, with the reason in one sentence. */
class VmSpecificationTest {

    private static final UUID ID = new UUID(0, 1);
    private static final VmSpecification BARE = VmSpecification.BARE;

    private static void refused(ThrowingCallable made, String why) {
        assertThatIllegalArgumentException().isThrownBy(made).withMessageContaining(why);
    }

    private static VmDisk disk(UUID id, Integer boot) {
        return new VmDisk(
                id,
                "d",
                new VmDisk.Place.File("/d"),
                VmDisk.Bus.VIRTIO,
                VmDisk.Format.RAW,
                boot,
                false,
                false);
    }

    private static VmInterface nic(UUID id, String name, String mac) {
        return new VmInterface(id, name, mac, "net");
    }

    private static VmStatic vm(int memory, int sockets) {
        return new VmStatic("vm", VmOrigin.OVIRT, false, memory, 16, sockets, 1, 1, List.of());
    }

    private static VmSpecification numa(List<VmNumaPlan> nodes) {
        return with(nodes, Map.of(), Map.of(), null, VmSpecification.Firmware.BIOS, false);
    }

    private static VmSpecification with(
            List<VmNumaPlan> nodes,
            Map<Integer, String> pinning,
            Map<String, String> properties,
            String zone,
            VmSpecification.Firmware firmware,
            boolean tpm) {
        return new VmSpecification(
                null,
                null,
                VmCpu.OF_CLUSTER,
                0,
                0,
                firmware,
                List.of(),
                false,
                List.of(),
                null,
                List.of(),
                List.of(),
                VmSpecification.Video.VGA,
                false,
                true,
                tpm,
                null,
                null,
                nodes,
                pinning,
                properties,
                zone,
                VmSpecification.ResumeBehaviour.KILL,
                null,
                null,
                VmTraits.USUAL,
                null);
    }

    @Test
    void devicesAreChecked() {
        refused(() -> disk(ID, 0), "the boot order of disk d is at least 1, not 0");
        refused(() -> new VmDisk.Place.File("relative"), "the path of a file begins with /");
        refused(() -> new VmCdrom(ID, "/a\nb"), "none of them a control character");
        refused(() -> nic(ID, "n", "01:00:00:00:00:01"), "the MAC address of interface n");
        refused(() -> nic(ID, "n", "56:6F:00:00:00:01"), "lower-case");
        refused(() -> nic(ID, "n", "00:00:00:00:00:00"), "the MAC address of interface n");
        refused(
                () -> new VmConsole(VmConsole.Protocol.SPICE, "de"),
                "only a VNC console has a keyboard layout");
        refused(() -> new VmConsole(VmConsole.Protocol.VNC, "xyz"), "a keyboard layout is");
        refused(() -> new VmCpu.Named("a b", Set.of()), "the name of a CPU model");
        refused(
                () -> new VmRandomness(VmRandomness.Source.URANDOM, null, 5),
                "goes with a number of bytes");
        refused(
                () -> BARE.withDevices(List.of(disk(ID, 1), disk(ID, 2)), null, List.of()),
                "two devices have the identity " + ID);
        refused(
                () ->
                        BARE.withDevices(
                                List.of(disk(ID, 1), disk(new UUID(0, 2), 1)), null, List.of()),
                "the place in the boot order 1 is there twice");
        refused(
                () ->
                        BARE.withDevices(
                                List.of(),
                                null,
                                List.of(
                                        nic(ID, "a", "56:6f:00:00:00:01"),
                                        nic(new UUID(0, 2), "b", "56:6f:00:00:00:01"))),
                "the MAC address 56:6f:00:00:00:01 is there twice");
        refused(
                () ->
                        new VmDisk(
                                ID,
                                "d",
                                new VmDisk.Place.File("/d"),
                                VmDisk.Bus.VIRTIO,
                                VmDisk.Format.QCOW2,
                                null,
                                false,
                                true),
                "shareable, so its format must be raw");
    }

    @Test
    void theRestIsChecked() {
        refused(() -> BARE.upTo(-1, 0), "the maximum number of sockets is 0 to 512, not -1");
        refused(
                () ->
                        with(
                                List.of(),
                                Map.of(),
                                Map.of(),
                                null,
                                VmSpecification.Firmware.BIOS,
                                true),
                "a TPM takes UEFI, not BIOS");
        VmSpecification.Firmware bios = VmSpecification.Firmware.BIOS;
        refused(
                () -> with(List.of(), Map.of(0, "all"), Map.of(), null, bios, false),
                "such as 0-3,^2,8");
        refused(
                () -> with(List.of(), Map.of(), Map.of("a b", ""), null, bios, false),
                "the name of a custom property");
        refused(
                () -> with(List.of(), Map.of(), Map.of("a", "\u0001"), null, bios, false),
                "the value of custom property a");
        refused(
                () -> with(List.of(), Map.of(), Map.of(), "Mars/Olympus", bios, false),
                "a time zone has an IANA name");
        refused(
                () ->
                        numa(
                                List.of(
                                        new VmNumaPlan(
                                                List.of(0), 1, List.of(), VmNumaPlan.Mode.STRICT),
                                        new VmNumaPlan(
                                                List.of(0), 1, List.of(), VmNumaPlan.Mode.STRICT))),
                "virtual CPU 0 is in two NUMA nodes");
    }

    @Test
    void contradictionsWithTheRestOfTheDefinitionAreFound() {
        refused(() -> BARE.check(vm(8, 1)), "the memory of a VM is 16 to");
        refused(() -> BARE.upTo(0, 512).check(vm(1_024, 1)), "is less than the memory of 1024");
        refused(() -> BARE.upTo(2, 0).check(vm(1_024, 4)), "is less than the 4 that it has");
        refused(() -> BARE.check(vm(1_024, 711)), "at most 710 virtual CPUs");
        refused(
                () ->
                        numa(List.of(
                                        new VmNumaPlan(
                                                List.of(4),
                                                1_024,
                                                List.of(),
                                                VmNumaPlan.Mode.STRICT)))
                                .check(vm(1_024, 4)),
                "a NUMA node has virtual CPU 4, but the VM has 4 at most");
        refused(
                () ->
                        numa(List.of(
                                        new VmNumaPlan(
                                                List.of(0),
                                                1_000,
                                                List.of(),
                                                VmNumaPlan.Mode.STRICT)))
                                .check(vm(1_024, 4)),
                "the NUMA nodes have 1000 MiB of memory together, the VM has 1024");
        BARE.upTo(8, 4_096).check(vm(1_024, 4));
        assertThat(BARE.upTo(8, 0).sockets(vm(1_024, 4))).isEqualTo(8);
        assertThat(BARE.sockets(vm(1_024, 4))).isEqualTo(4);
    }

    @Test
    void traitsAreReadableForHostsAndUsers() {
        assertThat(BARE.traits()).isEqualTo(VmTraits.USUAL);
        for (int shares : new int[] {0, 2, 10_000}) {
            assertThat(traits("rhel_9x64", shares).cpuShares()).isEqualTo(shares);
        }
        for (int shares : new int[] {-1, 1, 10_001}) {
            refused(() -> traits("other", shares), "2 to 10000");
        }
        for (String system : new String[] {"", "two words", "x".repeat(65), "ü"}) {
            refused(() -> traits(system, 0), "guest's system");
        }
    }

    private static VmTraits traits(String system, int shares) {
        return new VmTraits(system, VmTraits.Workload.SERVER, shares, false);
    }

    @Test
    void traitsStayWhenSomethingElseIsExchanged() {
        VmTraits traits = new VmTraits("rhel_9x64", VmTraits.Workload.DESKTOP, 512, true);
        VmSpecification kept = BARE.withTraits(traits);
        assertThat(kept.withWords("a", "b").traits()).isEqualTo(traits);
        assertThat(kept.upTo(4, 4_096).traits()).isEqualTo(traits);
        assertThat(kept.withDevices(List.of(), null, List.of()).traits()).isEqualTo(traits);
        assertThat(kept.withConsoles(List.of(), VmSpecification.Video.QXL).traits())
                .isEqualTo(traits);
    }
}
