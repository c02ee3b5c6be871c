package org.stillwater.dal;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Some identifiers, both ends included, in the order in which the server sorts them. Immutable.
 *
 * @param first the least
 * @param last the largest
 */
record IdRange(UUID first, UUID last) {

    /**
     * Ranges of equal width that follow each other without a gap and cover from the first to the
     * last; fewer than requested where there are not as many identifiers.
     *
     * @param count 1 or more
     */
    static List<IdRange> slices(UUID first, UUID last, int count) {
        BigInteger from = number(first);
        BigInteger to = number(last);
        BigInteger width = to.subtract(from).divide(BigInteger.valueOf(count)).add(BigInteger.ONE);
        List<IdRange> slices = new ArrayList<>();
        for (BigInteger at = from; at.compareTo(to) <= 0; at = at.add(width)) {
            BigInteger end = at.add(width).subtract(BigInteger.ONE).min(to);
            slices.add(new IdRange(id(at), id(end)));
        }
        return slices;
    }

    private static BigInteger number(UUID id) {
        return new BigInteger(id.toString().replace("-", ""), 16);
    }

    private static UUID id(BigInteger number) {
        return new UUID(number.shiftRight(Long.SIZE).longValue(), number.longValue());
    }
}
