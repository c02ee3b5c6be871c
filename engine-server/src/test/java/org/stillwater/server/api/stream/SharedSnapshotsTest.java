package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.FeedSettings;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.api.stream.StreamFilter.Audience;
import org.stillwater.server.api.stream.StreamFilter.Entity;
import org.stillwater.server.api.vm.VmJson.Form;
import org.stillwater.testkit.VirtualClock;

class SharedSnapshotsTest {

    private static final int KEPT = 100;
    private static final int PARTS = 3;

    private final VirtualClock clock = new VirtualClock();
    private final ChangeFeed feed = new ChangeFeed(new FeedSettings(KEPT, KEPT), 1);
    private final SharedSnapshots snapshots = new SharedSnapshots(clock);
    private final List<String> encoded = new ArrayList<>();
    private int begun;

    private static SharedSnapshots.Key of(int vm) {
        return new SharedSnapshots.Key(
                new Audience(
                        Set.of(Entity.VM),
                        Form.LIGHT,
                        Set.of(new VmId(1, vm)),
                        null,
                        null,
                        null,
                        null),
                false,
                SnapshotForm.COLUMNS);
    }

    private Subscription subscription() {
        return feed.subscribe(null, false);
    }

    private SharedSnapshots.@Nullable Ticket join(int vm, Subscription subscription)
            throws Exception {
        return snapshots.join(
                of(vm),
                subscription,
                () -> {
                    begun++;
                    int[] next = {0};
                    return () -> {
                        if (next[0] == PARTS) {
                            return null;
                        }
                        String part = "snapshot " + begun + " part " + next[0]++;
                        encoded.add(part);
                        return part.getBytes(StandardCharsets.UTF_8);
                    };
                });
    }

    private static List<String> rest(SharedSnapshots.Ticket ticket) throws Exception {
        List<String> parts = new ArrayList<>();
        for (byte[] part = ticket.next(); part != null; part = ticket.next()) {
            parts.add(new String(part, StandardCharsets.UTF_8));
        }
        return parts;
    }

    @Test
    void eachPartIsEncodedOnceForReadersThatComeTogether() throws Exception {
        Subscription first = subscription();
        long revision = first.startRevision();
        try (SharedSnapshots.Ticket one = join(1, first)) {
            assertThat(one.next()).isNotNull();
            feed.untold(0);
            Subscription second = subscription();
            try (SharedSnapshots.Ticket two = join(1, second)) {
                assertThat(rest(two)).hasSize(PARTS);
                assertThat(rest(one)).hasSize(PARTS - 1);
            }
            assertThat(second.next(Duration.ZERO).deltas())
                    .as("it misses no change since the snapshot began")
                    .extracting(Delta::revision)
                    .containsExactly(revision + 1);
        }
        assertThat(encoded).hasSize(PARTS);
    }

    @Test
    void aSnapshotIsForgottenWithItsLastReader() throws Exception {
        try (SharedSnapshots.Ticket one = join(1, subscription())) {
            assertThat(rest(one)).hasSize(PARTS);
        }
        try (SharedSnapshots.Ticket two = join(1, subscription())) {
            assertThat(rest(two)).first().isEqualTo("snapshot 2 part 0");
        }
    }

    @Test
    void anOldOrDistantSnapshotIsNotJoined() throws Exception {
        try (SharedSnapshots.Ticket one = join(1, subscription())) {
            clock.advance(Duration.ofSeconds(5));
            try (SharedSnapshots.Ticket two = join(1, subscription())) {
                assertThat(begun).as("five seconds later").isEqualTo(2);
                for (int i = 0; i <= KEPT / 4; i++) {
                    feed.untold(0);
                }
                try (SharedSnapshots.Ticket three = join(1, subscription())) {
                    assertThat(begun).as("many changes later").isEqualTo(3);
                    assertThat(rest(one)).hasSize(PARTS);
                    assertThat(rest(two)).hasSize(PARTS);
                    assertThat(rest(three)).hasSize(PARTS);
                }
            }
        }
        assertThat(encoded).hasSize(3 * PARTS);
    }

    @Test
    void aPartThatCannotBeEncodedLeavesNoGap() throws Exception {
        boolean[] fails = {true};
        SharedSnapshots.Source source =
                () -> {
                    int[] next = {0};
                    return () -> {
                        int part = next[0]++;
                        if (part == 1 && fails[0]) {
                            throw new IllegalStateException("a bug");
                        }
                        return part == PARTS ? null : new byte[] {(byte) part};
                    };
                };
        try (SharedSnapshots.Ticket one = snapshots.join(of(1), subscription(), source);
                SharedSnapshots.Ticket two = snapshots.join(of(1), subscription(), source)) {
            assertThat(one.next()).containsExactly(0);
            assertThatIllegalStateException().isThrownBy(one::next);
            assertThat(two.next()).containsExactly(0);
            assertThatIOException().isThrownBy(two::next).withMessageContaining("completed");
            fails[0] = false;
            try (SharedSnapshots.Ticket three = snapshots.join(of(1), subscription(), source)) {
                assertThat(rest(three)).as("a snapshot of its own").hasSize(PARTS);
            }
        }
    }

    @Test
    void fewSnapshotsAreKeptAndThePlaceOfALeftOneIsFree() throws Exception {
        List<SharedSnapshots.Ticket> tickets = new ArrayList<>();
        for (int vm = 0; vm < 4; vm++) {
            tickets.add(join(vm, subscription()));
        }
        assertThat(join(4, subscription())).as("a fifth").isNull();
        assertThat(join(3, subscription())).as("one that is kept").isNotNull();
        tickets.getFirst().close();
        tickets.getFirst().close();
        assertThat(join(4, subscription())).isNotNull();
        assertThat(join(5, subscription())).isNull();
    }
}
