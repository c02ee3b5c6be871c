package org.stillwater.testkit.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.ScriptedReports;

/**
 * The lying host: it has a valid certificate, runs VMs of its own, and sends messages of valid
 * form. It lies in episodes and is honest between them. It claims that it runs VMs of other hosts,
 * in every status, denies VMs that it runs, forges exits with every reason, stamps its messages
 * with wrong clocks, uses the ids of other hosts' VMs under names of its own and the names of other
 * VMs under unknown ids, and sends others' devices, numbers, jobs, LUNs and migrations.
 *
 * <p>It decides about messages; the simulation sends them. It repeats a claim about a VM in its
 * polls until it changes the claim. Everything follows from its own random source, so that a
 * history without a lying host draws nothing for one. Used on one thread.
 */
public final class LyingHost {

    /** Part of every text that it sends, so that a rule can recognise the text's origin. */
    public static final String MARK = "lie-";

    private static final long DAY_MILLIS = 86_400_000;

    private static final int UNKNOWN_IDS = 3;
    private static final VmStatus[] FAVOURITES = {
        VmStatus.UP,
        VmStatus.UP,
        VmStatus.POWERING_UP,
        VmStatus.PAUSED,
        VmStatus.PAUSED,
        VmStatus.MIGRATING_FROM,
        VmStatus.MIGRATING_TO,
        VmStatus.WAIT_FOR_LAUNCH
    };

    /**
     * Its claim about a VM: that it runs, or with {@link VmStatus#DOWN} that it ended.
     *
     * @param status claimed status
     * @param pause claimed reason of a pause
     * @param exit claimed kind of the VM's end
     * @param reason claimed reason of the VM's end
     * @param whole whether guest data are with it
     * @param number distinguishes the texts and numbers of different lies
     */
    public record Word(
            VmStatus status,
            PauseStatus pause,
            ExitStatus exit,
            ExitReason reason,
            boolean whole,
            int number) {

        @Override
        public String toString() {
            return status == VmStatus.DOWN
                    ? "ended " + exit + "/" + reason
                    : status.label() + (status == VmStatus.PAUSED ? "/" + pause : "");
        }
    }

    private final SplittableRandom random;
    private final List<VmId> vms;
    private final Map<VmId, Word> claims = new TreeMap<>();
    private final Set<VmId> denied = new HashSet<>();
    private boolean lying;
    private @Nullable VmId victim;
    private int words;

    /**
     * A host that is honest as yet.
     *
     * @param random decides everything
     * @param vms VMs of all hosts
     */
    public LyingHost(SplittableRandom random, List<VmId> vms) {
        this.random = random;
        this.vms = List.copyOf(vms);
    }

    /** Whether it lies at present. */
    public boolean isLying() {
        return lying;
    }

    /** Begins an episode of lies or ends one, now and then; whether it did. */
    public boolean changesItsMind() {
        if (random.nextInt(lying ? 80 : 20) > 0) {
            return false;
        }
        lying = !lying;
        claims.clear();
        denied.clear();
        return true;
    }

    /** It is honest from now on. */
    public void reform() {
        lying = false;
        claims.clear();
        denied.clear();
    }

    /** Number of unrequested lies that it sends now. */
    public int lies() {
        return lying && random.nextBoolean() ? 1 + random.nextInt(3) : 0;
    }

    /**
     * Subject of the next lie: often the same VM as the last one, so that lies add up to a story.
     *
     * @param close VMs that it has, had, or that come or go
     */
    public VmId victim(List<VmId> close) {
        VmId last = victim;
        VmId next =
                last != null && random.nextBoolean()
                        ? last
                        : !close.isEmpty() && random.nextInt(3) == 0
                                ? close.get(random.nextInt(close.size()))
                                : random.nextInt(12) == 0 ? unknown() : any();
        victim = next;
        return next;
    }

    private VmId any() {
        return vms.get(random.nextInt(vms.size()));
    }

    /** The id of a VM that does not exist. */
    private VmId unknown() {
        return new VmId(0x6000, 601 + random.nextInt(UNKNOWN_IDS));
    }

