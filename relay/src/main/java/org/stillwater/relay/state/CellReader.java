package org.stillwater.relay.state;

import org.jspecify.annotations.Nullable;

/**
 * Builds cells from messages that list keys and values of each kind separately. Most messages of a
 * stream have the keys of an earlier one, so the position of each value is looked up once. Not
 * thread-safe.
 */
public final class CellReader {

    private static final int PLACES = 64;

    private final @Nullable Order[] known = new @Nullable Order[PLACES];

    /** The cells of a message. */
    public interface Source {

        /** Number of whole numbers. */
        int wholes();

        /** The key of an entry. */
        int wholeKey(int index);

        /** The value of an entry. */
        long whole(int index);

        /** Number of decimals. */
        int decimals();

        /** The key of an entry. */
        int decimalKey(int index);

        /** The value of an entry. */
        double decimal(int index);

        /** Number of texts. */
        int texts();

        /** The key of an entry. */
        int textKey(int index);

        /** The value of an entry. */
        Value.Text text(int index);
    }

    /**
     * Keys in the order of a message, with the positions of their values in cells of that shape.
     */
    private static final class Order {
        private final int wholes;
        private final int decimals;
        private final int[] keys;
        private final int[] places;
        private final Shape shape;

        Order(Source source, Shape shape) {
            this.wholes = source.wholes();
            this.decimals = source.decimals();
            this.shape = shape;
            this.keys = new int[shape.size()];
            this.places = new int[shape.size()];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = CellReader.key(source, i);
                places[i] = shape.place(shape.indexOf(keys[i]));
            }
        }

        boolean isOf(Source source) {
            if (source.wholes() != wholes
                    || source.decimals() != decimals
                    || source.texts() != keys.length - wholes - decimals) {
                return false;
            }
            for (int i = 0; i < wholes; i++) {
                if (keys[i] != source.wholeKey(i)) {
                    return false;
                }
            }
            for (int i = 0; i < decimals; i++) {
                if (keys[wholes + i] != source.decimalKey(i)) {
                    return false;
                }
            }
            for (int i = wholes + decimals; i < keys.length; i++) {
                if (keys[i] != source.textKey(i - wholes - decimals)) {
                    return false;
                }
            }
            return true;
        }

        Cells cells(Source source) {
            long[] numbers = new long[shape.numbers()];
            Value.Text[] texts = new Value.Text[shape.texts()];
            for (int i = 0; i < wholes; i++) {
                numbers[places[i]] = source.whole(i);
            }
            for (int i = 0; i < decimals; i++) {
                numbers[places[wholes + i]] = Double.doubleToLongBits(source.decimal(i));
            }
            for (int i = 0; i < texts.length; i++) {
                texts[places[wholes + decimals + i]] = source.text(i);
            }
            return new Cells(shape, numbers, texts, new Cells.Memo());
        }
    }

    private static int key(Source source, int index) {
        int decimal = index - source.wholes();
        int text = decimal - source.decimals();
        if (decimal < 0) {
            return source.wholeKey(index);
        }
        return text < 0 ? source.decimalKey(decimal) : source.textKey(text);
    }

    /** The cells of a message; a key that occurs twice has its last value. */
    public Cells read(Source source) {
        int place =
                (31 * (31 * source.wholes() + source.decimals()) + source.texts()) & (PLACES - 1);
        Order order = known[place];
        if (order != null && order.isOf(source)) {
            return order.cells(source);
        }
        Cells.Draft draft = new Cells.Draft();
        for (int i = 0; i < source.wholes(); i++) {
            draft.whole(source.wholeKey(i), source.whole(i));
        }
        for (int i = 0; i < source.decimals(); i++) {
            draft.decimal(source.decimalKey(i), source.decimal(i));
        }
        for (int i = 0; i < source.texts(); i++) {
            draft.put(source.textKey(i), source.text(i));
        }
        Cells cells = draft.build();
        if (cells.size() == source.wholes() + source.decimals() + source.texts()) {
            known[place] = new Order(source, cells.shape());
        }
        return cells;
    }
}
