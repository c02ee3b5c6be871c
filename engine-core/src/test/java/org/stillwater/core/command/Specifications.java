package org.stillwater.core.command;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;

/** VMs to write domain XML of. */
final class Specifications {

    static final VmId VM = VmId.parse("c3f08e7b-2a64-4915-8d9c-51b7a6e0f305");

    static final StartEnvironment SURROUNDINGS =
            new StartEnvironment(
                    new CompatibilityVersion(4, 8),
                    "pc-q35-rhel9.4.0",
                    CpuArchitecture.X86_64,
                    new CpuType(
                            "Intel Cascadelake",
                            Set.of("vmx", "model_Cascadelake-Server", "md_clear", "spec_ctrl"),
                            null,
                            null),
                    "ovirtmgmt",
                    Instant.parse("2026-07-01T12:00:00Z"),
                    false,
                    false);

    private Specifications() {}

    static VmStatic vm(String name, int memory, int sockets, int cores, int threads) {
        return new VmStatic(
                name,
                VmOrigin.OVIRT,
                false,
                memory,
                memory / 2,
                sockets,
                cores,
                threads,
                List.of(),
                false,
                ClusterId.DEFAULT);
    }

    static UUID id(int number) {
        return new UUID(0x5711_4000_8000_4000L, 0x8000_0000_0000_0000L + number);
    }

    /** One disk, one interface, VNC. */
    static VmSpecification simple() {
        return VmSpecification.BARE
                .withDevices(
                        List.of(disk(1, VmDisk.Bus.VIRTIO, null)),
                        new VmCdrom(id(2), null),
                        List.of(new VmInterface(id(3), "nic1", "56:6f:00:00:00:01", "ovirtmgmt")))
                .withConsoles(
                        List.of(new VmConsole(VmConsole.Protocol.VNC, "en-us")),
                        VmSpecification.Video.VGA);
    }

    private static VmDisk disk(int number, VmDisk.Bus bus, Integer boot) {
        return new VmDisk(
                id(number),
                "disk" + number,
                new VmDisk.Place.Volume(id(900), id(901), id(number), id(number + 500), false),
                bus,
                VmDisk.Format.QCOW2,
                boot,
                false,
                false);
    }

    /** One of everything. */
    static VmSpecification full() {
        return new VmSpecification(
                "pc-q35-rhel9.2.0",
                CpuArchitecture.X86_64,
                new VmCpu.Named("Haswell-noTSX", Set.of("vmx", "spec-ctrl")),
                16,
                65_536,
                VmSpecification.Firmware.UEFI_SECURE_BOOT,
                List.of(
                        VmSpecification.BootDevice.CDROM,
                        VmSpecification.BootDevice.DISK,
                        VmSpecification.BootDevice.NETWORK),
                true,
                List.of(
                        disk(1, VmDisk.Bus.VIRTIO, 2),
                        disk(2, VmDisk.Bus.VIRTIO_SCSI, 1),
                        new VmDisk(
                                id(3),
                                "raw",
                                new VmDisk.Place.BlockDevice("/dev/mapper/360001"),
                                VmDisk.Bus.VIRTIO_SCSI,
                                VmDisk.Format.RAW,
                                null,
                                true,
                                true),
                        new VmDisk(
                                id(4),
                                "file",
                                new VmDisk.Place.File("/srv/a & b/<disk>'\".img"),
                                VmDisk.Bus.SATA,
                                VmDisk.Format.RAW,
                                null,
                                false,
                                false)),
                new VmCdrom(id(5), "/srv/iso/boot.iso"),
                List.of(
                        new VmInterface(id(6), "nic1", "56:6f:00:00:00:01", "ovirtmgmt"),
                        new VmInterface(
                                id(7),
                                "nic2",
                                "56:6f:00:00:00:02",
                                null,
                                VmInterface.Model.E1000,
                                true,
                                null,
                                false),
                        new VmInterface(
                                id(8),
                                "nic3",
                                "56:6f:00:00:00:03",
                                "blue",
                                VmInterface.Model.RTL8139,
                                false,
                                9_000,
                                true)),
                List.of(
                        new VmConsole(VmConsole.Protocol.SPICE, null),
                        new VmConsole(VmConsole.Protocol.VNC, "de")),
                VmSpecification.Video.QXL,
                true,
                true,
                true,
                new VmRandomness(VmRandomness.Source.HARDWARE, 1_234, 2_000),
                new VmWatchdog(VmWatchdog.Action.RESET),
                List.of(
                        new VmNumaPlan(List.of(0, 1), 4_096, List.of(0), VmNumaPlan.Mode.STRICT),
                        new VmNumaPlan(
                                List.of(2, 3), 4_096, List.of(1), VmNumaPlan.Mode.PREFERRED)),
                Map.of(0, "0-3", 1, "4-7,^5"),
                Map.of("hook", "a<b>&\"c\" ]]> d'", "other", ""),
                "Europe/Berlin",
                VmSpecification.ResumeBehaviour.LEAVE_PAUSED,
                null,
                null,
                new VmTraits("rhel_9x64", VmTraits.Workload.HIGH_PERFORMANCE, 512, true),
                null);
    }

    /** Names that are not easy on writers of XML. */
    private static final List<String> NAMES =
            List.of(
                    "web-1",
                    "a<b>&c",
                    "\"quoted\" and 'quoted'",
                    "]]>",
                    "<!-- -->",
                    "&amp;",
                    "snow \u2603 and \uD83D\uDE00",
                    " leading blank",
                    "?>",
                    "Zwölf");

