package org.stillwater.relay.state;

import org.jspecify.annotations.Nullable;

/** One value of a record. Equal values have equal digests in every process. */
public sealed interface Value {

    /** A 64-bit digest; the schema {@code stillwater.relay.v1} defines it. */
    long digest();

    /** A whole number, a code, or a truth value as 0 and 1. */
    record Whole(long value) implements Value {

        private static final Whole[] SMALL = small();

        private static Whole[] small() {
            Whole[] small = new Whole[256];
            for (int i = 0; i < small.length; i++) {
                small[i] = new Whole(i);
            }
            return small;
        }

        /** A number; small ones, of which a fleet has many, are shared. */
        public static Whole of(long value) {
            return value >= 0 && value < SMALL.length ? SMALL[(int) value] : new Whole(value);
        }

        @Override
        public long digest() {
            return Checksum.ofWhole(value);
        }
    }

    /** A number with a fraction; equal by its bits, so NaN equals itself. */
    record Decimal(double value) implements Value {
        @Override
        public long digest() {
            return Checksum.ofDecimal(Double.doubleToLongBits(value));
        }
    }

    /** A text. Halves of surrogate pairs, which Protocol Buffers cannot carry, become U+FFFD. */
    final class Text implements Value {

        private String value;

        /**
         * Computed once: texts are long, and their digest is needed every minute. 0 before the
         * first computation.
         */
        private long digest;

        /** A reader's result for the text; null before the first. */
        private @Nullable Object made;

        /** A text's value. */
        public Text(String text) {
            this.value = whole(text);
        }

        /** The text. */
        public String value() {
            return value;
        }

        /** A reader's immutable result for the text; null before the first. */
        public @Nullable Object made() {
            return made;
        }

        /** Stores the result. */
        public void made(Object of) {
            made = of;
        }

        /** Replaces the instance by an equal one that other objects share. */
        public void share(String same) {
            if (value.equals(same)) {
                value = same;
            }
        }

        private static String whole(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (Character.isSurrogate(text.charAt(i))) {
                    int[] points =
                            text.codePoints()
                                    .map(c -> c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c)
                                    .toArray();
                    return new String(points, 0, points.length);
                }
            }
            return text;
        }

        @Override
        public long digest() {
            long known = digest;
            if (known == 0) {
                known = Checksum.mix(Checksum.ofText(value) + Checksum.TEXT);
                digest = known;
            }
            return known;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Text that && value.equals(that.value);
        }

        @Override
        public int hashCode() {
            return value.hashCode();
        }

        @Override
        public String toString() {
            return value;
        }
    }
}
