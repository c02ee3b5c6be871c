package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.HostWorkStore;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;

/**
 * Contract of every {@link HostWorkStore} about the work that {@link HostStore#write} queues. A
 * subclass hands out an empty store before each test.
 */
public abstract class HostWorkStoreContract {

    private static final HostId HOST = Samples.host(1);
    private static final HostId OTHER = Samples.host(2);
    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07.123456Z");
    private static final UUID OWNER = new UUID(1, 1);

    private HostStore store;

    /** An empty store of hosts. */
    protected abstract HostStore emptyHosts() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyHosts();
        store.add(Samples.hostDefinition(1));
        store.add(Samples.hostDefinition(2));
    }

    @Test
    void workIsQueuedWithTheConditionItFollowsFromAndFoundAgain() throws StoreUnavailable {
        OpenHostWork fence = work(HOST, HostWorkKind.FENCE, 3, 0, NOW);

        WriteOutcome outcome = store.write(List.of(silent(HOST, 3).withWork(List.of(fence))));

        assertThat(outcome)
                .isEqualTo(new WriteOutcome.Written(2, List.of(), List.of(), List.of(fence)));
        assertThat(open()).containsExactly(fence);
    }

    @ParameterizedTest
    @EnumSource
    void everythingAboutWorkIsKept(HostWorkKind kind) throws StoreUnavailable {
        OpenHostWork large = work(HOST, kind, Long.MAX_VALUE, Integer.MAX_VALUE, NOW);
        OpenHostWork small =
                new OpenHostWork(new HostWork(OTHER, kind, 0, 0, ""), NOW.plusSeconds(1));
        queue(large);
        queue(small);
        assertThat(open()).containsExactly(large, small);
    }

    @Test
    void theOldestWorkComesFirst() throws StoreUnavailable {
        OpenHostWork late = work(HOST, HostWorkKind.FENCE, 1, 0, NOW.plusSeconds(2));
        OpenHostWork early = work(OTHER, HostWorkKind.FENCE, 1, 0, NOW);
        OpenHostWork between = work(HOST, HostWorkKind.EVACUATE, 1, 0, NOW.plusSeconds(1));
        queue(late, between);
        queue(early);
        assertThat(open()).containsExactly(early, between, late);
    }

    @ParameterizedTest
    @EnumSource
    void theSameConclusionIsNotQueuedTwice(HostWorkKind kind) throws StoreUnavailable {
        OpenHostWork first = work(HOST, kind, 1, 0, NOW);
        OpenHostWork again =
                new OpenHostWork(
                        new HostWork(HOST, kind, 1, 0, "another reason"), NOW.plusSeconds(9));
        queue(first);

        assertThat(queue(again)).as("the batch is told what is open").containsExactly(first);

        assertThat(open()).containsExactly(first);
    }

    @ParameterizedTest
    @EnumSource
    void takenWorkIsNotQueuedAgain(HostWorkKind kind) throws StoreUnavailable {
        OpenHostWork first = work(HOST, kind, 1, 2, NOW);
        queue(first);
        assertThat(store.takeOverHost(first.work(), OWNER, NOW)).isTrue();

        assertThat(queue(work(HOST, kind, 1, 2, NOW.plusSeconds(60)))).isEmpty();

        assertThat(open()).isEmpty();
    }

    @Test
    void workTakenOverHasOneOwner() throws StoreUnavailable {
        OpenHostWork work = work(HOST, HostWorkKind.FENCE, 1, 0, NOW);
        queue(work);

        assertThat(store.takeOverHost(work.work(), OWNER, NOW)).isTrue();
        assertThat(store.takeOverHost(work.work(), new UUID(2, 2), NOW)).isFalse();

        assertThat(store.takeOverHost(work.work(), OWNER, NOW))
                .as("an owner whose answer was lost is told the same")
                .isTrue();
        assertThat(open()).isEmpty();
    }

    @Test
    void workThatWasNeverQueuedCannotBeTakenOver() throws StoreUnavailable {
        assertThat(store.takeOverHost(work(HOST, HostWorkKind.FENCE, 1, 0, NOW).work(), OWNER, NOW))
                .isFalse();
    }

    @Test
    void kindsEpisodesAndHostsDoNotStandInEachOthersWay() throws StoreUnavailable {
        queue(
                work(HOST, HostWorkKind.FENCE, 1, 0, NOW),
                work(HOST, HostWorkKind.EVACUATE, 1, 0, NOW));
        queue(work(OTHER, HostWorkKind.FENCE, 1, 0, NOW));
        assertThat(open()).hasSize(3);
        queue(work(OTHER, HostWorkKind.FENCE, 2, 0, NOW));
        assertThat(open()).hasSize(3);
    }

    @Test
    void workEndsWithItsEpisodeDoneOrNot() throws StoreUnavailable {
        OpenHostWork done = work(HOST, HostWorkKind.FENCE, 1, 0, NOW);
        OpenHostWork undone = work(HOST, HostWorkKind.EVACUATE, 1, 0, NOW);
        OpenHostWork others = work(OTHER, HostWorkKind.FENCE, 1, 0, NOW);
        queue(done, undone);
        queue(others);
        store.takeOverHost(done.work(), OWNER, NOW);

        store.write(List.of(silent(HOST, 2)));

        assertThat(open()).containsExactly(others);
        assertThat(store.takeOverHost(undone.work(), OWNER, NOW)).isFalse();
        assertThat(store.takeOverHost(done.work(), OWNER, NOW))
                .as("nothing is kept of it")
                .isFalse();
    }

    @Test
    void aLaterAttemptTakesThePlaceOfEarlierOnes() throws StoreUnavailable {
        OpenHostWork fence = work(HOST, HostWorkKind.FENCE, 1, 0, NOW);
        OpenHostWork first = work(HOST, HostWorkKind.DRAIN, 1, 1, NOW);
        OpenHostWork second = work(HOST, HostWorkKind.DRAIN, 1, 2, NOW.plusSeconds(300));
        queue(fence, first);

        assertThat(queue(second)).containsExactly(second);

        assertThat(open()).containsExactly(fence, second);
        assertThat(store.takeOverHost(first.work(), OWNER, NOW)).isFalse();
    }

    @Test
    void workOfAHostThatIsGoneIsNotQueued() throws StoreUnavailable {
        HostId gone = Samples.host(77);
        OpenHostWork work = work(gone, HostWorkKind.FENCE, 1, 0, NOW);
        assertThat(store.write(List.of(silent(gone, 1).withWork(List.of(work)))))
                .isEqualTo(new WriteOutcome.Written(0, List.of()));
        assertThat(open()).isEmpty();
    }

    @Test
    void workGoesWithItsHost() throws StoreUnavailable {
        queue(work(HOST, HostWorkKind.FENCE, 1, 0, NOW));
        assertThat(store.remove(HOST)).isEqualTo(HostStore.Removal.REMOVED);
        assertThat(open()).isEmpty();
    }

    @Test
    void manyHostsQueueTheirsInOneBatch() throws StoreUnavailable {
        OpenHostWork one = work(HOST, HostWorkKind.FENCE, 1, 0, NOW);
        OpenHostWork two = work(OTHER, HostWorkKind.FENCE, 1, 0, NOW.plusSeconds(1));
        WriteOutcome outcome =
                store.write(
                        Stream.of(
                                        silent(HOST, 1).withWork(List.of(one)),
                                        silent(OTHER, 1).withWork(List.of(two)))
                                .sorted(Comparator.comparing(HostChange::id))
                                .toList());
        assertThat(((WriteOutcome.Written) outcome).openAboutHosts())
                .containsExactlyInAnyOrder(one, two);
        assertThat(open()).containsExactly(one, two);
    }

    private static HostChange silent(HostId host, long episode) {
        HostCondition condition = HostCondition.of(HostStatus.NON_RESPONSIVE);
        return HostChange.of(
                host,
                new HostCondition(
                        condition.status(),
                        condition.previous(),
                        condition.nonOperational(),
                        null,
                        episode,
                        0));
    }

    private List<OpenHostWork> queue(OpenHostWork... work) {
        HostWork first = work[0].work();
        WriteOutcome outcome =
                store.write(
                        List.of(
                                silent(first.host(), first.episode())
                                        .withWork(Arrays.asList(work))));
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        return ((WriteOutcome.Written) outcome).openAboutHosts();
    }

    private List<OpenHostWork> open() throws StoreUnavailable {
        List<OpenHostWork> open = new ArrayList<>();
        store.loadHostWork(open::add);
        return open;
    }

    private static OpenHostWork work(
            HostId host, HostWorkKind kind, long episode, int attempt, Instant since) {
        return new OpenHostWork(
                new HostWork(host, kind, episode, attempt, "because " + Samples.AWKWARD), since);
    }
}
