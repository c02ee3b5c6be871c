package org.stillwater.core.history;

/**
 * Precision of a stored number, counted in steps: a number is exact below {@code 2^(bits + 1)}
 * steps and has {@code bits + 1} binary digits above, so that the error there is at most {@code 1 /
 * 2^(bits + 1)} of the number. A small code stands for a value, and neighbouring values have
 * neighbouring codes: the difference of a sample to the one before fits into a byte.
 *
 * <p>Negative values count as 0; none of the metrics can be.
 *
 * @param step size of a step, in the unit of the metric
 * @param bits 1 to 9: how many steps there are to a doubling, as a power of 2
 */
public record Resolution(double step, int bits) {

    /** Stands for "not known". */
    static final int UNKNOWN = 0;

    /** More than a terabyte per second, a petabyte of memory or a billion percent. */
    private static final long MOST_STEPS = 1L << 40;

    private static final int MOST_BITS = 9;

    private static final Resolution WHOLE = new Resolution(1, 7);
    private static final Resolution TENTHS = new Resolution(0.1, 7);
    private static final Resolution HUNDREDTHS = new Resolution(0.01, 7);
    private static final Resolution WHOLE_FINE = new Resolution(1, 8);
    private static final Resolution MEBIBYTES_OF_KIBIBYTES = new Resolution(1024, 8);

    public Resolution {
        if (!(step > 0) || bits < 1 || bits > MOST_BITS) {
            throw new IllegalArgumentException("a step is positive, and bits are 1 to 9");
        }
    }

    /** How finely a metric is kept in memory. */
    public static Resolution of(HistoryMetric metric) {
        return switch (metric) {
            // Whole percents to begin with, up to a hundred.
            case VM_CPU_USAGE,
                    VM_MEMORY_USAGE,
                    VM_NETWORK_USAGE,
                    HOST_CPU_USAGE,
                    HOST_MEMORY_USAGE,
                    HOST_KSM_CPU,
                    HOST_NETWORK_USAGE ->
                    WHOLE;
            case VM_CPU_USER, VM_CPU_SYSTEM, HOST_CPU_USER, HOST_CPU_SYSTEM -> TENTHS;
            case HOST_CPU_LOAD -> HUNDREDTHS;
            case VM_MEMORY_UNUSED, VM_MEMORY_BUFFERED, VM_MEMORY_CACHED -> MEBIBYTES_OF_KIBIBYTES;
            case HOST_MEMORY_FREE, HOST_SWAP_USED, HOST_VMS_ACTIVE -> WHOLE_FINE;
            // Bytes per second jump about: finer digits would cost a byte more for noise.
            case VM_NETWORK_RECEIVE,
                    VM_NETWORK_SEND,
                    VM_DISK_READ,
                    VM_DISK_WRITE,
                    HOST_NETWORK_RECEIVE,
                    HOST_NETWORK_SEND ->
                    WHOLE;
        };
    }

    /** The number that stands for a value, 0 to 65535; {@link #UNKNOWN} for NaN. */
    int code(double value) {
        if (Double.isNaN(value)) {
            return UNKNOWN;
        }
        long steps = Math.clamp(Math.round(value / step), 0, MOST_STEPS);
        int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(steps | 1) - bits);
        return 1 + (shift << bits) + (int) (steps >>> shift);
    }

    /** The value that a number stands for: the middle of those that it may be. */
    double value(int code) {
        if (code == UNKNOWN) {
            return Double.NaN;
        }
        int number = code - 1;
        int shift = Math.max(0, (number >>> bits) - 1);
        long least = (long) (number - (shift << bits)) << shift;
        return (least + ((1L << shift) - 1) / 2.0) * step;
    }

    /** Greatest distance of the kept number from a value, in the unit of the metric. */
    public double error(double value) {
        return Math.max(step / 2, (Math.abs(value) + step) / (2L << bits));
    }
}
