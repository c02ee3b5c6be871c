package org.stillwater.monitoring.belief;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.BeliefRule;

/**
 * The last transitions of one VM or host in one array of bytes, the newest first. Each is encoded
 * relative to the next newer one, so that a transition takes 10 to 16 bytes: prepending one encodes
 * the former newest again and copies the rest. Two limits apply: {@link #MOST} transitions and
 * {@link #MOST_BYTES} bytes; beyond either, the oldest are dropped.
 *
 * <p>Numbers are base 128, the lowest seven bits first; signed ones alternate (0, −1, 1, −2, …).
 * The array is never changed, so any thread may read it.
 */
final class PackedBeliefs {

    /** Transitions that are kept. */
    static final int MOST = 64;

    /** Bytes that they take at most; with the headers of the array and its holder within 1 KiB. */
    static final int MOST_BYTES = 960;

    /** Bytes of a transition: flags, rule, two statuses, and three numbers of at least a byte. */
    private static final int LEAST = 7;

    /** A transition takes less. */
    private static final int LARGEST = 80;

    private static final int WITH_STAMP = 0x10;
    private static final int SAME_REPORTER = 0x20;
    private static final int SAME_HOST = 0x40;
    private static final int WITH_TARGET = 0x80;
    private static final int CAUSE = 0x0f;

    /** Indexes of this process only: rules of VMs, then transitions of hosts. */
    private static final BeliefRule[] RULES = rules();

    private PackedBeliefs() {}

    private static BeliefRule[] rules() {
        List<BeliefRule> all = new ArrayList<>(List.of(VmRule.values()));
        all.addAll(List.of(HostTransition.values()));
        if (all.size() > 256) {
            throw new IllegalStateException("a rule has one byte");
        }
        return all.toArray(BeliefRule[]::new);
    }

    private static int index(BeliefRule rule) {
        for (int i = 0; i < RULES.length; i++) {
            if (RULES[i].equals(rule)) {
                return i;
            }
        }
        throw new IllegalArgumentException("a rule of no analysis: " + rule.label());
    }

    /** Values that a transition is encoded relative to. */
    private record Base(long at, long stamp, int reporter, int host) {
        static final Base NONE = new Base(0, 0, 0, 0);

        static Base of(Belief belief, HostDictionary hosts) {
            Long stamp = belief.hostStampMillis();
            return new Base(
                    belief.at().toEpochMilli(),
                    stamp == null ? 0 : stamp,
                    hosts.number(belief.reporter()),
                    hosts.number(belief.host()));
        }
    }

    /** The same with a newer transition in front. */
    static byte[] prepend(byte @Nullable [] packed, Belief newest, HostDictionary hosts) {
        byte[] out = new byte[2 * LARGEST + (packed == null ? 0 : packed.length)];
        Bytes to = new Bytes(out);
        write(to, newest, Base.NONE, hosts);
        if (packed != null && packed.length > 0) {
            Bytes from = new Bytes(packed);
            Belief former = read(from, Base.NONE, hosts);
            write(to, former, Base.of(newest, hosts), hosts);
            System.arraycopy(packed, from.at, out, to.at, packed.length - from.at);
            to.at += packed.length - from.at;
        }
        return Arrays.copyOf(out, within(out, to.at, hosts));
    }

    /** How many of the bytes the limits allow, in whole transitions. */
    private static int within(byte[] packed, int length, HostDictionary hosts) {
        if (length <= MOST_BYTES && length <= MOST * LEAST) {
            return length;
        }
        Bytes from = new Bytes(packed);
        Base base = Base.NONE;
        int whole = 0;
        for (int i = 0; i < MOST && from.at < length; i++) {
            base = Base.of(read(from, base, hosts), hosts);
            if (from.at > MOST_BYTES) {
                return whole;
            }
            whole = from.at;
        }
        return whole;
    }

    /** The transitions, the newest first. */
    static List<Belief> unpack(byte @Nullable [] packed, HostDictionary hosts) {
        List<Belief> all = new ArrayList<>();
        if (packed != null) {
            Bytes from = new Bytes(packed);
            Base base = Base.NONE;
            while (from.at < packed.length) {
                Belief next = read(from, base, hosts);
                all.add(next);
                base = Base.of(next, hosts);
            }
        }
        return all;
    }

    private static void write(Bytes to, Belief belief, Base base, HostDictionary hosts) {
        Base own = Base.of(belief, hosts);
        Long stamp = belief.hostStampMillis();
        int target = hosts.number(belief.target());
        boolean sameReporter = own.reporter == base.reporter;
        boolean sameHost = own.host == base.host;
        to.one(
                belief.cause().code()
                        | (stamp == null ? 0 : WITH_STAMP)
                        | (sameReporter ? SAME_REPORTER : 0)
                        | (sameHost ? SAME_HOST : 0)
                        | (target == 0 ? 0 : WITH_TARGET));
        to.signed(base.at - own.at);
        to.signed(own.at - belief.receivedAt().toEpochMilli());
        if (!sameReporter) {
            to.whole(own.reporter);
        }
        if (stamp != null) {
            to.signed((base.stamp - own.stamp) - (base.at - own.at));
        }
        to.one(index(belief.rule()));
        to.one(belief.before());
        to.one(belief.status());
        if (!sameHost) {
            to.whole(own.host);
        }
        if (target != 0) {
            to.whole(target);
        }
        to.whole(belief.decided());
    }

    private static Belief read(Bytes from, Base base, HostDictionary hosts) {
        int flags = from.one();
        long at = base.at - from.signed();
        long received = at - from.signed();
        int reporter = (flags & SAME_REPORTER) != 0 ? base.reporter : (int) from.whole();
        Long stamp =
                (flags & WITH_STAMP) == 0
                        ? null
                        : (Long) (base.stamp - from.signed() - base.at + at);
        BeliefRule rule = RULES[from.one()];
        int before = (byte) from.one();
        int status = (byte) from.one();
        int host = (flags & SAME_HOST) != 0 ? base.host : (int) from.whole();
        HostId target = (flags & WITH_TARGET) == 0 ? null : hosts.host((int) from.whole());
        int decided = (int) from.whole();
        return new Belief(
                Instant.ofEpochMilli(at),
                Instant.ofEpochMilli(received),
                BeliefCause.ofCode(flags & CAUSE),
                hosts.host(reporter),
                stamp,
                rule,
                before,
                status,
                hosts.host(host),
                target,
                decided);
    }

    /** Bytes with a position. */
    private static final class Bytes {
        private final byte[] bytes;
        private int at;

        Bytes(byte[] bytes) {
            this.bytes = bytes;
        }

        void one(int value) {
            bytes[at++] = (byte) value;
        }

        int one() {
            return bytes[at++] & 0xff;
        }

        void whole(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                one((int) (rest & 0x7f) | 0x80);
                rest >>>= 7;
            }
            one((int) rest);
        }

        long whole() {
            long value = 0;
            int shift = 0;
            int next;
            do {
                next = one();
                value |= (long) (next & 0x7f) << shift;
                shift += 7;
            } while ((next & 0x80) != 0);
            return value;
        }

        void signed(long value) {
            whole((value << 1) ^ (value >> 63));
        }

        long signed() {
            long value = whole();
            return (value >>> 1) ^ -(value & 1);
        }
    }
}
