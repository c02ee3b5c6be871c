package org.stillwater.server.api.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VisiblePageTest {

    private static final int PAGE = 10;

    /** Numbers up to a bound, of which some may be seen. */
    private static VisiblePage<Integer> look(int bound, int after, IntPredicate seen, int wanted) {
        return VisiblePage.<Integer, RuntimeException>through(
                (last, most) ->
                        IntStream.range(last == null ? after : last + 1, bound)
                                .limit(most)
                                .boxed()
                                .toList(),
                seen::test,
                wanted,
                PAGE,
                3);
    }

    @Test
    void pagesNeitherRepeatNorSkipHoweverFewMayBeSeen() {
        List<Integer> told = new ArrayList<>();
        int after = 0;
        int pages = 0;
        while (true) {
            VisiblePage<Integer> look = look(1_000, after, each -> each % 97 == 5, 2);
            told.addAll(look.told(2));
            pages++;
            Integer next = look.next(2);
            if (next == null) {
                break;
            }
            after = next + 1;
        }
        assertThat(told).containsExactly(5, 102, 199, 296, 393, 490, 587, 684, 781, 878, 975);
        assertThat(pages).isLessThan(40);
    }

    @Test
    void aPageThatIsFullHasANextOneOnlyIfThereIsMore() {
        assertThat(look(2, 0, _ -> true, 2).next(2)).isNull();
        assertThat(look(3, 0, _ -> true, 2).next(2)).isEqualTo(1);
        assertThat(look(3, 0, _ -> true, 2).told(2)).containsExactly(0, 1);
        assertThat(look(0, 0, _ -> true, 2).next(2)).isNull();
    }

    @Test
    void nothingSeenIsNotTheEnd() {
        VisiblePage<Integer> look = look(1_000, 0, _ -> false, 2);
        assertThat(look.told(2)).isEmpty();
        assertThat(look.next(2)).isEqualTo(29);
    }
}
