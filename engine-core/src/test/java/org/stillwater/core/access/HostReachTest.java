package org.stillwater.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;

class HostReachTest {

    private static final ClusterId CLUSTER = new ClusterId(new UUID(2, 1));
    private static final ClusterId ELSEWHERE = new ClusterId(new UUID(2, 2));
    private static final VmDisk.Place OWN = volume(1);
    private static final String ISO =
            "/rhev/data-center/mnt/nfs:_iso/5e9f/images/11111111-1111-1111-1111-111111111111/";

    private static VmDisk.Place volume(int image) {
        return new VmDisk.Place.Volume(
                new UUID(3, 1), new UUID(3, 2), new UUID(4, image), new UUID(5, image), false);
    }

    private static VmDisk disk(VmDisk.Place place, VmDisk.Format format, boolean readOnly) {
        return new VmDisk(
                UUID.randomUUID(), "data", place, VmDisk.Bus.VIRTIO, format, null, readOnly, false);
    }

    private static VmSpecification with(@Nullable String cd, VmDisk... disks) {
        return VmSpecification.BARE.withDevices(
                List.of(disks), cd == null ? null : new VmCdrom(new UUID(6, 1), cd), List.of());
    }

    private static VmSpecification hooked(Map<String, String> properties) {
        VmSpecification bare = VmSpecification.BARE;
        return new VmSpecification(
                bare.machineType(),
                bare.architecture(),
                bare.cpu(),
                bare.maximumSockets(),
                bare.maximumMemoryMebibytes(),
                bare.firmware(),
                bare.boot(),
                bare.bootMenu(),
                bare.disks(),
                bare.cdrom(),
                bare.interfaces(),
                bare.consoles(),
                bare.video(),
                bare.serialConsole(),
                bare.balloon(),
                bare.tpm(),
                bare.randomness(),
                bare.watchdog(),
                bare.numaNodes(),
                bare.cpuPinning(),
                properties,
                bare.timeZone(),
                bare.resume(),
                bare.description(),
                bare.comment(),
                bare.traits(),
                null);
    }

    private static @Nullable String operator(
            @Nullable VmSpecification before, VmSpecification next) {
        String one =
                HostReach.refusal(
                        new Caller(
                                "one",
                                Set.of(
                                        new Grant(Role.OPERATOR, new Scope.OfVm(new VmId(1, 1))),
                                        new Grant(
                                                Role.ADMINISTRATOR,
                                                new Scope.OfCluster(ELSEWHERE)))),
                        CLUSTER,
                        before,
                        next);
        assertThat(HostReach.refusal(Caller.withRole("all", Role.OPERATOR), CLUSTER, before, next))
                .isEqualTo(one);
        return one;
    }

    @Test
    void anOperatorNamesNoPlaceThatTheVmDoesNotHave() {
        VmSpecification before = with(null, disk(OWN, VmDisk.Format.RAW, false));

        for (VmDisk.Place place :
                List.of(
                        volume(2),
                        new VmDisk.Place.File("/etc/shadow"),
                        new VmDisk.Place.BlockDevice("/dev/sda"))) {
            VmDisk disk = disk(place, VmDisk.Format.RAW, true);
            assertThat(operator(before, with(null, disk))).contains("disk data", "administrator");
            assertThat(operator(null, with(null, disk))).contains("disk data");
            assertThat(
                            HostReach.refusal(
                                    new Caller(
                                            "administrator",
                                            Set.of(
                                                    new Grant(
                                                            Role.ADMINISTRATOR,
                                                            new Scope.OfCluster(CLUSTER)))),
                                    CLUSTER,
                                    before,
                                    with(null, disk)))
                    .isNull();
        }
    }

    @Test
    void devicesOfTheVmMayBeKeptNarrowedAndRemoved() {
        VmSpecification before = with("/srv/own.iso", disk(OWN, VmDisk.Format.RAW, false));

        assertThat(operator(before, before)).isNull();
        assertThat(operator(before, with("/srv/own.iso", disk(OWN, VmDisk.Format.RAW, true))))
                .isNull();
        assertThat(operator(before, with(null))).isNull();
        assertThat(operator(before, VmSpecification.BARE)).isNull();
    }

