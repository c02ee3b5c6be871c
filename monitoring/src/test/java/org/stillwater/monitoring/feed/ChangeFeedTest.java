package org.stillwater.monitoring.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;

class ChangeFeedTest {

    private static final Duration NOT_AT_ALL = Duration.ZERO;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final HostId HOST = new HostId(new UUID(1, 1));

    private final VmRegistry registry = new VmRegistry(0);
    private final ChangeFeed feed = new ChangeFeed(new FeedSettings(16, 8), 1_000);
    private final VmManager vm = added(1);

    @Test
    void deltasComeInOrderWithGrowingRevisions() throws Exception {
        Subscription subscription = feed.subscribe(null, false);
        change(VmStatus.UP);
        change(VmStatus.DOWN);

        FeedBatch batch = subscription.next(NOT_AT_ALL);

        assertThat(batch.deltas())
                .extracting(Delta::revision)
                .containsExactly(
                        subscription.startRevision() + 1, subscription.startRevision() + 2);
        assertThat(((Delta.VmChanged) batch.deltas().getLast()).state()).isSameAs(vm.state());
        assertThat(vm.state().revision()).isEqualTo(feed.revision());
        assertThat(subscription.next(NOT_AT_ALL).isEmpty()).isTrue();
    }

    @Test
    void aReaderThatRestartsGetsChangesFromThenOn() throws Exception {
        Subscription subscription = feed.subscribe(null, false);
        change(VmStatus.UP);

        subscription.restart();

        assertThat(subscription.startRevision()).isEqualTo(feed.revision());
        assertThat(subscription.next(NOT_AT_ALL).isEmpty()).isTrue();
        change(VmStatus.DOWN);
        assertThat(subscription.next(NOT_AT_ALL).deltas()).hasSize(1);
    }

    @Test
    void announcementsHaveAPlaceInTheOrder() throws Exception {
        Subscription subscription = feed.subscribe(null, false);
        long before = feed.revision();
        change(VmStatus.UP);
        assertThat(feed.untold(5)).isEqualTo(before + 2);
        change(VmStatus.DOWN);

        assertThat(subscription.next(NOT_AT_ALL).deltas())
                .extracting(Delta::revision)
                .containsExactly(before + 1, before + 2, before + 3);
    }

    @Test
    @Timeout(20)
    void aRestEndsWithTheSubscriptionAndIsNothingWithoutSpacing() throws Exception {
        Subscription subscription = feed.subscribe(null, false);
        subscription.rest(Duration.ZERO);
        assertThat(subscription.isOver()).isFalse();
        Thread closing = Thread.ofVirtual().start(subscription::close);
        subscription.rest(Duration.ofDays(10_000));
        assertThat(subscription.isOver()).isTrue();
        closing.join();
    }

    @Test
    void aSubscriptionToAFeedThatWasClosedIsOver() {
        feed.close();
        assertThat(feed.subscribe(null, false).isOver()).isTrue();
        assertThat(feed.subscribers()).isZero();
    }

    @Test
    void aReaderResumesWhereItStopped() throws Exception {
        Subscription before = feed.subscribe(null, false);
        change(VmStatus.UP);
        long seen = before.next(NOT_AT_ALL).deltas().getLast().revision();
        before.close();
        change(VmStatus.DOWN);

        Subscription after = feed.subscribe(seen, false);

        assertThat(after.resumed()).isTrue();
        assertThat(after.next(NOT_AT_ALL).deltas()).hasSize(1);
    }

    @Test
    void aReaderGoesBackToASnapshotThatIsNotMuchOlder() throws Exception {
        long old = feed.revision();
        for (int i = 0; i < 4; i++) { // a quarter of those that are kept
            change(i % 2 == 0 ? VmStatus.UP : VmStatus.DOWN);
        }
        Subscription subscription = feed.subscribe(null, false);

        assertThat(subscription.goBack(old + 5)).as("not yet").isFalse();
        assertThat(subscription.goBack(old)).isTrue();
        assertThat(subscription.next(NOT_AT_ALL).deltas())
                .extracting(Delta::revision)
                .containsExactly(old + 1, old + 2, old + 3, old + 4);
        change(VmStatus.UP);
        assertThat(subscription.goBack(old)).as("too many changes").isFalse();
        assertThat(subscription.next(NOT_AT_ALL).deltas())
                .extracting(Delta::revision)
                .containsExactly(old + 5);
    }

