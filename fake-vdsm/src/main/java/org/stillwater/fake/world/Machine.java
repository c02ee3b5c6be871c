package org.stillwater.fake.world;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a VM that do not depend on its host: its devices, its guest. It moves as a
 * whole in a migration, and outlives the domain records hosts hold of it.
 *
 * <p>Guarded by the world's lock for writing and by the monitor of the host that runs it as well;
 * hosts read it under their own monitor.
 *
 * <p>It is long because all devices of a machine move together, under the same locks.
 */
final class Machine {

    private static final UUID BLOCK_STORAGE =
            UUID.fromString("f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6");
    private static final UUID FILE_STORAGE =
            UUID.fromString("0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a");
    private static final long GIB = 1L << 30;
    private static final String[] ROLES = {
        "web-frontend", "app", "db-pg", "ci-runner", "cache", "mail", "build", "files", "report"
    };

    final int serial;
    final UUID id;
    final String idText;
    final String name;
    final long seed;
    final GuestOs os;
    final int memoryMib;
    final int vcpus;
    final boolean spice;
    final boolean ballooning;

    /** Kinds of its consoles in their order, {@code vnc} and {@code spice}. */
    final List<String> graphics;

    /** Memory that ballooning leaves to it. */
    final int guaranteedMib;

    /** Whether the host controls its balloon. */
    final boolean balloon;

    private final boolean tpm;

    /** Whether its firmware keeps variables. */
    final boolean nvram;

    /**
     * The definition it was started with, without the disks and NICs, which have their own; {@code
     * null} for one without a definition a definition of. Replaced as a whole.
     */
    volatile @Nullable XmlElement definition;

    /** Mean CPU time used in 15 s, in nanoseconds. */
    final long cpuNanosPerSample;

    final int timeOffsetSeconds;

    /** Replaced as a whole, so that a host reads one state of it without the others' monitors. */
    volatile List<Nic> nics = List.of();

    /** The same. */
    volatile List<Disk> disks = List.of();

    /** Number of changes of the trusted platform module's content. */
    private volatile int tpmChanges;

    /** Content of the trusted platform module at the start; {@code null} for none. */
    private volatile @Nullable String givenTpm;

    private volatile @Nullable String givenNvram;

    volatile boolean agent;

    /** Whether its guest obeys a request to shut down. */
    volatile boolean obeys = true;

    volatile String userName = "";
    volatile String session = "Unknown";

    /** The record of the host that runs it, or ran it last; {@code null} if no host knows it. */
    volatile @Nullable Domain home;

    private Machine(
            int serial,
            UUID id,
            String name,
            long seed,
            GuestOs os,
            Hardware hardware,
            boolean agent) {
        this.serial = serial;
        this.id = id;
        this.idText = id.toString();
        this.name = name;
        this.seed = seed;
        this.os = os;
        this.memoryMib = hardware.memoryMib;
        this.vcpus = hardware.vcpus;
        this.agent = agent;
        this.graphics = hardware.graphics;
        this.spice = hardware.graphics.contains("spice");
        this.ballooning = hardware.dice.nextInt(100) < 70;
        this.cpuNanosPerSample =
                Math.min(
                        Meter.LARGEST_MEAN,
                        15_000_000L * hardware.vcpus * (5 + hardware.dice.nextInt(400)));
        this.timeOffsetSeconds = os.isWindows() ? 7200 : 0;
        DomainDefinition from = hardware.from;
        this.guaranteedMib = from == null ? memoryMib / 2 : from.guaranteedMib();
        this.balloon = from == null || from.balloon();
        this.tpm = from == null ? os.isWindows() && agent : from.tpm();
        this.nvram = from != null && from.nvram();
        this.definition = from == null ? null : DefinedDomainXml.withoutNicsAndDisks(from.xml());
    }

    /** The properties in which machines differ, and their source. */
    private record Hardware(
            int memoryMib,
            int vcpus,
            List<String> graphics,
            SplittableRandom dice,
            @Nullable DomainDefinition from) {

        static final List<String> VNC = List.of("vnc");
        static final List<String> BOTH = List.of("vnc", "spice");
    }

