package org.stillwater.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * How much of an exhaustive test is run: all of it by {@code ./stillwater test --full}, a share of
 * it by every other run. The cases of a share follow from a seed, which is printed; {@code
 * -Dstillwater.test.seed} repeats it.
 */
public final class Tier {

    private static final boolean FULL = Boolean.getBoolean("stillwater.test.full");

    private static final String SEED = "stillwater.test.seed";

    private Tier() {}

    /** How many rounds or seeds a test takes: in the ordinary suite, and in the long tier. */
    public static int count(int ordinary, int full) {
        return FULL ? full : ordinary;
    }

    /**
     * All of a list in the long tier; in the ordinary suite a part of it at random, in its order.
     *
     * @param parts the ordinary suite takes one of this number of parts, rounded up
     */
    public static <T> List<T> sample(List<T> all, int parts) {
        if (FULL || all.isEmpty()) {
            return all;
        }
        List<Integer> chosen = new ArrayList<>(IntStream.range(0, all.size()).boxed().toList());
        Collections.shuffle(chosen, new Random(seed("1 of " + parts + " parts of " + all.size())));
        return chosen.subList(0, Math.ceilDiv(all.size(), parts)).stream()
                .sorted()
                .map(all::get)
                .toList();
    }

    /**
     * Every number below {@code end} in the long tier; in the ordinary suite one of so many in a
     * row, from any of the first ones on.
     */
    public static int[] steps(int end, int each) {
        if (FULL) {
            return IntStream.range(0, end).toArray();
        }
        int first = new Random(seed("1 of " + each + " steps")).nextInt(each);
        return IntStream.iterate(first, step -> step < end, step -> step + each).toArray();
    }

    private static long seed(String what) {
        long seed = Long.getLong(SEED, System.nanoTime());
        System.out.println(what + ": -D" + SEED + "=" + seed);
        return seed;
    }
}