    /** Invents its claim about a VM from now on. */
    public Word invent(VmId vm) {
        Word word =
                random.nextInt(5) < 3
                        ? running(anyStatus())
                        : new Word(
                                VmStatus.DOWN,
                                PauseStatus.NONE,
                                random.nextInt(8) == 0
                                        ? ExitStatus.UNKNOWN
                                        : random.nextBoolean()
                                                ? ExitStatus.ERROR
                                                : ExitStatus.NORMAL,
                                any(ExitReason.values()),
                                false,
                                ++words);
        if (random.nextInt(4) > 0) {
            claims.put(vm, word);
        } else {
            claims.remove(vm); // reported once
        }
        return word;
    }

    private VmStatus anyStatus() {
        VmStatus status = random.nextBoolean() ? any(FAVOURITES) : any(VmStatus.values());
        return status.isNotRunning() ? VmStatus.UP : status;
    }

    private Word running(VmStatus status) {
        return new Word(
                status,
                status == VmStatus.PAUSED ? any(PauseStatus.values()) : PauseStatus.NONE,
                ExitStatus.UNKNOWN,
                ExitReason.UNKNOWN,
                random.nextBoolean(),
                ++words);
    }

    private <T> T any(T[] values) {
        return values[random.nextInt(values.length)];
    }

    /** Whether it reports a migration's progress instead of a VM. */
    public boolean speaksOfProgress() {
        return random.nextInt(8) == 0;
    }

    /**
     * How far a migration is.
     *
     * @param percent 0 to 100
     * @param downtimeMillis for how long the guest stood still; null if not reported
     */
    public record Progress(int percent, @Nullable Long downtimeMillis) {

        @Override
        public String toString() {
            return percent + " %" + (downtimeMillis == null ? "" : ", downtime " + downtimeMillis);
        }
    }

    /** How far a migration is that there may not be. */
    public Progress progress() {
        return new Progress(
                random.nextInt(101), random.nextBoolean() ? null : random.nextLong(1_000_000));
    }

    /** Claims that it repeats in polls: a random selection of all of them. */
    public Map<VmId, Word> claims() {
        Map<VmId, Word> said = new TreeMap<>();
        claims.forEach((vm, word) -> {
            if (random.nextInt(8) > 0) {
                said.put(vm, word);
            }
        });
        return said;
    }

    /** Whether it does not mention a VM that it has. */
    public boolean denies(VmId own) {
        if (random.nextInt(6) == 0 && !denied.remove(own)) {
            denied.add(own);
        }
        return denied.contains(own);
    }

