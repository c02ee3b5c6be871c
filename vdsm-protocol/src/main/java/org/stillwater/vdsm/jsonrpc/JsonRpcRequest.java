package org.stillwater.vdsm.jsonrpc;

import java.io.ByteArrayOutputStream;
import java.util.UUID;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
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
        ByteArrayOutputStream out = new ByteArrayOutputStream(160);
        try (JsonGenerator json = Json.FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            json.writeStringProperty("jsonrpc", "2.0");
            json.writeStringProperty("method", method);
            json.writeObjectPropertyStart("params");
            params.accept(json);
            json.writeEndObject();
            json.writeStringProperty("id", id);
            json.writeEndObject();
        }
        return out.toByteArray();
    }
}
