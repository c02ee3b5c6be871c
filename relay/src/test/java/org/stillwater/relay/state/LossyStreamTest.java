package org.stillwater.relay.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A ledger and a mirror over a channel that loses, doubles and reorders deltas, while both sides
 * start anew now and then.
 */
class LossyStreamTest {

    private static final int STEPS = 600;
    private static final int IDS = 6;
    private static final int KEYS = 8;

    static LongStream seeds() {
        Long only = Long.getLong("stillwater.relay.seed");
        return only == null ? LongStream.rangeClosed(1, 150) : LongStream.of(only);
    }

    /** Every state that the relay ever committed, by epoch and sequence. */
    private record Moment(long epoch, long sequence) {}

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyStateOfTheMirrorIsOneThatTheLedgerHad(long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        long epoch = 1;
        int marks = random.nextInt(1, 12);
        HostLedger ledger = new HostLedger(epoch, Deadband.NONE, marks);
        HostMirror mirror = new HostMirror(10_000);
        mirror.bind(epoch);
        Map<Moment, Map<UUID, Cells>> history = new HashMap<>();
        history.put(new Moment(epoch, 0), Map.of());
        List<Delta> channel = new ArrayList<>();
        long told = 0;
        long reached = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> {
                    for (int i = random.nextInt(1, 4); i > 0; i--) {
                        mutate(ledger, random);
                    }
                    ledger.commit();
                    history.put(new Moment(epoch, ledger.version()), state(ledger));
                }
                case 4, 5 -> { // a delta goes out
                    Delta delta = ledger.since(told, random.nextBoolean());
                    told = delta.sequence();
                    channel.add(delta);
                }
                case 6, 7, 8 -> { // one arrives, in any order, and may arrive again
                    if (!channel.isEmpty()) {
                        int which = random.nextInt(channel.size());
                        Delta delta =
                                random.nextInt(4) == 0 ? channel.get(which) : channel.remove(which);
                        long before = mirror.sequence();
                        HostMirror.Outcome outcome = mirror.apply(delta);
                        assertThat(outcome)
                                .as("seed %d step %d", seed, step)
                                .isNotIn(HostMirror.Outcome.DRIFTED, HostMirror.Outcome.TOO_LARGE);
                        assertThat(mirror.sequence()).isGreaterThanOrEqualTo(before);
                        if (outcome == HostMirror.Outcome.GAP) {
                            told = mirror.sequence(); // the demand
                        }
                        reached = mirror.sequence();
                    }
                }
                case 9 -> { // an acknowledgement arrives
                    if (mirror.epoch() == epoch) {
                        ledger.acknowledged(reached);
                    }
                }
                case 10 -> { // one is lost
                    if (!channel.isEmpty()) {
                        channel.remove(random.nextInt(channel.size()));
                    }
                }
                default -> {
                    if (random.nextInt(8) == 0) { // the relay starts anew
                        epoch++;
                        ledger = new HostLedger(epoch, Deadband.NONE, marks);
                        history.put(new Moment(epoch, 0), Map.of());
                        mirror.bind(epoch);
                        told = 0;
                        reached = 0;
                    } else if (random.nextInt(8) == 0) { // the receiver starts anew
                        mirror = new HostMirror(10_000);
                        mirror.bind(epoch);
                        told = 0;
                        reached = 0;
                    }
                }
            }
            assertThat(mirror.records())
                    .as("seed %d step %d", seed, step)
                    .isEqualTo(history.get(new Moment(mirror.epoch(), mirror.sequence())));
        }
        mirror.apply(ledger.since(mirror.sequence(), true));
        assertThat(mirror.records()).as("seed %d, the end", seed).isEqualTo(state(ledger));
        assertThat(mirror.sum()).isEqualTo(ledger.sum());
    }

    private static void mutate(HostLedger ledger, RandomGenerator random) {
        UUID id = new UUID(5, random.nextInt(IDS));
        if (random.nextInt(5) == 0) {
            ledger.remove(id);
            return;
        }
        Cells.Draft draft = new Cells.Draft();
        for (int key = 1; key <= KEYS; key++) {
            switch (random.nextInt(5)) {
                case 0 -> draft.whole(key, random.nextInt(3));
                case 1 -> draft.decimal(key, random.nextInt(3) / 2.0);
                case 2 -> draft.text(key, "t" + random.nextInt(3));
                default -> {}
            }
        }
        ledger.put(id, draft.build());
    }

    private static Map<UUID, Cells> state(HostLedger ledger) {
        Map<UUID, Cells> state = new HashMap<>();
        ledger.ids()
                .forEach(id -> {
                    Cells cells = ledger.get(id);
                    if (cells != null) {
                        state.put(id, cells);
                    }
                });
        return Map.copyOf(state);
    }
}
