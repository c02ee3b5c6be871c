package org.stillwater.vdsm.jsonrpc;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;

/**
 * Writes one request: always an object of its own and always with an id, because VDSM never answers
 * a batch of two and loses its dispatcher to a request without id (protocol page §2.3).
 */
public final class JsonRpcRequest {
    /** Writes no parameter. */
    public static final Consumer<JsonGenerator> NO_PARAMS = _ -> {};

    private JsonRpcRequest() {}

    /**
     * A new id. Hosts route answers by id across all their clients, so it must be unique in the
     * world, not only on one connection.
     */
    public static String newId() {
        return UUID.randomUUID().toString();
    }

    /**
     * The request in UTF-8.
     *
     * @param params writes the members of the parameter object
     */
    public static byte[] encode(String id, String method, Consumer<? super JsonGenerator> params) {
        return request(
                id,
                method,
                json -> {
                    json.writeObjectPropertyStart("params");
                    params.accept(json);
                    json.writeEndObject();
                });
    }

    /**
     * The request in UTF-8, with a parameter object that another program has written.
     *
     * @param params one object, see {@link #requireObject}; it becomes part of the request as it is
     */
    public static byte[] encode(String id, String method, byte[] params) {
        return request(
                id,
                method,
                json -> {
                    json.writeName("params");
                    json.writeRawValue(new String(params, StandardCharsets.UTF_8));
                });
    }

    private static byte[] request(String id, String method, Consumer<JsonGenerator> params) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(160);
        try (JsonGenerator json = Json.FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            json.writeStringProperty("jsonrpc", "2.0");
            json.writeStringProperty("method", method);
            params.accept(json);
            json.writeStringProperty("id", id);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    /**
     * A parameter object alone, in UTF-8.
     *
     * @param params writes its members
     */
    public static byte[] params(Consumer<? super JsonGenerator> params) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(160);
        try (JsonGenerator json = Json.FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            params.accept(json);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    /**
     * Checks that a text is one JSON object and nothing else.
     *
     * @throws MalformedEnvelope if it is not; the message quotes nothing of it, because parameters
     *     may hold secrets
     */
    @SuppressWarnings("UnusedException") // its message would quote the text
    public static void requireObject(byte[] params) throws MalformedEnvelope {
        try (JsonParser parser = Json.FACTORY.createParser(ObjectReadContext.empty(), params)) {
            boolean object = parser.nextToken() == JsonToken.START_OBJECT;
            if (object) {
                parser.skipChildren();
                object =
                        parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null;
            }
            if (!object) {
                throw new MalformedEnvelope("the parameters are not one JSON object");
            }
        } catch (JacksonException notJson) {
            throw new MalformedEnvelope("the parameters are not JSON");
        }
    }
}
