package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/** JSON of XAPI by Jackson, to which {@link JsonSource} is held. */
final class JacksonSource implements Source {

    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                    .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
                    .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES)
                    .build();

    private final JsonParser parser;
    private @Nullable JsonToken peeked;

    private JacksonSource(JsonParser parser) {
        this.parser = parser;
    }

    static JacksonSource of(InputStream in) {
        return new JacksonSource(FACTORY.createParser(ObjectReadContext.empty(), in));
    }

    static JacksonSource of(Reader in) {
        return new JacksonSource(FACTORY.createParser(ObjectReadContext.empty(), in));
    }

    private JsonToken next() throws XapiException.Protocol {
        JsonToken token = peeked;
        peeked = null;
        try {
            if (token == null) {
                token = parser.nextToken();
            }
        } catch (JacksonException e) {
            throw broken(e);
        }
        if (token == null) {
            throw new XapiException.Protocol("the reply ends too early", null);
        }
        return token;
    }

    private static XapiException.Protocol broken(JacksonException e) {
        return new XapiException.Protocol("no JSON: " + e.getOriginalMessage(), e);
    }

    private void expect(JsonToken expected) throws XapiException.Protocol {
        JsonToken token = next();
        if (token != expected) {
            throw new XapiException.Protocol(expected + " expected, not " + token, null);
        }
    }

    @Override
    public void beginObject() throws IOException {
        expect(JsonToken.START_OBJECT);
    }

    @Override
    public @Nullable String nextName() throws IOException {
        JsonToken token = next();
        return switch (token) {
            case PROPERTY_NAME -> parser.currentName();
            case END_OBJECT -> null;
            default -> throw new XapiException.Protocol("a name expected, not " + token, null);
        };
    }

    @Override
    public void beginArray() throws IOException {
        expect(JsonToken.START_ARRAY);
    }

    @Override
    public boolean nextElement() throws IOException {
        JsonToken token = next();
        if (token == JsonToken.END_ARRAY) {
            return false;
        }
        peeked = token;
        return true;
    }

    @Override
    public String text() throws IOException {
        JsonToken token = next();
        if (!token.isScalarValue()) {
            throw new XapiException.Protocol("a text expected, not " + token, null);
        }
        try {
            String text = parser.getString();
            return text == null ? "" : text;
        } catch (JacksonException e) {
            throw broken(e);
        }
    }

    @Override
    public long number() throws IOException {
        JsonToken token = next();
        try {
            return token == JsonToken.VALUE_NUMBER_INT
                    ? parser.getLongValue()
                    : Source.parseNumber(parser.getString());
        } catch (JacksonException e) {
            throw broken(e);
        }
    }

    @Override
    public double real() throws IOException {
        JsonToken token = next();
        try {
            return token.isNumeric()
                    ? parser.getDoubleValue()
                    : Source.parseReal(parser.getString());
        } catch (JacksonException e) {
            throw broken(e);
        }
    }

    @Override
    public boolean flag() throws IOException {
        JsonToken token = next();
        return switch (token) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> throw new XapiException.Protocol("a bool expected, not " + token, null);
        };
    }

    @Override
    public void skip() throws IOException {
        next();
        try {
            parser.skipChildren();
        } catch (JacksonException e) {
            throw broken(e);
        }
    }

    @Override
    public void close() {
        parser.close();
    }
}