    /** A machine of the mix that belongs to a report size. */
    static Machine generated(long worldSeed, int serial, ReportSize size) {
        long seed = Seeds.of(Seeds.of(worldSeed, "machine"), serial);
        SplittableRandom dice = Seeds.stream(seed, "shape");
        Kind kind = Kind.draw(size, dice.nextInt(100));
        GuestOs os = kind.windows ? GuestOs.windows() : GuestOs.linux(dice.nextInt(4));
        int vcpus = 1 << dice.nextInt(4);
        int memoryMib = 2048 << dice.nextInt(4);
        String role = kind.windows ? "win" : ROLES[dice.nextInt(ROLES.length)];
        Machine machine =
                new Machine(
                        serial,
                        Seeds.uuid(Seeds.of(seed, "id")),
                        "%s-%05d".formatted(role, serial),
                        seed,
                        os,
                        new Hardware(
                                memoryMib,
                                vcpus,
                                dice.nextInt(100) < 40 ? Hardware.BOTH : Hardware.VNC,
                                dice,
                                null),
                        kind.agent);
        for (int i = 0; i < kind.nics; i++) {
            machine.plug(machine.newNic(i, Long.MIN_VALUE));
        }
        machine.plug(machine.newCd());
        for (int i = 0; i < kind.disks; i++) {
            machine.plug(machine.newDisk(i, kind.limited && i == 1, Long.MIN_VALUE));
        }
        if (kind.agent && dice.nextInt(100) < 20) {
            machine.userName = os.isWindows() ? "Administrator" : "root";
        }
        return machine;
    }

    /** A described machine. */
    static Machine described(long worldSeed, int serial, MachineSpec spec) {
        long seed = Seeds.of(Seeds.of(worldSeed, "machine"), serial);
        SplittableRandom dice = Seeds.stream(seed, "shape");
        UUID id = spec.id();
        String name = spec.name();
        Machine machine =
                new Machine(
                        serial,
                        id == null ? Seeds.uuid(Seeds.of(seed, "id")) : id,
                        name == null ? "vm-%05d".formatted(serial) : name,
                        seed,
                        spec.windows() ? GuestOs.windows() : GuestOs.linux(dice.nextInt(4)),
                        new Hardware(spec.memoryMib(), spec.vcpus(), Hardware.VNC, dice, null),
                        spec.agent());
        for (int i = 0; i < spec.nics(); i++) {
            machine.plug(machine.newNic(i, Long.MIN_VALUE));
        }
        machine.plug(machine.newCd());
        for (int i = 0; i < spec.disks(); i++) {
            machine.plug(machine.newDisk(i, false, Long.MIN_VALUE));
        }
        return machine;
    }

    /** A machine defined in XML: its devices are those of the definition. */
    static Machine defined(long worldSeed, int serial, DomainDefinition definition) {
        long seed = Seeds.of(Seeds.of(worldSeed, "machine"), serial);
        SplittableRandom dice = Seeds.stream(seed, "shape");
        Machine machine =
                new Machine(
                        serial,
                        definition.id(),
                        definition.name(),
                        seed,
                        GuestOs.linux(dice.nextInt(4)),
                        new Hardware(
                                definition.memoryMib(),
                                definition.vcpus(),
                                definition.graphics(),
                                dice,
                                definition),
                        definition.agentChannel());
        definition.nics().forEach(nic -> machine.plug(machine.definedNic(nic, Long.MIN_VALUE)));
        definition.disks().forEach(disk -> machine.plug(machine.definedDisk(disk, Long.MIN_VALUE)));
        return machine;
    }

    Nic definedNic(DomainDefinition.NicDefinition definition, long pluggedAt) {
        Nic chance = newNic(nics.size(), pluggedAt);
        String mac = definition.mac();
        UUID device = definition.deviceId();
        return new Nic(
                chance.serial(),
                mac == null ? chance.mac() : Long.parseLong(mac.replace(":", ""), 16),
                device == null ? chance.deviceId() : device,
                definition.network(),
                chance.address(),
                pluggedAt,
                chance.bytesPerSample(),
                chance.dropped(),
                definition.model(),
                definition.xml());
    }

