package org.stillwater.core.regression;

/**
 * Hampel's filter: a value far from the running median becomes that median, so that outliers and
 * dips shorter than half the window disappear while edges of levels stay. Not thread-safe.
 */
final class OutlierFilter {

    /** Standard deviation of a normal distribution per median of absolute deviations. */
    private static final double NORMAL_PER_MAD = 1.4826;

    /** Distance of an outlier from the running median, in standard deviations. */
    private static final double FAR = 3.5;

    /** One ten-thousandth of a value: finer noise is rounding. */
    static final double LEAST_SCALE = 1e-4;

    private final double[] window;
    private int size;

    OutlierFilter(int width) {
        window = new double[width];
    }

    /**
     * Cleans a series.
     *
     * @param values the series
     * @param count its length
     * @param cleaned receives the cleaned series
     * @param scratch as long as the series
     * @return standard deviation of the series around its running median
     */
    double clean(double[] values, int count, double[] cleaned, double[] scratch) {
        size = 0;
        int half = window.length / 2;
        for (int i = 0; i < Math.min(half, count); i++) {
            insert(values[i]);
        }
        for (int i = 0; i < count; i++) {
            if (i > half) {
                remove(values[i - half - 1]);
            }
            if (i + half < count) {
                insert(values[i + half]);
            }
            cleaned[i] =
                    size % 2 == 1
                            ? window[size / 2]
                            : (window[size / 2 - 1] + window[size / 2]) / 2;
            scratch[i] = Math.abs(values[i] - cleaned[i]);
        }
        double scale = deviation(scratch, count);
        for (int i = 0; i < count; i++) {
            if (Math.abs(values[i] - cleaned[i]) <= FAR * scale) {
                cleaned[i] = values[i];
            }
        }
        return scale;
    }

    /** Standard deviation by absolute deviations from a median; orders the array in part. */
    static double deviation(double[] absolute, int count) {
        return Math.max(LEAST_SCALE, NORMAL_PER_MAD * select(absolute, count, count / 2));
    }

    private void insert(double value) {
        int at = size++;
        while (at > 0 && window[at - 1] > value) {
            window[at] = window[at - 1];
            at--;
        }
        window[at] = value;
    }

    private void remove(double value) {
        int at = 0;
        while (window[at] != value) {
            at++;
        }
        size--;
        System.arraycopy(window, at + 1, window, at, size - at);
    }

    /** The value of this rank; orders the array in part. */
    static double select(double[] values, int count, int rank) {
        int low = 0;
        int high = count - 1;
        while (low < high) {
            double pivot = values[(low + high) >>> 1];
            int left = low;
            int right = high;
            while (left <= right) {
                while (values[left] < pivot) {
                    left++;
                }
                while (values[right] > pivot) {
                    right--;
                }
                if (left <= right) {
                    double held = values[left];
                    values[left++] = values[right];
                    values[right--] = held;
                }
            }
            if (rank <= right) {
                high = right;
            } else if (rank >= left) {
                low = left;
            } else {
                break;
            }
        }
        return values[rank];
    }
}
