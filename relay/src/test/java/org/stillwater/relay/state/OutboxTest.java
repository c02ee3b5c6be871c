package org.stillwater.relay.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;

class OutboxTest {

    private static final HostId ONE = new HostId(new UUID(0, 1));
    private static final HostId TWO = new HostId(new UUID(0, 2));
    private static final UUID VM = new UUID(7, 7);

    private final HostLedger one = new HostLedger(1, Deadband.NONE, 100);
    private final HostLedger two = new HostLedger(1, Deadband.NONE, 100);
    private final Outbox outbox = new Outbox(Duration.ofMinutes(1));

    OutboxTest() {
        outbox.add(ONE, one);
        outbox.add(TWO, two);
    }

    private void change(HostId host, HostLedger ledger, long value) {
        ledger.put(VM, new Cells.Draft().whole(1, value).build());
        ledger.commit();
        outbox.changed(host);
    }

    private Outbox.Message next() {
        return Objects.requireNonNull(outbox.next(0));
    }

    @Test
    @DisplayName("nothing is sent without a stream, nor of a host that is not accepted")
    void onlyAcceptedHosts() {
        change(ONE, one, 1);
        change(TWO, two, 1);
        assertThat(outbox.next(0)).isNull();

        outbox.opened(Map.of(ONE, 0L), 2);

        assertThat(next().host()).isEqualTo(ONE);
        change(TWO, two, 2);
        assertThat(outbox.next(0)).isNull();
    }

    @Test
    @DisplayName("a receiver that is behind gets the newest state once, however often it changed")
    void backPressureCoalesces() {
        outbox.opened(Map.of(ONE, 0L, TWO, 0L), 2);
        change(ONE, one, 1);
        next();
        change(ONE, one, 2);
        next();
        for (int i = 3; i < 100; i++) {
            change(ONE, one, i);
            assertThat(outbox.next(0)).as("the window is full").isNull();
        }

        outbox.acknowledged(1);

        Outbox.Message message = next();
        assertThat(message.delta().base()).isEqualTo(2);
        assertThat(message.delta().sequence()).isEqualTo(99);
        assertThat(message.delta().changes()).hasSize(1);
        assertThat(outbox.underWay()).isEqualTo(2);
    }

    @Test
    @DisplayName("hosts take turns")
    void hostsTakeTurns() {
        outbox.opened(Map.of(ONE, 0L, TWO, 0L), 2);
        change(ONE, one, 1);
        change(TWO, two, 1);
        Map<HostId, Integer> sent = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            Outbox.Message message = next();
            sent.merge(message.host(), 1, Integer::sum);
            outbox.acknowledged(message.number());
            change(ONE, one, i + 10);
            change(TWO, two, i + 10);
        }

        assertThat(sent).containsEntry(ONE, 10).containsEntry(TWO, 10);
    }

    @Test
    @DisplayName("a stream goes on at the sequence that the receiver has")
    void resumes() {
        change(ONE, one, 1);
        change(ONE, one, 2);
        outbox.opened(Map.of(ONE, 1L), 2);

        assertThat(next().delta().base()).isEqualTo(1);
    }

    @Test
    @DisplayName("demanded messages are sent again")
    void demands() {
        outbox.opened(Map.of(ONE, 0L), 2);
        change(ONE, one, 1);
        next();

        outbox.demanded(ONE, 0);

        assertThat(next().delta().isSnapshot()).isTrue();
    }

    @Test
    @DisplayName("a checksum goes with the first delta and then with one each minute")
    void checksums() {
        outbox.opened(Map.of(ONE, 0L), 2);
        change(ONE, one, 1);
        assertThat(next().delta().sum()).isNotNull();
        outbox.acknowledged(1);
        change(ONE, one, 2);
        assertThat(next().delta().sum()).isNull();
        outbox.acknowledged(2);
        change(ONE, one, 3);

        Outbox.Message later = Objects.requireNonNull(outbox.next(Duration.ofMinutes(1).toNanos()));

        assertThat(later.delta().sum()).isEqualTo(one.sum());
    }
}
