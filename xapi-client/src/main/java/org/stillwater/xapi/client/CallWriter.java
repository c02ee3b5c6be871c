package org.stillwater.xapi.client;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes calls. Arguments are texts, longs, doubles, booleans, lists and maps of these. */
final class CallWriter {

    private static final JsonFactory JSON = new JsonFactory();

    private CallWriter() {}

    static byte[] write(XapiEncoding encoding, String method, List<?> arguments) {
        String text =
                switch (encoding) {
                    case JSON_RPC -> json(method, arguments);
                    case JSON_IN_XML, XML_RPC -> xml(method, arguments);
                };
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String json(String method, List<?> arguments) {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            json.writeStringProperty("jsonrpc", "2.0");
            json.writeStringProperty("method", method);
            json.writeName("params");
            json(json, arguments);
            json.writeNumberProperty("id", 1);
            json.writeEndObject();
        }
        return out.toString();
    }

    private static void json(JsonGenerator json, Object value) {
        switch (value) {
            case String text -> json.writeString(text);
            case Long number -> json.writeNumber(number);
            case Double number -> json.writeNumber(number);
            case Boolean flag -> json.writeBoolean(flag);
            case List<?> list -> {
                json.writeStartArray();
                list.forEach(each -> json(json, each));
                json.writeEndArray();
            }
            case Map<?, ?> map -> {
                json.writeStartObject();
                map.forEach((name, member) -> {
                    json.writeName((String) name);
                    json(json, member);
                });
                json.writeEndObject();
            }
            default -> throw new IllegalArgumentException("no argument: " + value.getClass());
        }
    }

    private static String xml(String method, List<?> arguments) {
        StringBuilder out = new StringBuilder("<?xml version=\"1.0\"?><methodCall><methodName>");
        out.append(method).append("</methodName><params>");
        for (Object each : arguments) {
            out.append("<param>");
            xml(out, each);
            out.append("</param>");
        }
        return out.append("</params></methodCall>").toString();
    }

    private static void xml(StringBuilder out, Object value) {
        out.append("<value>");
        switch (value) {
            case String text -> escape(out, text);
            case Long number -> out.append(number.longValue());
            case Double number ->
                    out.append("<double>").append(number.doubleValue()).append("</double>");
            case Boolean flag ->
                    out.append("<boolean>").append(flag ? '1' : '0').append("</boolean>");
            case List<?> list -> {
                out.append("<array><data>");
                list.forEach(each -> xml(out, each));
                out.append("</data></array>");
            }
            case Map<?, ?> map -> {
                out.append("<struct>");
                map.forEach((name, member) -> {
                    out.append("<member><name>");
                    escape(out, (String) name);
                    out.append("</name>");
                    xml(out, member);
                    out.append("</member>");
                });
                out.append("</struct>");
            }
            default -> throw new IllegalArgumentException("no argument: " + value.getClass());
        }
        out.append("</value>");
    }

    /** Characters that XML cannot hold are left out, as the server leaves them out. */
    private static void escape(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '\r' -> out.append("&#13;");
                default -> {
                    if (c >= ' ' || c == '\t' || c == '\n') {
                        out.append(c);
                    }
                }
            }
        }
    }
}
