package org.stillwater.server.api.rows;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.JsonText;

/** Takes one value after the other, in the order of the columns selected. */
public interface Sink {

    /** A text, or nothing known. */
    void text(@Nullable String value);

    /** A UUID, which is a text. */
    default void uuid(long upper, long lower) {
        text(new UUID(upper, lower).toString());
    }

    /** A whole number. */
    void whole(long value);

    /** A number with decimals; NaN stands for nothing known. */
    void fraction(double value);

    void flag(boolean value);

    void unknown();

    /** Something that has parts. */
    void composite(Composite value);

    /** Writes its parts. */
    @FunctionalInterface
    public interface Composite {
        void write(JsonText json);
    }

    /** A list of texts, which are written in their order. */
    default void texts(List<String> values) {
        composite(json -> {
            json.startArray();
            values.forEach(value -> json.text(value));
            json.endArray();
        });
    }

    default void text(@Nullable Object value) {
        text(value == null ? null : value.toString());
    }

    default void whole(@Nullable Long value) {
        if (value == null) {
            unknown();
        } else {
            whole(value.longValue());
        }
    }

    default void whole(@Nullable Integer value) {
        if (value == null) {
            unknown();
        } else {
            whole(value.longValue());
        }
    }

    default void fraction(@Nullable Double value) {
        if (value == null) {
            unknown();
        } else {
            fraction(value.doubleValue());
        }
    }

    default void flag(@Nullable Boolean value) {
        if (value == null) {
            unknown();
        } else {
            flag(value.booleanValue());
        }
    }
}