    /** Any valid specification, and a VM that goes with it. */
    record Any(VmStatic vm, VmSpecification specification) {}

    static Any any(RandomGenerator dice) {
        int sockets = 1 + dice.nextInt(8);
        int cores = 1 + dice.nextInt(4);
        int threads = 1 + dice.nextInt(2);
        int maximumSockets = dice.nextBoolean() ? 0 : sockets + dice.nextInt(8);
        int cpus = Math.max(sockets, maximumSockets) * cores * threads;
        int nodes = dice.nextInt(4);
        int memory = 16 + dice.nextInt(200_000);
        List<VmDisk> disks = new ArrayList<>();
        int count = dice.nextInt(40);
        for (int i = 0; i < count; i++) {
            disks.add(anyDisk(dice, i));
        }
        List<VmInterface> nics = new ArrayList<>();
        count = dice.nextInt(8);
        for (int i = 0; i < count; i++) {
            nics.add(
                    new VmInterface(
                            id(2_000 + i),
                            name(dice) + i,
                            "56:6f:00:00:01:%02x".formatted(i),
                            dice.nextBoolean() ? name(dice) : null,
                            one(dice, VmInterface.Model.values()),
                            dice.nextBoolean(),
                            dice.nextBoolean() ? 68 + dice.nextInt(9_000) : null,
                            dice.nextBoolean()));
        }
        List<VmNumaPlan> numa = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            int part = i == nodes - 1 ? memory - (nodes - 1) : 1;
            numa.add(
                    new VmNumaPlan(
                            i < cpus ? List.of(i) : List.of(),
                            part,
                            dice.nextBoolean() ? List.of() : List.of(0, 1),
                            one(dice, VmNumaPlan.Mode.values())));
        }
        Map<Integer, String> pinning = new HashMap<>();
        Map<String, String> properties = new HashMap<>();
        for (int i = dice.nextInt(4); i > 0; i--) {
            pinning.put(dice.nextInt(cpus), "0-" + i + ",^1");
            properties.put("p" + i, name(dice));
        }
        VmSpecification.Firmware firmware = one(dice, VmSpecification.Firmware.values());
        List<VmConsole> consoles = new ArrayList<>();
        if (dice.nextBoolean()) {
            consoles.add(new VmConsole(VmConsole.Protocol.VNC, dice.nextBoolean() ? "de" : null));
        }
        if (dice.nextBoolean()) {
            consoles.add(new VmConsole(VmConsole.Protocol.SPICE, null));
        }
        return new Any(
                vm(name(dice), memory, sockets, cores, threads),
                new VmSpecification(
                        dice.nextBoolean() ? null : "q35",
                        null,
                        switch (dice.nextInt(3)) {
                            case 0 -> VmCpu.OF_CLUSTER;
                            case 1 -> VmCpu.OF_HOST;
                            default -> new VmCpu.Named("EPYC", Set.of("svm"));
                        },
                        maximumSockets,
                        dice.nextBoolean() ? 0 : memory + dice.nextInt(100_000),
                        firmware,
                        new ArrayList<>(
                                new TreeSet<>(
                                        List.of(
                                                one(dice, VmSpecification.BootDevice.values()),
                                                one(dice, VmSpecification.BootDevice.values())))),
                        dice.nextBoolean(),
                        disks,
                        dice.nextBoolean()
                                ? new VmCdrom(
                                        id(3_000), dice.nextBoolean() ? null : "/iso/" + name(dice))
                                : null,
                        nics,
                        consoles,
                        one(dice, VmSpecification.Video.values()),
                        dice.nextBoolean(),
                        dice.nextBoolean(),
                        firmware != VmSpecification.Firmware.BIOS && dice.nextBoolean(),
                        dice.nextBoolean()
                                ? null
                                : new VmRandomness(
                                        one(dice, VmRandomness.Source.values()), 5, null),
                        dice.nextBoolean()
                                ? null
                                : new VmWatchdog(one(dice, VmWatchdog.Action.values())),
                        numa,
                        pinning,
                        properties,
                        dice.nextBoolean() ? null : "America/St_Johns",
                        one(dice, VmSpecification.ResumeBehaviour.values()),
                        null,
                        null,
                        new VmTraits(
                                "other",
                                VmTraits.Workload.SERVER,
                                dice.nextBoolean() ? 0 : 2 + dice.nextInt(9_999),
                                false),
                        null));
    }

    private static VmDisk anyDisk(RandomGenerator dice, int number) {
        boolean raw = dice.nextBoolean();
        VmDisk.Bus bus = one(dice, VmDisk.Bus.values());
        return new VmDisk(
                id(1_000 + number),
                name(dice),
                switch (dice.nextInt(3)) {
                    case 0 ->
                            new VmDisk.Place.Volume(
                                    id(900),
                                    id(901),
                                    id(1_000 + number),
                                    id(1_500 + number),
                                    dice.nextBoolean());
                    case 1 -> new VmDisk.Place.BlockDevice("/dev/mapper/" + name(dice));
                    default -> new VmDisk.Place.File("/srv/" + name(dice));
                },
                bus,
                raw ? VmDisk.Format.RAW : VmDisk.Format.QCOW2,
                dice.nextBoolean() ? null : number + 1,
                bus != VmDisk.Bus.SATA && dice.nextBoolean(),
                raw && dice.nextBoolean());
    }

    private static String name(RandomGenerator dice) {
        return NAMES.get(dice.nextInt(NAMES.size()));
    }

    private static <E> E one(RandomGenerator dice, E[] all) {
        return all[dice.nextInt(all.length)];
    }
}
