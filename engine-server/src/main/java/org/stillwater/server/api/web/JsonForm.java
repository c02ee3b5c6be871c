package org.stillwater.server.api.web;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;

/**
 * Writes one value as JSON by hand, without reflection.
 *
 * @param <T> type of the value
 */
@FunctionalInterface
public interface JsonForm<T> {

    /** Writes the value as one JSON value. */
    void write(JsonGenerator json, T value);

    /** The same for Jackson's modules. */
    static <T> ValueSerializer<T> serializer(JsonForm<T> form) {
        return new ValueSerializer<>() {
            @Override
            public void serialize(T value, JsonGenerator json, SerializationContext context) {
                form.write(json, value);
            }
        };
    }
}
