package org.stillwater.relay.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
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

            Map<Integer, Value> set = draw(random);
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
            values.put(random.nextInt(60), new Value.Whole(random.nextInt(5)));
        }
        return values;
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