    Disk definedDisk(DomainDefinition.DiskDefinition definition, long pluggedAt) {
        Disk chance = newDisk(disks.size(), false, pluggedAt);
        UUID device = definition.deviceId();
        UUID volume = definition.volume();
        UUID storage = definition.storage();
        boolean cd = definition.cd();
        return new Disk(
                definition.device(),
                definition.bus(),
                device == null ? chance.deviceId() : device,
                cd,
                cd ? null : definition.image(),
                volume == null ? chance.volume() : volume,
                cd ? null : definition.lun(),
                storage == null ? chance.storage() : storage,
                definition.block(),
                cd ? 0 : chance.capacityBytes(),
                cd ? 0 : chance.allocatedBytes(),
                0,
                chance.readPerSample(),
                chance.writtenPerSample(),
                pluggedAt,
                definition.xml());
    }

    Nic newNic(int index, long pluggedAt) {
        int nicSerial = serial * 8 + index + 1;
        SplittableRandom dice = Seeds.stream(Seeds.of(seed, index), "nic");
        String address =
                "10.%d.%d.%d"
                        .formatted(
                                30 + (nicSerial >> 16) % 200,
                                nicSerial >> 8 & 255,
                                nicSerial & 255);
        return new Nic(
                nicSerial,
                Nic.macOf(nicSerial),
                Seeds.uuid(dice.nextLong()),
                index == 0 ? "ovirtmgmt" : "vmnet100",
                address,
                pluggedAt,
                15_000 + dice.nextInt(30_000_000),
                dice.nextInt(10) == 0 ? dice.nextInt(500) : 0,
                "virtio",
                null);
    }

    Disk newDisk(int index, boolean limited, long pluggedAt) {
        SplittableRandom dice = Seeds.stream(Seeds.of(seed, index), "disk");
        UUID image = Seeds.uuid(dice.nextLong());
        boolean block = dice.nextBoolean();
        long capacity = GIB * (20 + 10 * dice.nextInt(20));
        boolean reads = dice.nextInt(100) < 60;
        boolean sata = os.isWindows();
        return new Disk(
                (sata ? "sd" : "vd") + (char) ('a' + index),
                sata ? "scsi" : "virtio",
                image,
                false,
                image,
                Seeds.uuid(dice.nextLong()),
                null,
                block ? BLOCK_STORAGE : FILE_STORAGE,
                block,
                capacity,
                ((capacity >> 20) * (10 + dice.nextInt(90)) / 100) << 20,
                limited ? 1000 * (1 + dice.nextInt(9)) : 0,
                reads ? 4096 + dice.nextInt(2_000_000) : 0,
                16_384 + dice.nextInt(4_000_000),
                pluggedAt,
                null);
    }

    /** A LUN that the VM uses directly; the storage array determines its size. */
    Disk newLun(int index, int gibibytes, long pluggedAt) {
        Disk chance = newDisk(index, false, pluggedAt);
        SplittableRandom dice = Seeds.stream(Seeds.of(seed, index), "lun");
        return new Disk(
                chance.device(),
                chance.bus(),
                chance.deviceId(),
                false,
                null,
                chance.volume(),
                "36001405%08x%016x".formatted(dice.nextInt(), dice.nextLong()),
                chance.storage(),
                true,
                GIB * gibibytes,
                GIB * gibibytes,
                0,
                chance.readPerSample(),
                chance.writtenPerSample(),
                pluggedAt,
                null);
    }

    private Disk newCd() {
        SplittableRandom dice = Seeds.stream(seed, "cd");
        return new Disk(
                os.isWindows() ? "hdc" : "sdc",
                "sata",
                Seeds.uuid(dice.nextLong()),
                true,
                null,
                Seeds.uuid(dice.nextLong()),
                null,
                FILE_STORAGE,
                false,
                0,
                0,
                0,
                0,
                0,
                Long.MIN_VALUE,
                null);
    }

    /** Whether it has a trusted platform module; only newer hosts report it. */
    boolean hasTpm() {
        return tpm;
    }

    /** Gives its devices the content they had when it ran last. */
    void remember(@Nullable String tpmContent, @Nullable String nvramContent) {
        givenTpm = tpmContent;
        givenNvram = nvramContent;
    }

