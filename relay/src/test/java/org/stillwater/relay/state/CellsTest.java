package org.stillwater.relay.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cells against a sorted map. */
class CellsTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("drafts and patches do what a sorted map does, in any order of keys")
    void likeASortedMap(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            Map<Integer, Value> expected = draw(random);
            Cells cells = cells(expected, random);
            assertSame(cells, expected);

            Map<Integer, Value> set = random.nextBoolean() ? draw(random) : moved(expected, random);
            List<Integer> cleared = new ArrayList<>();
            while (random.nextInt(3) > 0) {
                cleared.add(random.nextInt(60));
            }
            Cells patched = cells.patched(cells(set, random), cleared);
            assertSame(cells, expected); // immutable
            expected.putAll(set);
            cleared.forEach(expected::remove);
            assertSame(patched, expected);
            assertThat(patched).isEqualTo(cells(expected, random));
        }
    }

    private static Map<Integer, Value> draw(Random random) {
        Map<Integer, Value> values = new TreeMap<>();
        int count = random.nextInt(40);
        for (int i = 0; i < count; i++) {
            values.put(random.nextInt(60), value(random.nextInt(3), random));
        }
        return values;
    }

    private static Value value(int kind, Random random) {
        return switch (kind) {
            case 0 -> new Value.Whole(random.nextInt(5));
            case 1 -> new Value.Decimal(random.nextInt(4) == 0 ? Double.NaN : random.nextInt(5));
            default -> new Value.Text("t" + random.nextInt(5));
        };
    }

    /** Other values of the same kinds for some of the keys. */
    private static Map<Integer, Value> moved(Map<Integer, Value> of, Random random) {
        Map<Integer, Value> moved = new TreeMap<>();
        of.forEach((key, value) -> {
            if (random.nextInt(3) > 0) {
                moved.put(
                        key,
                        switch (value) {
                            case Value.Whole _ -> value(0, random);
                            case Value.Decimal _ -> value(1, random);
                            case Value.Text _ -> value(2, random);
                        });
            }
        });
        return moved;
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    @DisplayName("cells read from a message are those that a draft makes, also if keys repeat")
    void read(long seed) {
        Random random = new Random(seed);
        CellReader reader = new CellReader();
        List<Listed> seen = new ArrayList<>();
        for (int round = 0; round < 2_000; round++) {
            Listed listed =
                    seen.isEmpty() || random.nextInt(3) == 0
                            ? Listed.drawn(random)
                            : seen.get(random.nextInt(seen.size())).moved(random);
            seen.add(listed);
            assertThat(reader.read(listed)).isEqualTo(listed.drafted());
        }
    }

    @Test
    @DisplayName("records with the same keys share them, and what a patch does not touch")
    void shared() {
        Cells one = new Cells.Draft().whole(1, 1_000).decimal(80, 0.5).text(4, "a").build();
        Cells other = new Cells.Draft().text(4, "b").decimal(80, 0.7).whole(1, 2_000).build();
        assertThat(other.shape()).isSameAs(one.shape());

        Cells patched = one.patched(new Cells.Draft().decimal(80, 0.6).build(), List.of());
        assertThat(patched.shape()).isSameAs(one.shape());
        assertThat(patched.value(1)).as("the text").isSameAs(one.value(1));
        assertThat(patched.memo()).isSameAs(one.memo());

        Cells again = one.patched(new Cells.Draft().text(4, "a").build(), List.of());
        assertThat(again.value(1)).as("an equal text").isSameAs(one.value(1));
    }

    /** Keys and values of each kind, as a message has them. */
    private record Listed(
            List<Integer> wholeKeys,
            List<Long> wholeValues,
            List<Integer> decimalKeys,
            List<Double> decimalValues,
            List<Integer> textKeys,
            List<String> textValues)
            implements CellReader.Source {

        static Listed drawn(Random random) {
            return new Listed(
                            keys(random),
                            List.of(),
                            keys(random),
                            List.of(),
                            keys(random),
                            List.of())
                    .moved(random);
        }

        private static List<Integer> keys(Random random) {
            return random.ints(random.nextInt(6), 0, 40).boxed().toList();
        }

        Listed moved(Random random) {
            return new Listed(
                    wholeKeys,
                    random.longs(wholeKeys.size()).boxed().toList(),
                    decimalKeys,
                    random.doubles(decimalKeys.size()).boxed().toList(),
                    textKeys,
                    random.ints(textKeys.size(), 0, 9).mapToObj(n -> "t" + n).toList());
        }

        Cells drafted() {
            Cells.Draft draft = new Cells.Draft();
            for (int i = 0; i < wholes(); i++) {
                draft.whole(wholeKey(i), whole(i));
            }
            for (int i = 0; i < decimals(); i++) {
                draft.decimal(decimalKey(i), decimal(i));
            }
            for (int i = 0; i < texts(); i++) {
                draft.put(textKey(i), text(i));
            }
            return draft.build();
        }

        @Override
        public int wholes() {
            return wholeKeys.size();
        }

        @Override
        public int wholeKey(int index) {
            return wholeKeys.get(index);
        }

        @Override
        public long whole(int index) {
            return wholeValues.get(index);
        }

        @Override
        public int decimals() {
            return decimalKeys.size();
        }

        @Override
        public int decimalKey(int index) {
            return decimalKeys.get(index);
        }

        @Override
        public double decimal(int index) {
            return decimalValues.get(index);
        }

        @Override
        public int texts() {
            return textKeys.size();
        }

        @Override
        public int textKey(int index) {
            return textKeys.get(index);
        }

        @Override
        public Value.Text text(int index) {
            return new Value.Text(textValues.get(index));
        }
    }

    private static Cells cells(Map<Integer, Value> values, Random random) {
        List<Integer> keys = new ArrayList<>(values.keySet());
        if (random.nextBoolean()) {
            Collections.shuffle(keys, random);
        }
        Cells.Draft draft = new Cells.Draft();
        for (int key : keys) {
            if (random.nextInt(5) == 0) {
                draft.decimal(key, 1); // overwritten
            }
            Value value = values.get(key);
            assertThat(value).isNotNull();
            draft.put(key, value);
        }
        return draft.build();
    }

    private static void assertSame(Cells cells, Map<Integer, Value> expected) {
        assertThat(cells.size()).isEqualTo(expected.size());
        int i = 0;
        for (Map.Entry<Integer, Value> each : expected.entrySet()) {
            assertThat(cells.key(i)).isEqualTo(each.getKey());
            assertThat(cells.value(i++)).isEqualTo(each.getValue());
            assertThat(cells.get(each.getKey())).isEqualTo(each.getValue());
        }
    }
}
