package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.xapi.client.Decoder.Result;
import tools.jackson.core.JsonToken;

/** Takes the envelope off replies. */
final class Replies {

    private Replies() {}

    /** A result, and what the envelope showed of the server. */
    record Reply<T>(T result, boolean oldNotation) {}

    static <T> Reply<T> read(
            XapiEncoding encoding, boolean oldNotation, InputStream in, Result<T> result)
            throws IOException {
        return switch (encoding) {
            case JSON_RPC -> json(in, oldNotation, result);
            case JSON_IN_XML -> new Reply<>(xml(in, result, true), true);
            case XML_RPC -> new Reply<>(xml(in, result, false), false);
        };
    }

    /** Both versions; servers of before August 2017 answer a call of version 2 with version 1. */
    private static <T> Reply<T> json(InputStream in, boolean oldNotation, Result<T> result)
            throws IOException {
        try (JsonSource json =
                oldNotation
                        ? JsonSource.of(
                                new OldNotation(
                                        new java.io.BufferedReader(
                                                new java.io.InputStreamReader(
                                                        in,
                                                        java.nio.charset.StandardCharsets.UTF_8))))
                        : JsonSource.of(in)) {
            T value = null;
            boolean versionTwo = false;
            boolean found = false;
            json.beginObject();
            for (String name = json.nextName(); name != null; name = json.nextName()) {
                switch (name) {
                    case "jsonrpc" -> {
                        versionTwo = true;
                        json.skip();
                    }
                    case "result" -> {
                        if (json.peek() == JsonToken.VALUE_NULL) {
                            json.skip();
                        } else {
                            value = result.read(json);
                            found = true;
                        }
                    }
                    case "error" -> failed(json);
                    default -> json.skip(); // old servers answer 0 to every id
                }
            }
            if (!found) {
                throw new XapiException.Protocol("a reply without a result", null);
            }
            return new Reply<>(Objects.requireNonNull(value), !versionTwo);
        }
    }

    private static void failed(JsonSource json) throws IOException {
        switch (json.peek()) {
            case VALUE_NULL -> json.skip();
            case START_ARRAY -> throw new XapiException.Failure(Decoder.strings(json));
            case START_OBJECT -> {
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
            default -> throw new XapiException.Protocol("an error of no known form", null);
        }
    }

    private static <T> T xml(InputStream in, Result<T> result, boolean jsonInside)
            throws IOException {
        try (XmlSource xml = XmlSource.of(in)) {
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

    private static <T> T inside(XmlSource xml, Result<T> result) throws IOException {
        java.io.Reader text = xml.textReader();
        try (JsonSource json = JsonSource.of(new OldNotation(text))) {
            T value = result.read(json);
            while (text.skip(Long.MAX_VALUE) > 0) {
                // To the end of the text.
            }
            return value;
        }
    }
}
