package org.stillwater.xapi.client;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A reply of any encoding, read value by value from the front. A reader names the type that it
 * expects; not every encoding marks the type of a value.
 */
interface Source extends Closeable {

    /** Enters a map or record. */
    void beginObject() throws IOException;

    /** The next member's name, or {@code null} at the end of the object, which it leaves. */
    @Nullable String nextName() throws IOException;

    /** Result of {@link #nextField} at the end of the object. */
    int END = -2;

    /** Result of {@link #nextField} for a field that is not read. */
    int UNKNOWN = -1;

    /**
     * The place of the next field of a record, {@link #UNKNOWN} or {@link #END}, at which it leaves
     * the record.
     */
    default int nextField(XapiClass type) throws IOException {
        String name = nextName();
        return name == null ? END : type.place(name);
    }

    /** Enters a set. */
    void beginArray() throws IOException;

    /** Whether another element follows; at the end it leaves the set. */
    boolean nextElement() throws IOException;

    /** A scalar as text. */
    String text() throws IOException;

    /** A scalar as text, into a record. */
    default void copyText(RecordWriter out) throws IOException {
        out.text(text());
    }

    /** Packs the records of this source. */
    default RecordWriter writer() {
        return new RecordWriter();
    }

    /** An int. */
    long number() throws IOException;

    /** A float; the words for not a number and infinity are numbers. */
    double real() throws IOException;

    /** A bool. */
    boolean flag() throws IOException;

    /** Passes over a value of any kind. */
    void skip() throws IOException;

    static double parseReal(String text) throws XapiException.Protocol {
        return switch (text) {
            case "nan", "NaN", "-nan" -> Double.NaN;
            case "inf", "Infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> {
                try {
                    yield Double.parseDouble(text);
                } catch (NumberFormatException e) {
                    throw new XapiException.Protocol("no float: " + text, e);
                }
            }
        };
    }

    static long parseNumber(String text) throws XapiException.Protocol {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new XapiException.Protocol("no int: " + text, e);
        }
    }
}
