package org.stillwater.server.api.rows;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Lists as JSON, written row by row as they are read. */
public final class JsonListWriter {

    private static final String AGED = "aged";

    private JsonListWriter() {}

    /** Puts rows into a sink, one after the other. */
    @FunctionalInterface
    public interface Rows {
        void write(JsonSink to);

        /** All rows, as values of the array that was begun. */
        default void write(JsonGenerator json, boolean aged) {
            write(JsonSink.ofMany(json, aged));
        }
    }

    /**
     * A page.
     *
     * @param total null if it was not counted
     * @param next null at the end
     * @param revision revision that the page's rows have at least
     */
    public static void page(
            HttpServletResponse response,
            JsonMapper mapper,
            boolean aged,
            Rows rows,
            @Nullable Integer total,
            @Nullable String next,
            long revision)
            throws IOException {
        try (JsonGenerator json = open(response, mapper)) {
            page(json, aged, rows, total, next, revision);
        }
    }

    /** The same to a generator. */
    public static void page(
            JsonGenerator json,
            boolean aged,
            Rows rows,
            @Nullable Integer total,
            @Nullable String next,
            long revision) {
        json.writeStartObject();
        mark(json, aged);
        json.writeArrayPropertyStart("items");
        rows.write(json, aged);
        json.writeEndArray();
        if (total == null) {
            json.writeNullProperty("total");
        } else {
            json.writeNumberProperty("total", total);
        }
        Json.text(json, "next", next);
        json.writeNumberProperty("revision", revision);
        json.writeEndObject();
    }

    /** Changes since a revision. */
    public static void changes(
            HttpServletResponse response,
            JsonMapper mapper,
            boolean aged,
            Rows rows,
            List<?> removed,
            long revision)
            throws IOException {
        try (JsonGenerator json = open(response, mapper)) {
            json.writeStartObject();
            mark(json, aged);
            json.writeArrayPropertyStart("items");
            rows.write(json, aged);
            json.writeEndArray();
            json.writeArrayPropertyStart("removed");
            removed.forEach(id -> json.writeString(id.toString()));
            json.writeEndArray();
            json.writeNumberProperty("revision", revision);
            json.writeEndObject();
        }
    }

    /** Marks an answer whose values have ages; others have no mark. */
    public static void mark(JsonGenerator json, boolean aged) {
        if (aged) {
            json.writeBooleanProperty(AGED, true);
        }
    }

    private static JsonGenerator open(HttpServletResponse response, JsonMapper mapper)
            throws IOException {
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        return mapper.createGenerator(response.getOutputStream());
    }
}
