package org.stillwater.fake.xapi.codec;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The encodings of replies. Source: {@code golden-vectors.tsv}, made by the codec that XAPI links.
 */
public enum Encoding {
    XML_RPC("text/xml"),
    /** With the missing escape of a text's last character. */
    XML_RPC_OLD("text/xml"),
    /** The result is JSON text of the old notation; errors are plain XML. */
    JSON_IN_XML("text/xml"),
    JSON_RPC_1("application/json"),
    JSON_RPC_2("application/json"),
    /** Servers of 2016 until August 2017: version 1, id 0, the old notation. */
    JSON_RPC_OLD("application/json");

    private final String contentType;

    Encoding(String contentType) {
        this.contentType = contentType;
    }

    /** Exactly as a real server sends it. */
    public String contentType() {
        return contentType;
    }

    /**
     * Writes a reply.
     *
     * @param id of the request; XML-RPC has none
     */
    public WireBuffer write(Reply reply, @Nullable Object id) {
        WireBuffer out = new WireBuffer();
        switch (this) {
            case XML_RPC -> xml(out, reply, false, false);
            case XML_RPC_OLD -> xml(out, reply, true, false);
            case JSON_IN_XML -> xml(out, reply, true, true);
            case JSON_RPC_1 -> json1(out, reply, id, false);
            case JSON_RPC_OLD -> json1(out, reply, 0L, true);
            case JSON_RPC_2 -> json2(out, reply, id);
        }
        return out;
    }

    private static void xml(WireBuffer out, Reply reply, boolean old, boolean json) {
        XmlWriter xml = new XmlWriter(out, old);
        out.put("<?xml version=\"1.0\"?><methodResponse><params><param>");
        switch (reply) {
            case Reply.Success success -> {
                Object value = success.value();
                if (json) {
                    WireBuffer text = new WireBuffer();
                    new JsonWriter(text, true).value(value);
                    value = text.toString();
                }
                Map<String, @Nullable Object> envelope = new LinkedHashMap<>();
                envelope.put("Status", "Success");
                envelope.put("Value", value);
                xml.value(envelope);
            }
            case Reply.Bare bare -> xml.value(bare.names());
            case Reply.Failure failure -> xml.value(failed(failure.description()));
            case Reply.Outside failure -> xml.value(failed(failure.description()));
        }
        out.put("</param></params></methodResponse>");
    }

    private static Map<String, Object> failed(List<String> description) {
        Map<String, Object> envelope = new LinkedHashMap<>();
        envelope.put("Status", "Failure");
        envelope.put("ErrorDescription", description);
        return envelope;
    }

    private static void json1(WireBuffer out, Reply reply, @Nullable Object id, boolean old) {
        Map<String, @Nullable Object> envelope = new LinkedHashMap<>();
        switch (reply) {
            case Reply.Success success -> {
                envelope.put("result", success.value());
                envelope.put("error", null);
            }
            case Reply.Bare bare -> {
                envelope.put("result", bare.names());
                envelope.put("error", null);
            }
            case Reply.Failure failure -> {
                envelope.put("result", null);
                envelope.put("error", failure.description());
            }
            case Reply.Outside failure -> {
                json2(out, failure, id);
                return;
            }
        }
        envelope.put("id", id);
        new JsonWriter(out, old).value(envelope);
    }

    private static void json2(WireBuffer out, Reply reply, @Nullable Object id) {
        Map<String, @Nullable Object> envelope = new LinkedHashMap<>();
        envelope.put("jsonrpc", "2.0");
        Object echoed = id;
        switch (reply) {
            case Reply.Success success -> envelope.put("result", success.value());
            case Reply.Bare bare -> envelope.put("result", bare.names());
            case Reply.Failure failure -> {
                List<String> all = failure.description();
                Map<String, Object> error = new LinkedHashMap<>();
                error.put("code", 1L);
                error.put("message", all.getFirst());
                error.put("data", all.subList(1, all.size()));
                envelope.put("error", error);
            }
            case Reply.Outside failure -> {
                envelope.put("error", failure.description());
                echoed = 0L;
            }
        }
        envelope.put("id", echoed);
        new JsonWriter(out, false).value(envelope);
    }

    /** One value as XML text, as a task's result has it in every encoding. */
    public static String xmlValue(@Nullable Object value) {
        WireBuffer out = new WireBuffer();
        new XmlWriter(out, false).value(value);
        return out.toString();
    }

    /** One value in the notation of this encoding. */
    public WireBuffer writeValue(@Nullable Object value) {
        WireBuffer out = new WireBuffer();
        switch (this) {
            case XML_RPC -> new XmlWriter(out, false).value(value);
            case XML_RPC_OLD -> new XmlWriter(out, true).value(value);
            case JSON_RPC_1, JSON_RPC_2 -> new JsonWriter(out, false).value(value);
            case JSON_IN_XML, JSON_RPC_OLD -> new JsonWriter(out, true).value(value);
        }
        return out;
    }
}
