package org.stillwater.monitoring.belief;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.DecisionKind;
import org.stillwater.core.vm.VmStatus;

@DisplayName("Transitions in memory")
class PackedBeliefsTest {

    /** The limit of their size for a stable VM. */
    private static final int KIBIBYTE = 1_024;

    /**
     * Header and length of an array of bytes, 16, and the object at the VM that holds it: header
     * 12, three references of 4, one long, rounded up.
     */
    private static final int ARRAY = 16 + 32;

    private static final Instant START = Instant.parse("2026-11-20T03:12:00Z");

    private final HostDictionary hosts = new HostDictionary();

    static LongStream seeds() {
        return LongStream.range(1, 101);
    }

    @Test
    void removedHostsAreForgottenAndNumbersAreNotGivenTwice() {
        HostId gone = new HostId(new UUID(7, 0));
        int number = hosts.number(gone);
        hosts.forget(gone);
        assertThat(hosts.host(number)).as("rings may still name it").isEqualTo(gone);

        for (int n = 1; n <= HostDictionary.MOST_REMOVED; n++) {
            HostId next = new HostId(new UUID(7, n));
            assertThat(hosts.number(next)).isGreaterThan(number);
            hosts.forget(next);
        }

        assertThat(hosts.host(number)).isNull();
        assertThat(hosts.number(gone)).isGreaterThan(number + HostDictionary.MOST_REMOVED);
    }

    @Test
    @DisplayName("are none at first, and take no memory")
    void none() {
        assertThat(PackedBeliefs.unpack(null, hosts)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("are read as they were written, the newest first, within both limits")
    void any(long seed) {
        Random random = new Random(seed);
        List<Belief> written = new ArrayList<>();
        byte[] packed = null;
        for (int i = 0; i < 200; i++) {
            Belief next = belief(random);
            written.addFirst(next);
            packed = PackedBeliefs.prepend(packed, next, hosts);
            List<Belief> read = PackedBeliefs.unpack(packed, hosts);
            assertThat(read).isEqualTo(written.subList(0, read.size())).isNotEmpty();
            assertThat(read.size()).isLessThanOrEqualTo(PackedBeliefs.MOST);
            assertThat(packed.length + ARRAY).isLessThanOrEqualTo(KIBIBYTE);
        }
    }

    @Test
    @DisplayName("of a VM that migrates every few hours are 64 in less than a kibibyte")
    void sixtyFour() {
        byte[] packed = null;
        List<Belief> written = new ArrayList<>();
        HostId from = host(1);
        Instant at = START;
        long stamp = 86_400_000;
        for (int i = 0; i < 80; i++) {
            Duration pause = Duration.ofMinutes(i % 4 == 0 ? 200 : 1).plusMillis(i * 37L);
            at = at.plus(pause);
            stamp += pause.toMillis() + i % 7;
            boolean arrives = i % 2 == 1;
            Belief next =
                    new Belief(
                            at,
                            at.minusMillis(3),
                            BeliefCause.EVENT,
                            from,
                            stamp,
                            arrives ? VmRule.ARRIVED : VmRule.AS_REPORTED,
                            VmStatus.UP.code(),
                            (arrives ? VmStatus.UP : VmStatus.MIGRATING_FROM).code(),
                            from,
                            arrives ? null : host(2),
                            DecisionKind.AUDIT.mask() | DecisionKind.COMMAND_SUCCEEDED.mask());
            written.addFirst(next);
            packed = PackedBeliefs.prepend(packed, next, hosts);
        }

        assertThat(PackedBeliefs.unpack(packed, hosts))
                .isEqualTo(written.subList(0, PackedBeliefs.MOST));
        assertThat(packed.length + ARRAY).isLessThanOrEqualTo(KIBIBYTE);
    }

    @Test
    @DisplayName("of a clock that was set back are read as they were written")
    void clockSetBack() {
        Belief first = belief(START, null);
        Belief second = belief(START.minusSeconds(7_200), 5L);

        byte[] packed =
                PackedBeliefs.prepend(PackedBeliefs.prepend(null, first, hosts), second, hosts);

        assertThat(PackedBeliefs.unpack(packed, hosts)).containsExactly(second, first);
    }

    private static Belief belief(Instant at, @Nullable Long stamp) {
        return new Belief(
                at, at, BeliefCause.COMMAND, null, stamp, VmRule.ORDERED, -1, 0, null, null, 0);
    }

    private static Belief belief(Random random) {
        Instant at = START.plusMillis(random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L));
        VmRule[] rules = VmRule.values();
        BeliefCause[] causes = BeliefCause.values();
        return new Belief(
                at,
                at.minusMillis(random.nextInt(100_000)),
                causes[random.nextInt(causes.length)],
                random.nextBoolean() ? null : host(random.nextInt(300)),
                random.nextBoolean() ? null : (Long) random.nextLong(Long.MAX_VALUE / 4),
                rules[random.nextInt(rules.length)],
                random.nextInt(-1, 17),
                random.nextInt(-1, 17),
                random.nextBoolean() ? null : host(random.nextInt(300)),
                random.nextBoolean() ? null : host(random.nextInt(300)),
                random.nextInt(1 << 19));
    }

    private static HostId host(int n) {
        return new HostId(new UUID(1, n));
    }
}
