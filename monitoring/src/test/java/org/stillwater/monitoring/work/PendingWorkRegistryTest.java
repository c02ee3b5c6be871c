package org.stillwater.monitoring.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.WorkListener;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** Open work about hosts; that about VMs is shown by {@code RecoveryTest}. */
class PendingWorkRegistryTest {

    private static final HostId HOST = new HostId(new UUID(1, 1));
    private static final HostId OTHER = new HostId(new UUID(1, 2));
    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");
    private static final UUID OWNER = new UUID(5, 5);

    private final InMemoryHostStore hosts = new InMemoryHostStore();
    private final PendingWorkRegistry book = newBook();

    private PendingWorkRegistry newBook() {
        return new PendingWorkRegistry(
                new InMemoryVmStore(), hosts, new VirtualClock(), Duration.ofMinutes(1));
    }

    @BeforeEach
    void store() {
        for (HostId id : List.of(HOST, OTHER)) {
            hosts.put(new HostDefinition(id, id.toString(), "192.0.2.1", 1), HostStatus.UP);
        }
    }

    @Test
    void everyListenerGetsWorkFoundAtStartAndQueuedLaterOnce() throws Exception {
        OpenHostWork found = queued(work(HOST, HostWorkKind.EVACUATE, 1, 0));
        book.recover();
        Told early = new Told();
        book.listen(early);
        OpenHostWork next = queued(work(OTHER, HostWorkKind.FENCE, 1, 0));
        book.opened(next);
        book.opened(next);
        Told late = new Told();
        book.listen(late);

        assertThat(early.opened).containsExactly(found, next);
        assertThat(late.opened).containsExactly(found, next);
        assertThat(book.openAboutHosts()).containsExactly(found, next);
        assertThat(book.sizeAboutHosts()).isEqualTo(2);
        assertThat(book.size()).isZero();
    }

    @Test
    void fencingThatIsFoundAtStartWaitsUntilItIsDecidedAgain() throws Exception {
        OpenHostWork found = queued(work(HOST, HostWorkKind.FENCE, 1, 0));
        Told told = new Told();
        book.listen(told);
        book.recover();
        assertThat(told.opened).isEmpty();
        assertThat(book.openAboutHosts()).isEmpty();

        book.opened(found);
        assertThat(told.opened).containsExactly(found);
    }

    private static Stream<Runnable> bugs() {
        return Stream.of(
                () -> {
                    throw new IllegalStateException("bug");
                },
                () -> {
                    throw new StackOverflowError();
                },
                () -> {
                    throw new NoClassDefFoundError("gone");
                });
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void aFailingListenerDoesNotAffectOthers(Runnable bug) {
        book.listen(
                new WorkListener() {
                    @Override
                    public void workOpened(OpenWork work) {}

                    @Override
                    public void hostWorkOpened(OpenHostWork work) {
                        bug.run();
                    }
                });
        Told told = new Told();
        book.listen(told);
        book.opened(work(HOST, HostWorkKind.FENCE, 1, 0));
        assertThat(told.opened).hasSize(1);
    }

    @Test
    void workHasOneOwner() throws Exception {
        OpenHostWork fence = queued(work(HOST, HostWorkKind.FENCE, 1, 0));
        book.opened(fence);

        assertThat(book.takeOver(fence.work(), OWNER)).isTrue();
        assertThat(book.takeOver(fence.work(), new UUID(6, 6))).isFalse();

        assertThat(book.isOpen(fence.work().key())).isFalse();
        PendingWorkRegistry nextLife = newBook();
        nextLife.recover();
        assertThat(nextLife.openAboutHosts()).isEmpty();
    }

    @Test
    void workEndsWithItsEpisodeALaterAttemptAndItsHost() {
        OpenHostWork fence = work(HOST, HostWorkKind.FENCE, 1, 0);
        OpenHostWork drain = work(HOST, HostWorkKind.DRAIN, 2, 1);
        OpenHostWork again = work(HOST, HostWorkKind.DRAIN, 2, 2);
        OpenHostWork others = work(OTHER, HostWorkKind.FENCE, 1, 0);
        List.of(fence, drain, others).forEach(book::opened);

        book.episodeReached(HOST, 2);
        assertThat(book.openAboutHosts()).containsExactlyInAnyOrder(drain, others);

        book.opened(again);
        assertThat(book.openAboutHosts()).containsExactlyInAnyOrder(again, others);

        book.forget(HOST);
        assertThat(book.openAboutHosts()).containsExactly(others);
    }

    private OpenHostWork queued(OpenHostWork open) {
        HostWork work = open.work();
        hosts.write(
                List.of(
                        HostChange.of(
                                        work.host(),
                                        HostCondition.of(HostStatus.NON_RESPONSIVE).inNextEpisode())
                                .withWork(List.of(open))));
        return open;
    }

    private static OpenHostWork work(HostId host, HostWorkKind kind, long episode, int attempt) {
        return new OpenHostWork(new HostWork(host, kind, episode, attempt, "why"), NOW);
    }

    private static final class Told implements WorkListener {

        final List<OpenHostWork> opened = new ArrayList<>();

        @Override
        public void workOpened(OpenWork work) {}

        @Override
        public void hostWorkOpened(OpenHostWork work) {
            opened.add(work);
        }
    }
}