    /** A guest that writes its own header makes the host read any file named in it. */
    @Test
    void neitherAnotherFormatNorWritingIsTaken() {
        VmSpecification read = with(null, disk(OWN, VmDisk.Format.RAW, true));

        assertThat(operator(read, with(null, disk(OWN, VmDisk.Format.RAW, false)))).isNotNull();
        assertThat(operator(read, with(null, disk(OWN, VmDisk.Format.QCOW2, true)))).isNotNull();
    }

    @Test
    void imagesOfIsoDomainsAreForAllCallers() {
        assertThat(operator(with(null), with(ISO + "debian.iso"))).isNull();
    }

    @Test
    void customPropertiesAreForAdministrators() {
        VmSpecification before = hooked(Map.of("a", "1"));

        assertThat(operator(before, before)).isNull();
        assertThat(operator(before, VmSpecification.BARE)).isNull();
        for (Map<String, String> next :
                List.of(Map.of("a", "2"), Map.of("a", "1", "qemu_cmdline", "[\"-drive\"]"))) {
            assertThat(operator(before, hooked(next))).contains("custom property", "administrator");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/shadow",
                "/rhev/data-center/mnt/nfs/5e9f/images/8a1c/0b77",
                ISO + "../8a1c/0b77",
                ISO + "x/../../8a1c/0b77",
                ISO,
                "/etc" + ISO + "../../../../../../../shadow",
            })
    void otherPathsAreNoCds(String path) {
        assertThat(operator(with(null), with(path))).contains("CD");
    }

    /** A lying host must not have resources of another host used. */
    @Test
    void aReportedDefinitionHasNoResourcesOfHosts() {
        VmDisk volume =
                new VmDisk(
                        new UUID(1, 1),
                        "disk1",
                        new VmDisk.Place.Volume(
                                new UUID(2, 1),
                                new UUID(2, 2),
                                new UUID(2, 3),
                                new UUID(2, 4),
                                true),
                        VmDisk.Bus.VIRTIO,
                        VmDisk.Format.RAW,
                        null,
                        false,
                        false);
        VmDisk file =
                new VmDisk(
                        new UUID(1, 2),
                        "disk2",
                        new VmDisk.Place.File("/etc/shadow"),
                        VmDisk.Bus.VIRTIO,
                        VmDisk.Format.RAW,
                        null,
                        false,
                        false);
        VmDisk device =
                new VmDisk(
                        new UUID(1, 3),
                        "disk3",
                        new VmDisk.Place.BlockDevice("/dev/sda"),
                        VmDisk.Bus.VIRTIO,
                        VmDisk.Format.RAW,
                        null,
                        false,
                        false);
        FoundDefinition nothing = new FoundDefinition(true, List.of(), List.of("sound"));
        VmSpecification harmless =
                VmSpecification.BARE
                        .withDevices(List.of(volume), new VmCdrom(new UUID(1, 4), null), List.of())
                        .withFound(nothing);
        assertThat(HostReach.reported(harmless)).isSameAs(harmless);

        VmSpecification reaching =
                hooked(Map.of("qemu_cmdline", "x"))
                        .withDevices(
                                List.of(volume, file, device),
                                new VmCdrom(new UUID(1, 4), "/dev/sda"),
                                List.of())
                        .withFound(nothing);
        VmSpecification reported = HostReach.reported(reaching);
        assertThat(reported.disks()).containsExactly(volume);
        assertThat(reported.cdrom()).isEqualTo(new VmCdrom(new UUID(1, 4), null));
        assertThat(reported.customProperties()).isEmpty();
        assertThat(reported.found())
                .isEqualTo(
                        new FoundDefinition(
                                true,
                                List.of(
                                        "disk2 with the path /etc/shadow on the host, which an"
                                                + " administrator has to add",
                                        "disk3 with the path /dev/sda on the host, which an"
                                                + " administrator has to add"),
                                List.of(
                                        "sound",
                                        "the CD /dev/sda, which is of no ISO domain",
                                        "the custom property qemu_cmdline, which an administrator"
                                                + " has to set")));
    }
}
