package org.stillwater.benchmarks.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmRuntime;

class ChangesTest {

    private static List<VmId> fleet(int size) {
        return IntStream.range(0, size).mapToObj(i -> new VmId(i, i)).toList();
    }

    @Test
    @DisplayName("every VM has its turn before any has another")
    void inTurn() {
        for (int size : new int[] {10, 97, 1_000}) {
            Changes changes = new Changes(fleet(size), 7);
            for (int pass = 0; pass < 3; pass++) {
                Set<Integer> seen = new HashSet<>();
                for (int i = 0; i < size; i++) {
                    seen.add(changes.next().vm());
                }
                assertThat(seen).hasSize(size);
            }
        }
    }

    @Test
    @DisplayName("the reported changes are the differences")
    void reallyDiffers() {
        Changes changes = new Changes(fleet(10), 7);
        for (int i = 0; i < 5_000; i++) {
            VmRuntime[] before =
                    IntStream.range(0, 10).mapToObj(changes::runtime).toArray(VmRuntime[]::new);
            Changes.Change change = changes.next();
            assertThat(change.runtime().differencesFrom(before[change.vm()]))
                    .isEqualTo(change.fields());
            assertThat(changes.runtime(change.vm())).isSameAs(change.runtime());
        }
    }

    @Test
    @DisplayName("the same seed makes the same changes")
    void sameSeed() {
        Changes one = new Changes(fleet(100), 3);
        Changes other = new Changes(fleet(100), 3);
        for (int i = 0; i < 1_000; i++) {
            assertThat(one.next()).isEqualTo(other.next());
        }
    }
}
