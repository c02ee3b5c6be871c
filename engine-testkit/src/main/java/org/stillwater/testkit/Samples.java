package org.stillwater.testkit;

import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.GuestSession;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** Data for tests, the same for the same seed. Stateless. */
public final class Samples {

    /**
     * Text that breaks careless quoting: quotes, braces, commas, backslashes, NULL, other scripts,
     * an emoji.
     */
    public static final String AWKWARD = "a\"b'c\\d{e},NULL;--\n\tÜ漢字😀 ";

    private Samples() {}

    /** A VM's identity. */
    public static VmId vm(long seed) {
        return VmId.of(uuid("vm", seed));
    }

    /** A host's identity. */
    public static HostId host(long seed) {
        return new HostId(uuid("host", seed));
    }

    /** A host. */
    public static HostDefinition hostDefinition(long seed) {
        return new HostDefinition(
                host(seed), "host-" + seed, "host-" + seed + ".example.org", 54321);
    }

    /** A cluster of the first data centre that takes every host. */
    public static Cluster cluster(long seed) {
        return new Cluster(
                new ClusterId(uuid("cluster", seed)),
                DataCentreId.DEFAULT,
                "cluster-" + seed,
                "",
                HostRequirements.NONE,
                MigrateOnError.ALL,
                FencingPolicy.DEFAULT,
                MemoryThresholds.DEFAULT);
    }

    /**
     * A runtime in which every field has a value that differs from its default, and from other
     * seeds' mostly.
     */
    public static VmRuntime runtime(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        VmRuntime.Draft draft = VmRuntime.INITIAL.edit();
        for (RuntimeField field : RuntimeField.values()) {
            draft.set(field, value(field, seed, random));
        }
        return draft.build();
    }

    private static Object value(RuntimeField field, long seed, SplittableRandom random) {
        return switch (field.type()) {
            case TEXT -> field.column() + " " + seed + " " + AWKWARD;
            case INTEGER -> random.nextInt();
            case LONG -> random.nextLong();
            case BOOLEAN -> !Boolean.TRUE.equals(field.defaultValue());
            case VM_STATUS -> pick(VmStatus.values(), VmStatus.DOWN, random);
            case PAUSE_STATUS -> pick(PauseStatus.values(), PauseStatus.NONE, random);
            case EXIT_STATUS -> pick(ExitStatus.values(), ExitStatus.NORMAL, random);
            case EXIT_REASON -> pick(ExitReason.values(), ExitReason.UNKNOWN, random);
            case GUEST_SESSION -> pick(GuestSession.values(), GuestSession.UNKNOWN, random);
            case GUEST_NICS -> guestNics(seed);
        };
    }

    private static <E> E pick(E[] values, E not, SplittableRandom random) {
        E picked = values[random.nextInt(values.length)];
        return picked.equals(not) ? values[values[0].equals(not) ? 1 : 0] : picked;
    }

    /** Two guest interfaces with a digest of their own. */
    public static GuestNics guestNics(long seed) {
        return new GuestNics(
                Long.MIN_VALUE + seed,
                List.of(
                        new GuestNic(
                                "eth0",
                                "52:54:00:00:00:%02x".formatted(seed & 0xff),
                                List.of("10.0.0." + (seed & 0xff), AWKWARD),
                                List.of("fe80::" + Long.toHexString(seed & 0xffff) + "%2")),
                        new GuestNic(
                                "a name, \"quoted\"", "52:54:00:00:01:00", List.of(), List.of())));
    }

    /** A VM with two interfaces, every field reported, that runs nowhere. */
    public static StoredVm storedVm(long seed) {
        return new StoredVm(vm(seed), definition(seed), runtime(seed), VmPlacement.NOWHERE);
    }

    /** A definition with two interfaces. */
    public static VmStatic definition(long seed) {
        return new VmStatic(
                "vm-" + seed + " " + AWKWARD,
                VmOrigin.EXTERNAL,
                seed % 2 == 0,
                4096,
                2048,
                2,
                3,
                1,
                List.of(
                        new VmNic(
                                uuid("nic-a", seed),
                                "nic1",
                                "52:54:00:00:02:00",
                                uuid("profile", seed),
                                10_000),
                        new VmNic(uuid("nic-b", seed), "nic2", "52:54:00:00:03:00", null, 1_000)));
    }

    /** A placement on {@code host} with all other values set too. */
    public static VmPlacement placement(HostId host, @Nullable HostId target) {
        return new VmPlacement(
                host,
                target,
                Instant.parse("2026-03-01T10:11:12.123456Z"),
                Instant.parse("1999-12-31T23:59:59Z"),
                run(1));
    }

    /** A run in which every value is set. */
    public static VmRun run(long seed) {
        return new VmRun(
                seed,
                Instant.parse("2026-03-01T10:11:10.5Z").plusSeconds(seed),
                1_000_000_000_000L + seed,
                "runtime " + seed + " " + AWKWARD,
                "user " + seed + " " + AWKWARD,
                uuid("user", seed),
                "EPYC-" + seed,
                "pc-q35-rhel9." + seed,
                true,
                new VmRun.Topology("0#" + seed + "_1#2", 2, 3, 4, "0#" + seed),
                "reason " + seed + " " + AWKWARD);
    }

    /** A device. */
    public static VmDevice device(long seed, String alias) {
        return new VmDevice(
                uuid("device", seed),
                "disk",
                "cdrom",
                "{type=pci, slot=0x0" + seed + "}",
                alias,
                true,
                false,
                true,
                "sda");
    }

    private static UUID uuid(String kind, long seed) {
        SplittableRandom random = new SplittableRandom(kind.hashCode() * 1_000_003L + seed);
        return new UUID(random.nextLong(), random.nextLong());
    }
}
