package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;

/** Results of replies by Jackson and Aalto alone, to which the readers of bytes are held. */
final class OldReading {

    private OldReading() {}

    static <T> T read(XapiEncoding encoding, InputStream in, Decoder.Result<T> result)
            throws IOException {
        return switch (encoding) {
            case JSON_RPC -> json(in, result);
            case JSON_IN_XML -> inside(in, result);
            case XML_RPC -> xml(in, result);
        };
    }

    private static <T> T json(InputStream in, Decoder.Result<T> result) throws IOException {
        try (Source json =
                JacksonSource.of(
                        new OldNotation(
                                new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder())))) {
            return member(json, "result", result);
        }
    }

    private static <T> T member(Source in, String wanted, Decoder.Result<T> result)
            throws IOException {
        T value = null;
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            if (name.equals(wanted)) {
                value = result.read(in);
            } else {
                in.skip();
            }
        }
        if (value == null) {
            throw new XapiException.Protocol("no " + wanted, null);
        }
        return value;
    }

    private static <T> T xml(InputStream in, Decoder.Result<T> result) throws IOException {
        try (XmlSource xml = XmlSource.of(in)) {
            T value = member(xml, "Value", result);
            xml.end();
            return value;
        }
    }

    private static <T> T inside(InputStream in, Decoder.Result<T> result) throws IOException {
        try (XmlSource xml = XmlSource.of(in)) {
            T value =
                    member(
                            xml,
                            "Value",
                            text -> {
                                try (Source json =
                                        JacksonSource.of(
                                                new OldNotation(new StringReader(text.text())))) {
                                    return result.read(json);
                                }
                            });
            xml.end();
            return value;
        }
    }
}
