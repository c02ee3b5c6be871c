package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The likelihood of a step in correlated noise")
class StepLikelihoodTest {

    private static final int COUNT = 24;

    private final StepLikelihood step = new StepLikelihood();

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 25);
    }

    /** The same by the whole covariance matrix: size and variance of the step, gain. */
    private static double[] exact(
            double[] values, int[] position, List<Integer> used, int at, double correlation) {
        int n = used.size();
        double[][] covariance = new double[n][n];
        double[][] columns = new double[3][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                int apart = Math.abs(position[used.get(i)] - position[used.get(j)]);
                covariance[i][j] = Math.pow(correlation, apart);
            }
            columns[0][i] = used.get(i) < at ? 1 : 0;
            columns[1][i] = used.get(i) < at ? 0 : 1;
            columns[2][i] = values[used.get(i)];
        }
        double[][] solved = new double[3][];
        for (int c = 0; c < 3; c++) {
            solved[c] = solve(covariance, columns[c]);
        }
        double before = product(columns[0], solved[0]);
        double after = product(columns[1], solved[1]);
        double both = product(columns[0], solved[1]);
        double sumBefore = product(columns[0], solved[2]);
        double sumAfter = product(columns[1], solved[2]);
        double determinant = before * after - both * both;
        double oldLevel = (after * sumBefore - both * sumAfter) / determinant;
        double newLevel = (before * sumAfter - both * sumBefore) / determinant;
        double variance = (before + after + 2 * both) / determinant;
        double two = oldLevel * sumBefore + newLevel * sumAfter;
        double one = (sumBefore + sumAfter) * (sumBefore + sumAfter) / (before + after + 2 * both);
        return new double[] {newLevel - oldLevel, variance, two - one};
    }

    private static double product(double[] left, double[] right) {
        double sum = 0;
        for (int i = 0; i < left.length; i++) {
            sum += left[i] * right[i];
        }
        return sum;
    }

    /** Gauss's elimination. */
    private static double[] solve(double[][] matrix, double[] right) {
        int n = right.length;
        double[][] rows = new double[n][];
        for (int i = 0; i < n; i++) {
            rows[i] = Arrays.copyOf(matrix[i], n + 1);
            rows[i][n] = right[i];
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (j != i) {
                    double factor = rows[j][i] / rows[i][i];
                    for (int k = i; k <= n; k++) {
                        rows[j][k] -= factor * rows[i][k];
                    }
                }
            }
        }
        double[] solution = new double[n];
        for (int i = 0; i < n; i++) {
            solution[i] = rows[i][n] / rows[i][i];
        }
        return solution;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("is that of the whole covariance matrix, with gaps and outliers")
    void exact(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double correlation = seed % 3 == 0 ? 0 : 0.9 * random.nextDouble();
        double[] raw = new double[COUNT];
        double[] cleaned = new double[COUNT];
        int[] position = new int[COUNT];
        List<Integer> used = new ArrayList<>();
        int from = random.nextInt(4);
        int to = COUNT - random.nextInt(4);
        for (int i = 0, at = 0; i < COUNT; i++, at += random.nextInt(5) == 0 ? 3 : 1) {
            position[i] = at;
            raw[i] = 5 + random.nextGaussian();
            cleaned[i] = random.nextInt(6) == 0 ? 5 : raw[i];
            if (cleaned[i] == raw[i] && i >= from && i < to) {
                used.add(i);
            }
        }
        step.prepare(raw, cleaned, position, COUNT, correlation);
        step.between(from, to);

        for (int at = from + 6; at <= to - 6; at++) {
            double[] expected = exact(cleaned, position, used, at, correlation);
            assertThat(step.gain(at)).as("point %d", at).isCloseTo(expected[2], within(1e-6));
            assertThat(step.difference()).isCloseTo(expected[0], within(1e-6));
            assertThat(step.variance()).isCloseTo(expected[1], within(1e-6));
        }
    }

    @Test
    @DisplayName("equals the difference of two means without correlation")
    void means() {
        double[] values = {1, 2, 3, 7, 9};
        step.prepare(values, values, new int[] {0, 1, 2, 3, 4}, 5, 0);
        step.between(0, 5);

        assertThat(step.gain(3)).isCloseTo(36 / (1 / 3.0 + 1 / 2.0), within(1e-9));
        assertThat(step.difference()).isCloseTo(6, within(1e-9));
        assertThat(step.variance()).isCloseTo(1 / 3.0 + 1 / 2.0, within(1e-9));
    }

    @Test
    @DisplayName("is nothing where a level has outliers only")
    void nothingKnown() {
        double[] raw = {1, 2, 3, 9, 9};
        double[] cleaned = {1, 2, 3, 3, 3};
        step.prepare(raw, cleaned, new int[] {0, 1, 2, 3, 4}, 5, 0.5);
        step.between(0, 5);

        assertThat(step.gain(3)).isZero();
        assertThat(step.difference()).isZero();
        assertThat(step.gain(2)).isPositive();
    }
}
