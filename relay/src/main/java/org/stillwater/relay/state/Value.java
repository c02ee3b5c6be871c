package org.stillwater.relay.state;

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
            return Checksum.mix(value + Checksum.WHOLE);
        }
    }

    /** A number with a fraction; equal by its bits, so NaN equals itself. */
    record Decimal(double value) implements Value {
        @Override
        public long digest() {
            return Checksum.mix(Double.doubleToLongBits(value) + Checksum.DECIMAL);
        }
    }

    /** A text. Halves of surrogate pairs, which Protocol Buffers cannot carry, become U+FFFD. */
    record Text(String value) implements Value {
        public Text {
            value = whole(value);
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
            return Checksum.mix(Checksum.ofText(value) + Checksum.TEXT);
        }
    }
}
