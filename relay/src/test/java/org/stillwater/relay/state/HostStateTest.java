package org.stillwater.relay.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HostStateTest {

    private static final UUID A = new UUID(1, 1);
    private static final UUID B = new UUID(2, 2);
    private static final int MANY = 10_000;

    private final HostLedger ledger = new HostLedger(7, Deadband.NONE, 100);
    private final HostMirror mirror = new HostMirror(MANY);

    HostStateTest() {
        mirror.bind(7);
    }

    private static Cells cells(long first, String second) {
        return new Cells.Draft().whole(1, first).text(2, second).build();
    }

    private HostMirror.Outcome take() {
        return mirror.apply(ledger.since(mirror.sequence(), true));
    }

    @Test
    @DisplayName("a delta holds the cells that changed, and no others")
    void onlyChangedCells() {
        ledger.put(A, cells(1, "x"));
        ledger.put(B, cells(1, "y"));
        ledger.commit();
        take();

        ledger.put(A, cells(2, "x"));
        ledger.put(B, cells(1, "y"));
        ledger.commit();

        Delta delta = ledger.since(1, false);
        assertThat(delta.changes())
                .containsExactly(
                        new Delta.Change(A, new Cells.Draft().whole(1, 2).build(), List.of()));
        assertThat(take()).isEqualTo(HostMirror.Outcome.APPLIED);
        assertThat(mirror.get(A)).isEqualTo(cells(2, "x"));
    }

    @Test
    @DisplayName("a state that did not change keeps its sequence")
    void nothingNewKeepsTheSequence() {
        ledger.put(A, cells(1, "x"));
        long before = ledger.commit();

        ledger.put(A, cells(1, "x"));

        assertThat(ledger.commit()).isEqualTo(before);
        assertThat(ledger.since(before, false).changes()).isEmpty();
    }

    @Test
    @DisplayName("uncommitted changes are not sent")
    void noHalfOfAReport() {
        ledger.put(A, cells(1, "x"));

        assertThatThrownBy(() -> ledger.since(0, false)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("a cell that is gone is sent as gone, until it is acknowledged")
    void clearedCells() {
        ledger.put(A, cells(1, "x"));
        ledger.commit();
        take();

        ledger.put(A, new Cells.Draft().whole(1, 1).build());
        ledger.commit();

        assertThat(ledger.since(1, false).changes().getFirst().cleared()).containsExactly(2);
        take();
        assertThat(mirror.get(A)).isEqualTo(new Cells.Draft().whole(1, 1).build());
        ledger.acknowledged(2);
        assertThat(ledger.since(1, false).isSnapshot())
                .as("who stands before a forgotten mark gets the whole state")
                .isTrue();
    }

    @Test
    @DisplayName(
            "a record that is gone is sent as gone; one that comes back brings the whole state")
    void removedRecords() {
        ledger.put(A, cells(1, "x"));
        ledger.put(B, cells(1, "y"));
        ledger.commit();
        take();

        ledger.retain(Set.of(B));
        ledger.commit();
        assertThat(ledger.since(1, false).removed()).containsExactly(A);

        ledger.put(A, new Cells.Draft().text(2, "again").build());
        ledger.commit();
        assertThat(ledger.since(1, false).isSnapshot()).isTrue();
        assertThat(take()).isEqualTo(HostMirror.Outcome.APPLIED);
        assertThat(mirror.records())
                .isEqualTo(Map.of(A, new Cells.Draft().text(2, "again").build(), B, cells(1, "y")));
    }

    @Test
    @DisplayName("marks are bounded: beyond the bound, receivers get the whole state")
    void marksAreBounded() {
        HostLedger small = new HostLedger(7, Deadband.NONE, 3);
        for (int i = 0; i < 5; i++) {
            small.put(new UUID(9, i), cells(i, "x"));
        }
        small.commit();
        small.retain(Set.of());
        small.commit();

        assertThat(small.since(1, false).isSnapshot()).isTrue();
    }

    @Test
    @DisplayName("moves within the deadband are not sent, and do not add up unseen")
    void deadband() {
        HostLedger banded = new HostLedger(7, key -> key == 1 ? 5 : 0, 100);
        banded.put(A, new Cells.Draft().whole(1, 100).decimal(3, 1.0).build());
        banded.commit();
        long sequence = banded.version();

        banded.put(A, new Cells.Draft().whole(1, 104).decimal(3, 1.0).build());
        assertThat(banded.commit()).isEqualTo(sequence);
        banded.put(A, new Cells.Draft().whole(1, 106).decimal(3, 1.0).build());
        assertThat(banded.commit()).isEqualTo(sequence + 1);
        assertThat(banded.get(A)).isNotNull();
        assertThat(banded.since(sequence, false).changes().getFirst().set().whole(1, 0))
                .isEqualTo(106);
    }

    @Test
    @DisplayName("a gap is seen, a repeated delta and one of another epoch are left out")
    void gapsAndRepeats() {
        ledger.put(A, cells(1, "x"));
        ledger.commit();
        Delta first = ledger.since(0, false);
        ledger.put(A, cells(2, "x"));
        ledger.commit();
        Delta second = ledger.since(1, false);

        assertThat(mirror.apply(second)).isEqualTo(HostMirror.Outcome.GAP);
        assertThat(mirror.apply(first)).isEqualTo(HostMirror.Outcome.APPLIED);
        assertThat(mirror.apply(second)).isEqualTo(HostMirror.Outcome.APPLIED);
        assertThat(mirror.apply(first)).isEqualTo(HostMirror.Outcome.REPEATED);
        assertThat(mirror.get(A)).isEqualTo(cells(2, "x"));
        mirror.bind(8);
        assertThat(mirror.apply(second)).isEqualTo(HostMirror.Outcome.FOREIGN);
        assertThat(mirror.size()).isZero();
    }

    @Test
    @DisplayName("drift is found by the checksum, and the state is not believed any more")
    void drift() {
        ledger.put(A, cells(1, "x"));
        ledger.commit();
        Delta told = ledger.since(0, true);
        Delta altered =
                new Delta(
                        7,
                        0,
                        1,
                        List.of(new Delta.Change(A, cells(3, "x"), List.of())),
                        List.of(),
                        told.sum());

        assertThat(mirror.apply(altered)).isEqualTo(HostMirror.Outcome.DRIFTED);
        assertThat(mirror.sequence()).isZero();
        assertThat(mirror.apply(told)).isEqualTo(HostMirror.Outcome.APPLIED);
    }

    @Test
    @DisplayName("a state beyond the bound is refused and forgotten")
    void tooLarge() {
        HostMirror small = new HostMirror(4);
        small.bind(7);
        ledger.put(A, cells(1, "x"));
        ledger.put(B, cells(1, "x"));
        ledger.commit();

        assertThat(small.apply(ledger.since(0, true))).isEqualTo(HostMirror.Outcome.TOO_LARGE);
        assertThat(small.size()).isZero();
    }

    @Test
    @DisplayName("values that look alike have different digests")
    void digestsDiffer() {
        assertThat(
                        Set.of(
                                new Value.Whole(0).digest(),
                                new Value.Whole(1).digest(),
                                new Value.Decimal(0).digest(),
                                new Value.Decimal(1).digest(),
                                new Value.Text("").digest(),
                                new Value.Text("0").digest(),
                                new Value.Text("1").digest()))
                .hasSize(7);
        assertThat(new Value.Decimal(Double.NaN)).isEqualTo(new Value.Decimal(Double.NaN));
    }
}
