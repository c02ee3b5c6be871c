package org.stillwater.core.id;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Identity of a VM: the UUID that hosts, database and clients all use.
 *
 * <p>Kept as two longs so that a report of a known VM costs one small object to look up.
 *
 * @param mostSignificantBits the upper 64 bits of the UUID
 * @param leastSignificantBits the lower 64 bits of the UUID
 */
public record VmId(long mostSignificantBits, long leastSignificantBits)
        implements Comparable<VmId> {

    /** The identity with this UUID. */
    public static VmId of(UUID uuid) {
        return new VmId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /**
     * Parses the canonical 36-character form, in either case.
     *
     * @throws IllegalArgumentException if the text is no UUID
     */
    public static VmId parse(CharSequence text) {
        long[] bits = new long[2];
        Uuids.parse(text, bits);
        return new VmId(bits[0], bits[1]);
    }

    /** This identity as a UUID. */
    public UUID toUuid() {
        return new UUID(mostSignificantBits, leastSignificantBits);
    }

    /**
     * Orders as PostgreSQL orders {@code uuid}: bytes, unsigned, so that batches lock rows in one
     * order.
     */
    @Override
    public int compareTo(VmId other) {
        int upper = Long.compareUnsigned(mostSignificantBits, other.mostSignificantBits);
        return upper != 0
                ? upper
                : Long.compareUnsigned(leastSignificantBits, other.leastSignificantBits);
    }

    /** Written out: the one that records come with is slow until it is compiled. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof VmId that
                && mostSignificantBits == that.mostSignificantBits
                && leastSignificantBits == that.leastSignificantBits;
    }

    @Override
    public int hashCode() {
        long mixed = (mostSignificantBits ^ leastSignificantBits) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32);
    }

    /** The canonical text form. */
    @Override
    public String toString() {
        return toUuid().toString();
    }
}
