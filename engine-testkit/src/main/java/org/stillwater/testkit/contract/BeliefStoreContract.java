package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.core.store.BeliefStore.Row;
import org.stillwater.core.store.BeliefStore.Subject;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.BeliefRule;
import org.stillwater.core.vm.VmStatus;

/** Contract of every {@link BeliefStore}. A subclass hands out an empty store before each test. */
public abstract class BeliefStoreContract {

    private static final Duration RETENTION = Duration.ofDays(30);
    private static final UUID ID = new UUID(1, 2);
    private static final HostId HOST = new HostId(new UUID(3, 4));

    private BeliefStore store;
    private Instant now;

    /** A store without transitions. */
    protected abstract BeliefStore emptyBeliefs() throws StoreUnavailable;

    /** The clock of the store. */
    protected abstract Instant now();

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyBeliefs();
        now = Instant.ofEpochMilli(now().toEpochMilli());
        store.maintain(now.minus(Duration.ofDays(3)), now.plus(Duration.ofDays(1)), RETENTION);
    }

    @Test
    @DisplayName("transitions are read as they were written, up to a time, the newest first")
    void asWritten() throws StoreUnavailable {
        Belief first = vm(now.minusSeconds(60), VmRule.UP, 7L);
        Belief second = vm(now.minusSeconds(30), VmRule.FAILED_HIGHLY_AVAILABLE, null);
        Belief ofHost =
                new Belief(
                        now,
                        now,
                        BeliefCause.FAILURE,
                        HOST,
                        null,
                        HostTransition.GIVEN_UP,
                        HostStatus.CONNECTING.code(),
                        HostStatus.NON_RESPONSIVE.code(),
                        null,
                        null,
                        5);

        assertThat(
                        store.append(
                                List.of(
                                        new Row(Subject.VM, ID, 1, first),
                                        new Row(Subject.HOST, ID, 3, ofHost),
                                        new Row(Subject.VM, ID, 2, second))))
                .isEqualTo(new WriteOutcome.Written(3, List.of()));

        assertThat(store.newest(Subject.VM, ID, now, 10)).containsExactly(second, first);
        assertThat(store.newest(Subject.VM, ID, now, 1)).containsExactly(second);
        assertThat(store.newest(Subject.VM, ID, second.at().minusMillis(1), 10))
                .containsExactly(first);
        assertThat(store.newest(Subject.VM, ID, first.at().minusMillis(1), 10)).isEmpty();
        assertThat(store.newest(Subject.HOST, ID, now, 10)).containsExactly(ofHost);
        assertThat(store.newest(Subject.VM, new UUID(9, 9), now, 10)).isEmpty();
    }

    @Test
    @DisplayName("transitions written twice are there once")
    void twice() throws StoreUnavailable {
        Row row = new Row(Subject.VM, ID, 1, vm(now, VmRule.UP, 7L));

        store.append(List.of(row));

        assertThat(store.append(List.of(row))).isEqualTo(new WriteOutcome.Written(0, List.of()));
        assertThat(store.newest(Subject.VM, ID, now, 10)).hasSize(1);
    }

    @Test
    @DisplayName("a rule of another version keeps its word and its scenario")
    void foreign() throws StoreUnavailable {
        Belief belief = vm(now, new BeliefRule.Foreign("of_a_newer_engine", 106), null);

        store.append(List.of(new Row(Subject.VM, ID, 1, belief)));

        assertThat(store.newest(Subject.VM, ID, now, 1)).containsExactly(belief);
    }

    private static Belief vm(Instant at, BeliefRule rule, @Nullable Long stamp) {
        return new Belief(
                at,
                at.minusMillis(4),
                BeliefCause.EVENT,
                HOST,
                stamp,
                rule,
                VmStatus.UNASSIGNED.code(),
                VmStatus.UP.code(),
                HOST,
                null,
                1 << 18);
    }
}
