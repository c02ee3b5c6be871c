package org.stillwater.dal;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.lang.reflect.RecordComponent;
import java.sql.SQLDataException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Writes records as JSON and reads them again. Null members are left out; missing members are null,
 * 0, false or empty, and refused if none of these is valid; unknown members are ignored, because a
 * newer engine may have written them. Stateless.
 */
final class Json {

    private Json() {}

    /** To be completed with the names of sealed types. */
    static JsonMapper.Builder mapper() {
        JsonMapper.Builder builder =
                JsonMapper.builder()
                        .addModule(
                                new SimpleModule("texts").addSerializer(String.class, new Text()))
                        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                        .changeDefaultPropertyInclusion(
                                all -> all.withValueInclusion(JsonInclude.Include.NON_NULL));
        for (Class<?> many : List.of(List.class, Set.class, Map.class)) {
            builder.withConfigOverride(
                    many,
                    override ->
                            override.setNullHandling(
                                    JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)));
        }
        return builder;
    }

    /**
     * Reads a written value.
     *
     * @throws SQLDataException if the text is no such value, or breaks one of its rules
     */
    static <T> T read(JsonMapper mapper, String text, Class<T> type) throws SQLDataException {
        try {
            T value = mapper.readValue(text, type);
            requireComplete(value);
            return value;
        } catch (JacksonException | IllegalArgumentException e) {
            throw new SQLDataException(
                    "the stored JSON is not a %s: %s"
                            .formatted(type.getSimpleName(), e.getMessage()),
                    "22000",
                    e);
        }
    }

    /** Refuses records without required values: their own checks do not cover null. */
    private static void requireComplete(@Nullable Object value) {
        if (value instanceof Collection<?> many) {
            many.forEach(Json::requireComplete);
        } else if (value instanceof Record composed) {
            for (RecordComponent component : composed.getClass().getRecordComponents()) {
                Object member = member(composed, component);
                if (member == null
                        && !component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                    throw new IllegalArgumentException("it has no " + component.getName());
                }
                requireComplete(member);
            }
        }
    }

    private static @Nullable Object member(Record composed, RecordComponent component) {
        try {
            return component.getAccessor().invoke(composed);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("cannot read " + component, e);
        }
    }

    private static final JsonMapper PLAIN = mapper().build();

    /** Texts by name. */
    static String ofTexts(Map<String, String> texts) {
        return PLAIN.writeValueAsString(texts);
    }

    /** Reads {@link #ofTexts}. */
    static Map<String, String> texts(String text) throws SQLDataException {
        try {
            return PLAIN.readValue(text, new TypeReference<Map<String, String>>() {});
        } catch (JacksonException e) {
            throw new SQLDataException("the stored JSON is not a map of texts", "22000", e);
        }
    }

    /** Text that PostgreSQL can keep. */
    private static final class Text extends ValueSerializer<String> {
        @Override
        public void serialize(String text, JsonGenerator json, SerializationContext context) {
            json.writeString(Column.storable(text));
        }
    }
}
