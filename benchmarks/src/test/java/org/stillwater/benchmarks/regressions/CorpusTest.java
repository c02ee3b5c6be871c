package org.stillwater.benchmarks.regressions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.regressions.Cell.Generator;
import org.stillwater.benchmarks.regressions.LabelledSeries.Kind;

class CorpusTest {

    @Test
    void aSeedMakesTheSameSeriesAgain() {
        List<LabelledSeries> one = Corpus.generate(200, 5);
        List<LabelledSeries> same = Corpus.generate(200, 5);
        List<LabelledSeries> other = Corpus.generate(200, 6);

        for (int i = 0; i < one.size(); i++) {
            assertThat(same.get(i).values()).isEqualTo(one.get(i).values());
            assertThat(same.get(i).begins()).isEqualTo(one.get(i).begins());
        }
        assertThat(other.getFirst().values()).isNotEqualTo(one.getFirst().values());
    }

    @Test
    void everyCellHasAsManySeriesOfEachKind() {
        List<LabelledSeries> all = Corpus.generate(2000, 1);

        assertThat(all).hasSizeGreaterThanOrEqualTo(2000);
        assertThat(all.stream().collect(Collectors.groupingBy(LabelledSeries::cell)).values())
                .hasSize(24)
                .allSatisfy(cell ->
                        assertThat(
                                        cell.stream()
                                                .collect(
                                                        Collectors.groupingBy(
                                                                LabelledSeries::kind,
                                                                Collectors.counting())))
                                .hasSize(4)
                                .allSatisfy((kind, count) ->
                                        assertThat(count).isEqualTo(cell.size() / 4)));
    }

    @Test
    void theTruthIsInTheValues() {
        LabelledSeries series =
                Corpus.generate(96, 3).stream()
                        .filter(each -> each.kind() == Kind.STEP)
                        .filter(each -> each.cell().equals(cell(40, 2)))
                        .findFirst()
                        .orElseThrow();
        int begin = series.begins()[0];

        double before = median(series.values(), 0, begin);
        double after = median(series.values(), begin, Corpus.LENGTH);

        assertThat(after / before - 1)
                .isCloseTo(series.changes()[0], org.assertj.core.api.Assertions.within(0.02));
    }

    private static Cell cell(int step, int noise) {
        return new Cell(Generator.STILLWATER, step, noise, 0);
    }

    private static double median(double[] values, int from, int to) {
        double[] part = java.util.Arrays.copyOfRange(values, from, to);
        java.util.Arrays.sort(part);
        return part[part.length / 2];
    }
}
