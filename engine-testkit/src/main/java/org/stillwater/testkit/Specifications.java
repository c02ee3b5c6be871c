package org.stillwater.testkit;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.definition.VmWatchdog;

/** Specifications of VMs for tests, the same for the same seed. */
public final class Specifications {

    private static final int MOST_DISKS = 6;
    private static final int MOST_INTERFACES = 4;

    private final SplittableRandom dice;

    private Specifications(long seed) {
        dice = new SplittableRandom(seed);
    }

    /** Any valid specification: everything in it varies with the seed. */
    public static VmSpecification any(long seed) {
        return new Specifications(seed).specification();
    }

    private VmSpecification specification() {
        VmSpecification.Firmware firmware = one(VmSpecification.Firmware.values());
        return new VmSpecification(
                maybe(() -> "pc-q35-rhel9.4.0"),
                maybe(() -> one(CpuArchitecture.values())),
                cpu(),
                dice.nextInt(513),
                dice.nextInt(1 << 20),
                firmware,
                boot(),
                dice.nextBoolean(),
                disks(),
                maybe(() -> new VmCdrom(id(), maybe(() -> "/iso/" + name()))),
                interfaces(),
                consoles(),
                one(VmSpecification.Video.values()),
                dice.nextBoolean(),
                dice.nextBoolean(),
                firmware != VmSpecification.Firmware.BIOS && dice.nextBoolean(),
                maybe(this::randomness),
                maybe(() -> new VmWatchdog(one(VmWatchdog.Action.values()))),
                numa(),
                pinning(),
                properties(),
                maybe(() -> "America/St_Johns"),
                one(VmSpecification.ResumeBehaviour.values()),
                maybe(() -> "what it is for, \"quoted\"\n日本"),
                maybe(() -> "of " + name()),
                traits(),
                maybe(() -> new FoundDefinition(false, List.of("disk " + name()), List.of("a"))));
    }

    private VmTraits traits() {
        return new VmTraits(
                dice.nextBoolean() ? "other" : "rhel_9x64",
                one(VmTraits.Workload.values()),
                dice.nextBoolean() ? 0 : 2 + dice.nextInt(9_999),
                dice.nextBoolean());
    }

    private VmCpu cpu() {
        return switch (dice.nextInt(3)) {
            case 0 -> VmCpu.OF_CLUSTER;
            case 1 -> VmCpu.OF_HOST;
            default ->
                    new VmCpu.Named(
                            "Haswell-noTSX",
                            dice.nextBoolean() ? Set.of() : Set.of("vmx", "spec-ctrl", "a.b_c+d"));
        };
    }

    private List<VmSpecification.BootDevice> boot() {
        Set<VmSpecification.BootDevice> devices = EnumSet.noneOf(VmSpecification.BootDevice.class);
        for (VmSpecification.BootDevice device : VmSpecification.BootDevice.values()) {
            if (dice.nextBoolean()) {
                devices.add(device);
            }
        }
        List<VmSpecification.BootDevice> order = new ArrayList<>(devices);
        return dice.nextBoolean() ? order : order.reversed();
    }

    private List<VmDisk> disks() {
        List<VmDisk> disks = new ArrayList<>();
        int count = dice.nextInt(MOST_DISKS + 1);
        for (int i = 1; i <= count; i++) {
            VmDisk.Format format = one(VmDisk.Format.values());
            VmDisk.Bus bus = one(VmDisk.Bus.values());
            int order = i;
            disks.add(
                    new VmDisk(
                            id(),
                            name(),
                            place(),
                            bus,
                            format,
                            maybe(() -> order),
                            bus != VmDisk.Bus.SATA && dice.nextBoolean(),
                            format == VmDisk.Format.RAW && dice.nextBoolean(),
                            i % 3 == 0));
        }
        return disks;
    }

    private VmDisk.Place place() {
        return switch (dice.nextInt(3)) {
            case 0 -> new VmDisk.Place.Volume(id(), id(), id(), id(), dice.nextBoolean());
            case 1 -> new VmDisk.Place.BlockDevice("/dev/mapper/" + name());
            default -> new VmDisk.Place.File("/srv/" + name());
        };
    }

    private List<VmInterface> interfaces() {
        List<VmInterface> interfaces = new ArrayList<>();
        int count = dice.nextInt(MOST_INTERFACES + 1);
        for (int i = 0; i < count; i++) {
            interfaces.add(
                    new VmInterface(
                            id(),
                            name() + i,
                            "56:6f:00:00:01:%02x".formatted(i),
                            maybe(this::name),
                            one(VmInterface.Model.values()),
                            dice.nextBoolean(),
                            maybe(() -> dice.nextInt(68, 65_521)),
                            dice.nextBoolean(),
                            i % 3 == 2));
        }
        return interfaces;
    }

    private List<VmConsole> consoles() {
        List<VmConsole> consoles = new ArrayList<>();
        if (dice.nextBoolean()) {
            consoles.add(new VmConsole(VmConsole.Protocol.VNC, maybe(() -> "en-us")));
        }
        if (dice.nextBoolean()) {
            consoles.add(new VmConsole(VmConsole.Protocol.SPICE, null));
        }
        return consoles;
    }

    private VmRandomness randomness() {
        Integer bytes = maybe(() -> dice.nextInt(1, 9_999));
        return new VmRandomness(
                one(VmRandomness.Source.values()),
                bytes,
                bytes == null ? null : maybe(() -> dice.nextInt(1, 9_999)));
    }

    private List<VmNumaPlan> numa() {
        List<VmNumaPlan> nodes = new ArrayList<>();
        int count = dice.nextInt(4);
        for (int i = 0; i < count; i++) {
            nodes.add(
                    new VmNumaPlan(
                            dice.nextBoolean() ? List.of() : List.of(2 * i, 2 * i + 1),
                            dice.nextInt(1, 99_999),
                            dice.nextBoolean() ? List.of() : List.of(0, 4_095),
                            one(VmNumaPlan.Mode.values())));
        }
        return nodes;
    }

    private Map<Integer, String> pinning() {
        Map<Integer, String> pinning = new HashMap<>();
        for (int i = dice.nextInt(4); i > 0; i--) {
            pinning.put(dice.nextInt(710), "0-" + i + ",^1");
        }
        return pinning;
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        for (int i = dice.nextInt(4); i > 0; i--) {
            properties.put("_Hook-" + i, dice.nextBoolean() ? "" : name());
        }
        return properties;
    }

    private String name() {
        return one(
                new String[] {
                    "web-1",
                    "a<b>&\"c\"'d'\\e",
                    "{\"kind\":\"file\"}",
                    " leading blank",
                    "snow \u2603 and \uD83D\uDE00",
                    "null",
                    "\\u0000"
                });
    }

    private UUID id() {
        return new UUID(dice.nextLong(), dice.nextLong());
    }

    private <E> @Nullable E maybe(Supplier<E> value) {
        return dice.nextBoolean() ? null : value.get();
    }

    private <E> E one(E[] all) {
        return all[dice.nextInt(all.length)];
    }
}
