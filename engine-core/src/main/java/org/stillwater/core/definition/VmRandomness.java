package org.stillwater.core.definition;

import org.jspecify.annotations.Nullable;

/**
 * A source of randomness in the definition of a VM.
 *
 * @param source where the host takes it from
 * @param bytesPerPeriod the most the guest gets in a period, at least 1; null for no limit
 * @param periodMillis the period, at least 1; null for one second
 */
public record VmRandomness(
        Source source, @Nullable Integer bytesPerPeriod, @Nullable Integer periodMillis) {

    public VmRandomness {
        if (bytesPerPeriod != null && bytesPerPeriod < 1) {
            throw new IllegalArgumentException(
                    "a source of randomness gives at least 1 byte, not " + bytesPerPeriod);
        }
        if (periodMillis != null && (periodMillis < 1 || bytesPerPeriod == null)) {
            throw new IllegalArgumentException(
                    "the period of a source of randomness is at least 1 ms, and goes with a number"
                            + " of bytes");
        }
    }

    /** Device of the host that supplies randomness. */
    public enum Source {
        URANDOM,
        HARDWARE
    }
}