    /** Identifies one content of the trusted platform module (§3.3.2). */
    String tpmHash() {
        return sha256(tpmData());
    }

    /** A number that differs after each change of its TPM's or firmware's content. */
    long secretChanges() {
        return tpmChanges;
    }

    synchronized void changeTpm() {
        tpmChanges++;
    }

    /** The content itself, in Base64. */
    String tpmData() {
        String given = givenTpm;
        return given != null && tpmChanges == 0
                ? given
                : content("tpm", Seeds.of(Seeds.of(seed, "tpm"), tpmChanges));
    }

    /** Identifies one content of the firmware's variables. */
    String nvramHash() {
        return sha256(nvramData());
    }

    /** The firmware's variables, in Base64. */
    String nvramData() {
        String given = givenNvram;
        return given != null ? given : content("nvram", Seeds.of(seed, "nvram"));
    }

    private String content(String device, long chance) {
        byte[] content =
                "%s of %s %016x".formatted(device, idText, chance).getBytes(StandardCharsets.UTF_8);
        return Base64.getEncoder().encodeToString(content);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    void plug(Nic nic) {
        List<Nic> more = new ArrayList<>(nics);
        more.add(nic);
        nics = List.copyOf(more);
    }

    void plug(Disk disk) {
        List<Disk> more = new ArrayList<>(disks);
        more.add(disk);
        disks = List.copyOf(more);
    }

    /** Another disk in the place of the last one. */
    void replaceLastDisk(Disk disk) {
        replaceDisk(disks.size() - 1, disk);
    }

    /** Another disk in the place of this one. */
    void replaceDisk(int index, Disk disk) {
        List<Disk> others = new ArrayList<>(disks);
        others.set(index, disk);
        disks = List.copyOf(others);
    }

    void unplugNic(int index) {
        List<Nic> others = new ArrayList<>(nics);
        Nic _ = others.remove(index);
        nics = List.copyOf(others);
    }

    void unplugDisk(int index) {
        List<Disk> others = new ArrayList<>(disks);
        Disk _ = others.remove(index);
        disks = List.copyOf(others);
    }

    void changeNic(int index, Nic changed) {
        List<Nic> others = new ArrayList<>(nics);
        others.set(index, changed);
        nics = List.copyOf(others);
    }

    long memoryKib() {
        return memoryMib * 1024L;
    }

    /** The memory that the guest's kernel sees. */
    long guestMemoryKib() {
        return memoryKib() * 955 / 1000;
    }

    int unusedPermille() {
        return 50 + (int) (seed >>> 8 & 255);
    }

    int cachedPermille() {
        return 200 + (int) (seed >>> 16 & 255);
    }

    boolean hasBalloonDriver() {
        return agent || !os.isWindows();
    }

    /** The guest's name for itself. */
    String hostName() {
        return name + ".example.test";
    }

    /** The kinds of guests in a mix, with the properties that lengthen their reports. */
    private enum Kind {
        LINUX_SERVER(false, true, 2, 2, true),
        LINUX_DATABASE(false, true, 1, 2, false),
        WINDOWS_AGENT(true, true, 1, 2, true),
        LINUX_SMALL(false, true, 1, 1, false),
        WINDOWS_BARE(true, false, 1, 1, false),
        LINUX_BARE(false, false, 1, 1, false);

        final boolean windows;
        final boolean agent;
        final int nics;
        final int disks;
        final boolean limited;

        Kind(boolean windows, boolean agent, int nics, int disks, boolean limited) {
            this.windows = windows;
            this.agent = agent;
            this.nics = nics;
            this.disks = disks;
            this.limited = limited;
        }

        static Kind draw(ReportSize size, int percent) {
            return switch (size) {
                case FULL ->
                        percent < 50
                                ? LINUX_SERVER
                                : percent < 75
                                        ? LINUX_DATABASE
                                        : percent < 85 ? WINDOWS_AGENT : WINDOWS_BARE;
                case SMALL -> percent < 50 ? WINDOWS_BARE : percent < 90 ? LINUX_BARE : LINUX_SMALL;
            };
        }
    }
}