    /** A stamp for its messages: the true one, 0, negative, huge, none, or one that goes back. */
    public long stamp(long truth) {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> -2 - random.nextLong(DAY_MILLIS);
            case 2 -> Long.MIN_VALUE;
            case 3 -> Long.MAX_VALUE - random.nextInt(3);
            case 4 -> truth + random.nextLong(DAY_MILLIS);
            case 5, 6 -> truth - random.nextLong(DAY_MILLIS);
            case 7 -> VmReport.NO_STAMP;
            default -> truth;
        };
    }

    /** Reports about a VM. */
    public void say(ScriptedReports message, VmId vm, Word word, long stampMillis) {
        if (word.status() == VmStatus.DOWN) {
            message.exited(vm, stampMillis, word.exit(), word.reason(), MARK + word.number());
            return;
        }
        message.runningBeside(
                vm,
                stampMillis,
                new ScriptedReports.Beside(
                        anyName(),
                        MARK + "devices-" + word.number(),
                        word.whole() ? MARK + "tpm-" + word.number() : null,
                        word.whole() ? MARK + "nvram-" + word.number() : null),
                draft -> fields(draft, vm, word),
                sample -> numbers(sample, vm, word));
    }

    private String anyName() {
        return World.name(random.nextInt(4) == 0 ? unknown() : any());
    }

    private static void fields(VmRuntime.Draft draft, VmId vm, Word word) {
        draft.set(RuntimeField.STATUS, word.status()).set(RuntimeField.PAUSE_STATUS, word.pause());
        if (word.whole()) {
            String text = MARK + word.number();
            draft.set(RuntimeField.GUEST_OS, text)
                    .set(RuntimeField.GUEST_USER, text)
                    .set(RuntimeField.APP_LIST, text)
                    .set(RuntimeField.FQDN, text + ".example.test")
                    .set(RuntimeField.CLIENT_IP, "203.0.113." + word.number() % 250)
                    .set(RuntimeField.VNC_PORT, 5_900 + word.number() % 100)
                    .set(
                            RuntimeField.GUEST_NICS,
                            new GuestNics(
                                    word.number(),
                                    List.of(
                                            new GuestNic(
                                                    "eth0",
                                                    macOf(vm),
                                                    List.of("203.0.113." + word.number() % 250),
                                                    List.of()))));
        }
    }

    private static void numbers(VmSample sample, VmId vm, Word word) {
        sample.cpuUserPercent = 66 + word.number() % 30;
        sample.elapsedSeconds = word.number();
        sample.memoryUsagePercent = word.number() % 100;
        sample.migrationProgressPercent = word.number() % 100;
        sample.nicsReported = true;
        VmSample.Nic nic = sample.addNic();
        nic.mac = VmSample.Nic.macOf(macOf(vm));
        nic.receivedBytes = 1_000_000L * word.number();
        nic.sentBytes = 1_000_000L * word.number();
        nic.sampleTimeSeconds = word.number();
        sample.disksReported = true;
        VmSample.Disk disk = sample.addDisk();
        disk.name = "vda";
        disk.lunId = lunOf(vm);
        disk.actualSizeBytes = (long) word.number() << 30;
        sample.jobs =
                List.of(
                        new VmJobReport(
                                new UUID(0x7000, word.number()), null, null, null, 1L, 2L, null));
        sample.numaDigest = word.number();
        sample.numaNodes = List.of(new VmNumaNode(0, List.of(word.number() % 8)));
    }

    /** The MAC address of a VM's interface. */
    static String macOf(VmId vm) {
        return String.format(Locale.ROOT, "56:6f:00:00:00:%02x", vm.leastSignificantBits() & 0xff);
    }

    /** The LUN of a VM. */
    static String lunOf(VmId vm) {
        return "lun-" + vm.leastSignificantBits();
    }

    /**
     * How it answers for the domains of VMs: with those of others, under names of others, and with
     * more than was requested.
     *
     * @param domain a domain's XML of an id and a name
     */
    public Map<VmId, String> domains(List<VmId> asked, Function<Named, String> domain) {
        Map<VmId, String> answer = new HashMap<>();
        List<VmId> told = new ArrayList<>(asked);
        if (random.nextBoolean()) {
            told.add(any());
        }
        for (VmId vm : told) {
            if (random.nextInt(6) > 0) {
                VmId inside = random.nextInt(3) == 0 ? any() : vm;
                answer.put(vm, domain.apply(new Named(inside, anyName())));
            }
        }
        return answer;
    }

    /** An id with a name. */
    public record Named(VmId vm, String name) {}

    /** Whether it ignores an order. */
    public boolean leavesUndone() {
        return lying && random.nextInt(3) == 0;
    }

    /**
     * How it answers that something was done, or that it was not.
     *
     * @param truth how it went; null for well
     * @return its answer; null for success
     */
    public @Nullable HostFailure answer(@Nullable HostFailure truth) {
        if (!lying) {
            return truth;
        }
        return switch (random.nextInt(8)) {
            case 0 -> new HostFailure.Refused(RefusalCode.NO_SUCH_VM, MARK + "no such VM");
            case 1 -> new HostFailure.Refused(RefusalCode.VM_EXISTS, MARK + "it exists");
            case 2 -> new HostFailure.Refused(RefusalCode.UNEXPECTED, MARK + "unexpected");
            case 3, 4 -> null;
            default -> truth;
        };
    }

    /** The boot id that it claims, its own or that of another host; null for the true one. */
    public @Nullable String boot(List<String> known) {
        return lying && random.nextInt(8) == 0
                ? random.nextBoolean()
                        ? known.get(random.nextInt(known.size()))
                        : MARK + "boot-" + ++words
                : null;
    }
}
