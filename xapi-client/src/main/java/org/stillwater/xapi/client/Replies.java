package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.xapi.client.Decoder.Result;

/** Takes the envelope off replies. */
final class Replies {

    private Replies() {}

    static <T> T read(XapiEncoding encoding, InputStream in, Result<T> result) throws IOException {
        return switch (encoding) {
            case JSON_RPC -> json(in, result);
            case JSON_IN_XML -> jsonInXml(in, result);
            case XML_RPC -> xml(XmlRpcSource.of(in), result, false);
        };
    }

    /** Both versions; servers from before August 2017 answer a call of version 2 with version 1. */
    private static <T> T json(InputStream in, Result<T> result) throws IOException {
        try (JsonSource json = JsonSource.of(in)) {
            @Nullable T value = null;
            json.beginObject();
            for (String name = json.nextName(); name != null; name = json.nextName()) {
                switch (name) {
                    case "result" -> value = json.passNull() ? value : result.read(json);
                    case "error" -> failed(json);
                    default -> json.skip(); // old servers answer 0 to every id
                }
            }
            if (value == null) {
                throw new XapiException.Protocol("a reply without a result", null);
            }
            return value;
        }
    }

    private static void failed(JsonSource json) throws IOException {
        if (json.passNull()) {
            return;
        }
        if (json.isArray()) {
            throw new XapiException.Failure(Decoder.strings(json));
        }
        if (!json.isObject()) {
            throw new XapiException.Protocol("an error of no known form", null);
        }
        List<String> description = new ArrayList<>();
        json.beginObject();
        for (String name = json.nextName(); name != null; name = json.nextName()) {
            switch (name) {
                case "message" -> description.addFirst(json.text());
                case "data" -> description.addAll(Decoder.strings(json));
                default -> json.skip();
            }
        }
        throw new XapiException.Failure(description);
    }

    /** Failures are plain XML also here, and results without content may be no JSON. */
    private static <T> T jsonInXml(InputStream in, Result<T> result) throws IOException {
        if (result.equals(Decoder.VOID)) {
            return xml(XmlSource.of(in), result, true);
        }
        EscapedText.Opened opened = EscapedText.open(in);
        EscapedText text = opened.text();
        if (text == null) {
            return xml(XmlSource.of(opened.whole()), result, true);
        }
        try (JsonSource json = JsonSource.of(text)) {
            T value = result.read(json);
            text.drain();
            return value;
        }
    }

    private static <T> T xml(XmlReply reply, Result<T> result, boolean jsonInside)
            throws IOException {
        try (XmlReply xml = reply) {
            @Nullable T value = null;
            boolean failed = false;
            xml.beginObject();
            for (String name = xml.nextName(); name != null; name = xml.nextName()) {
                switch (name) {
                    case "Status" -> failed = !xml.text().equals("Success");
                    case "Value" ->
                            value =
                                    jsonInside && !result.equals(Decoder.VOID)
                                            ? inside(xml, result)
                                            : result.read(xml);
                    case "ErrorDescription" ->
                            throw new XapiException.Failure(Decoder.strings(xml));
                    default -> xml.skip();
                }
            }
            xml.end();
            if (value == null) {
                throw new XapiException.Protocol(
                        failed ? "a failure without its reason" : "a reply without a value", null);
            }
            return value;
        }
    }

    private static <T> T inside(XmlReply xml, Result<T> result) throws IOException {
        byte[] text = xml.text().getBytes(StandardCharsets.UTF_8);
        try (JsonSource json = JsonSource.of(text, 0, text.length)) {
            return result.read(json);
        }
    }
}