    @Test
    void aReaderThatWasAwayTooLongOrComesFromAnotherLifeStartsFromASnapshot() throws Exception {
        long old = feed.revision();
        for (int i = 0; i < 17; i++) {
            change(i % 2 == 0 ? VmStatus.UP : VmStatus.DOWN);
        }

        assertThat(feed.subscribe(old, false).resumed()).isFalse();
        assertThat(feed.subscribe(old + 1, false).resumed()).isTrue();
        assertThat(feed.subscribe(5L, false).resumed()).isFalse();
        assertThat(feed.subscribe(feed.revision() + 1, false).resumed()).isFalse();
        assertThat(new ChangeFeed(FeedSettings.DEFAULT, 1_001).subscribe(old, false).resumed())
                .as("revisions of the next life are larger")
                .isFalse();
    }

    @Test
    void aSlowReaderLagsAndDelaysNoOther() throws Exception {
        Subscription slow = feed.subscribe(null, false);
        Subscription quick = feed.subscribe(null, false);
        for (int i = 0; i < 17; i++) {
            change(i % 2 == 0 ? VmStatus.UP : VmStatus.DOWN);
            assertThat(quick.next(NOT_AT_ALL).deltas()).hasSize(1);
        }

        assertThatThrownBy(() -> slow.next(NOT_AT_ALL))
                .isInstanceOf(SubscriberLagged.class)
                .hasMessageContaining("fell behind");
    }

    @Test
    void aSnapshotReadAfterSubscribingMissesNothing() throws Exception {
        Subscription subscription = feed.subscribe(null, false);
        Thread writer =
                Thread.ofPlatform()
                        .start(() -> {
                            for (int i = 0; i < 10; i++) {
                                change(i % 2 == 0 ? VmStatus.UP : VmStatus.DOWN);
                            }
                        });
        VmState snapshot = vm.state();
        List<Delta> deltas = new ArrayList<>();
        while (subscription.startRevision() + deltas.size() < feed.revision() || writer.isAlive()) {
            deltas.addAll(subscription.next(Duration.ofMillis(10)).deltas());
        }
        deltas.addAll(subscription.next(NOT_AT_ALL).deltas());

        VmState rebuilt = snapshot;
        for (Delta delta : deltas) {
            if (delta instanceof Delta.VmChanged changed
                    && changed.revision() > rebuilt.revision()) {
                rebuilt = changed.state();
            }
        }
        assertThat(rebuilt).isEqualTo(vm.state());
    }

    @Test
    void statisticsAreSentOnRequestAndOncePerHost() throws Exception {
        Subscription plain = feed.subscribe(null, false);
        feed.statisticsRefreshed(HOST);
        Subscription interested = feed.subscribe(null, true);
        feed.statisticsRefreshed(HOST);
        feed.statisticsRefreshed(HOST);

        assertThat(plain.next(NOT_AT_ALL).isEmpty()).isTrue();
        assertThat(interested.next(NOT_AT_ALL).refreshed()).containsExactly(HOST);
        assertThat(interested.next(NOT_AT_ALL).isEmpty()).isTrue();
    }

    @Test
    void aWaitingReaderIsWokenByAChangeAndByTheEnd() throws Exception {
        Subscription subscription = feed.subscribe(null, false);
        Thread later = Thread.ofVirtual().start(() -> change(VmStatus.UP));
        assertThat(subscription.next(LONG).deltas()).hasSize(1);
        later.join();

        Thread end = Thread.ofVirtual().start(feed::close);
        assertThat(subscription.next(LONG).isEmpty()).isTrue();
        end.join();
        assertThat(subscription.isOver()).isTrue();
    }

    private VmManager added(int n) {
        VmState state = new VmState(VmRuntime.INITIAL, VmPlacement.NOWHERE, 0, Instant.EPOCH, 0);
        VmId id = new VmId(1, n);
        registry.register(
                id,
                new VmStatic("vm", VmOrigin.OVIRT, false, 1, 1, 1, 1, 1, List.of()),
                state,
                feed::vmAdded);
        return registry.find(id);
    }

    private void change(VmStatus status) {
        VmState state = vm.state();
        feed.vmChanged(
                vm,
                new VmState(
                        state.runtime().with(RuntimeField.STATUS, status),
                        state.placement(),
                        0,
                        Instant.EPOCH,
                        0),
                RuntimeFields.of(RuntimeField.STATUS),
                false);
    }
}
