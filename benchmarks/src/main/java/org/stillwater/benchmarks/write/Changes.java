package org.stillwater.benchmarks.write;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.GuestSession;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * An endless stream of changes to a fleet, the same for the same seed. Neighbours in the stream are
 * no neighbours in the table, each VM has its turn before any has another, and every change really
 * differs. One thread.
 */
final class Changes {

    /** Fields that change together, and their number in 20 changes. */
    @SuppressWarnings("ImmutableEnumChecker") // sets of fields are immutable
    enum Kind {
        PAUSED_OR_RESUMED(8, RuntimeField.STATUS, RuntimeField.PAUSE_STATUS),
        USER(5, RuntimeField.GUEST_USER, RuntimeField.SESSION, RuntimeField.CLIENT_IP),
        CONSOLE(3, RuntimeField.VNC_PORT, RuntimeField.VNC_TLS_PORT),
        NAMES(2, RuntimeField.FQDN, RuntimeField.GUEST_HOST_NAME),
        APPLICATIONS(2, RuntimeField.APP_LIST);

        private final int weight;
        private final RuntimeFields fields;

        Kind(int weight, RuntimeField... fields) {
            this.weight = weight;
            this.fields = RuntimeFields.of(fields);
        }
    }

    private static final Kind[] WHEEL = wheel();
    private static final String APPLICATION = "qemu-guest-agent-8.2.0, kernel-6.12.0-";

    private final VmId[] ids;
    private final VmRuntime[] runtimes;
    private final RandomGenerator random;
    private final long stride;
    private long made;

    /**
     * One change of one VM.
     *
     * @param vm position of the VM in the fleet
     * @param runtime its new runtime
     * @param fields changed fields
     */
    record Change(int vm, VmRuntime runtime, RuntimeFields fields) {}

    /**
     * A stream from its beginning.
     *
     * @param ids the fleet, of which all VMs are up and nothing else is known
     */
    Changes(List<VmId> ids, long seed) {
        this.ids = ids.toArray(VmId[]::new);
        this.runtimes = new VmRuntime[this.ids.length];
        Arrays.fill(runtimes, first());
        this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        this.stride = coprime(this.ids.length);
    }

    /** State of each VM before its first change. */
    static VmRuntime first() {
        return VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP);
    }

    /** About 0.618 of the fleet, which leaves the widest gaps, and no divisor in common with it. */
    private static long coprime(int size) {
        long candidate = Math.max(1, Math.round(size * 0.6180339887));
        while (gcd(candidate, size) != 1) {
            candidate++;
        }
        return candidate;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    private static Kind[] wheel() {
        return Arrays.stream(Kind.values())
                .flatMap(kind -> Collections.nCopies(kind.weight, kind).stream())
                .toArray(Kind[]::new);
    }

    VmId id(int vm) {
        return ids[vm];
    }

    /** State of a VM after all changes made so far. */
    VmRuntime runtime(int vm) {
        return runtimes[vm];
    }

    int size() {
        return ids.length;
    }

    Change next() {
        int vm = (int) (made * stride % ids.length);
        made++;
        Kind kind = WHEEL[random.nextInt(WHEEL.length)];
        VmRuntime.Draft draft = runtimes[vm].edit();
        switch (kind) {
            case PAUSED_OR_RESUMED -> {
                boolean up = draft.value(RuntimeField.STATUS) == VmStatus.UP;
                draft.set(RuntimeField.STATUS, up ? VmStatus.PAUSED : VmStatus.UP)
                        .set(RuntimeField.PAUSE_STATUS, up ? PauseStatus.EOTHER : PauseStatus.NONE);
            }
            case USER -> {
                boolean on = draft.value(RuntimeField.SESSION) == GuestSession.USER_LOGGED_ON;
                draft.set(RuntimeField.GUEST_USER, "user-" + made)
                        .set(
                                RuntimeField.SESSION,
                                on ? GuestSession.LOCKED : GuestSession.USER_LOGGED_ON)
                        .set(RuntimeField.CLIENT_IP, "10.1." + made % 251 + "." + made % 241);
            }
            case CONSOLE -> {
                Object port = draft.value(RuntimeField.VNC_PORT);
                int next = port instanceof Integer now && now < 60_000 ? now + 2 : 5_900;
                draft.set(RuntimeField.VNC_PORT, next).set(RuntimeField.VNC_TLS_PORT, next + 1);
            }
            case NAMES ->
                    draft.set(RuntimeField.FQDN, "vm-" + made + ".example.com")
                            .set(RuntimeField.GUEST_HOST_NAME, "vm-" + made);
            case APPLICATIONS ->
                    draft.set(RuntimeField.APP_LIST, (APPLICATION + made + ", ").repeat(3));
        }
        VmRuntime changed = draft.build();
        runtimes[vm] = changed;
        return new Change(vm, changed, kind.fields);
    }
}
