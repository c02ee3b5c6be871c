package org.stillwater.vdsm.jsonrpc;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.stomp.FrameBody;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * One JSON-RPC message, read as a stream: opening it reads the kind of the message and its id, then
 * the parser stands on the payload.
 *
 * <p>Members may come in any order. If the payload comes before the members needed to read it (a
 * {@code result} before its {@code id}), the body is skimmed once for those members and then opened
 * again; no payload is ever held in memory.
 *
 * <p>Use: open, look at {@link #kind}, read {@link #payload} (or not), {@link #finish} to make sure
 * that the rest is well-formed, close. The body stays the caller's. One thread at a time.
 */
public final class Envelope implements AutoCloseable {
    /** Characters of an error's text that are kept; VDSM's have less than 500. */
    private static final int LONGEST_MESSAGE = 4_096;

    /** The kind of a message. */
    public enum Kind {
        /** An answer with a value; {@link #payload} stands on it. */
        RESULT,
        /** An answer with an {@link #error}. */
        ERROR,
        /** A call: a method and an id. */
        REQUEST,
        /** A method without id. */
        EVENT
    }

    private final JsonParser parser;
    private final boolean cut;
    private @Nullable JsonRpcId id;
    private @Nullable String method;
    private @Nullable JsonRpcError error;
    private boolean idSeen;
    private boolean resultSeen;
    private boolean onPayload;
    private boolean ended;

    private Envelope(FrameBody body, JsonFactory factory) {
        // A text longer than the parser takes would cost the whole message, so it is cut before.
        cut = LongTextCutter.mayBeNeeded(body, Json.LONGEST_TEXT);
        byte[] octets = body.array();
        if (cut) {
            InputStream whole = body.openStream();
            this.parser =
                    factory.createParser(
                            ObjectReadContext.empty(),
                            new LongTextCutter(whole, Json.LONGEST_TEXT / 2));
        } else if (octets != null) {
            this.parser =
                    factory.createParser(ObjectReadContext.empty(), octets, 0, (int) body.length());
        } else {
            this.parser = factory.createParser(ObjectReadContext.empty(), body.openStream());
        }
    }

    /**
     * Opens a message.
     *
     * @throws MalformedEnvelope when it is not a JSON object, or none of the four kinds
     */
    public static Envelope open(FrameBody body) throws MalformedEnvelope {
        return open(body, Json.FACTORY);
    }

    /**
     * Opens a message with ids as names in its payload, such as an event about VMs; its {@link
     * #payloadOffset} is unknown.
     *
     * @throws MalformedEnvelope when it is not a JSON object, or none of the four kinds
     */
    public static Envelope openWithIds(FrameBody body) throws MalformedEnvelope {
        return open(body, Json.WITHOUT_NAMES);
    }

    private static Envelope open(FrameBody body, JsonFactory factory) throws MalformedEnvelope {
        Envelope envelope = new Envelope(body, factory);
        try {
            envelope.readHead(null);
            if (envelope.onPayload && !envelope.knowsWhatThePayloadIs()) {
                envelope.skim();
                envelope.close();
                Envelope skimmed = envelope;
                envelope = new Envelope(body, factory);
                envelope.readHead(skimmed);
            }
            envelope.requireKind();
            return envelope;
        } catch (JacksonException notJson) {
            envelope.close();
            throw new MalformedEnvelope("not JSON: " + notJson.getOriginalMessage(), notJson);
        } catch (MalformedEnvelope malformed) {
            envelope.close();
            throw malformed;
        }
    }

    /** The kind of the message. An error wins over a result that came after it. */
    public Kind kind() {
        if (error != null) {
            return Kind.ERROR;
        }
        if (method != null) {
            return id != null ? Kind.REQUEST : Kind.EVENT;
        }
        return Kind.RESULT;
    }

    /** The id, or null when the message has none or a null one. */
    public @Nullable JsonRpcId id() {
        return id;
    }

    /** The method of a request or event, else null. */
    public @Nullable String method() {
        return method;
    }

    /** The error of an error answer, else null. */
    public @Nullable JsonRpcError error() {
        return error;
    }

    /** True when there is a {@code result} or {@code params} to read. */
    public boolean hasPayload() {
        return onPayload;
    }

    /**
     * The parser, standing on the first token of the payload. The reader may stop anywhere within
     * the payload but must not read beyond its end.
     */
    public JsonParser payload() {
        if (!onPayload) {
            throw new IllegalStateException("this message has no payload");
        }
        return parser;
    }

    /**
     * Position of the payload's first octet in the body, while the parser is on it; −1 if the
     * parser's positions differ from the body's.
     */
    public long payloadOffset() {
        return cut ? -1 : payload().currentTokenLocation().getByteOffset();
    }

    /**
     * Reads the rest of the message.
     *
     * @throws MalformedEnvelope when the rest is not the end of one JSON object
     */
    public void finish() throws MalformedEnvelope {
        try {
            while (parser.nextToken() != null) {
                // The rest is only checked for being JSON.
                if (ended) {
                    throw new MalformedEnvelope("something follows the message");
                }
                ended =
                        parser.currentToken() == JsonToken.END_OBJECT
                                && parser.streamReadContext().inRoot();
            }
        } catch (JacksonException notJson) {
            throw new MalformedEnvelope("not JSON: " + notJson.getOriginalMessage(), notJson);
        }
    }

    @Override
    public void close() {
        parser.close();
    }

    /** A method that starts with a bar is an event's name; no id will follow. */
    private boolean knowsWhatThePayloadIs() {
        return resultSeen ? idSeen : method != null && (idSeen || method.startsWith("|"));
    }

    /**
     * Reads members up to the payload; {@code known} holds the members that an earlier skim found.
     */
    private void readHead(@Nullable Envelope known) throws MalformedEnvelope {
        if (known != null) {
            id = known.id;
            idSeen = true;
            method = known.method;
            error = known.error;
        }
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new MalformedEnvelope("not a JSON object");
        }
        while (!onPayload && parser.nextToken() == JsonToken.PROPERTY_NAME) {
            member(true);
        }
        ended = !onPayload;
    }

    /** Skips the payload and reads the members behind it. */
    private void skim() throws MalformedEnvelope {
        parser.skipChildren();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            member(false);
        }
    }

    private void member(boolean stopAtPayload) throws MalformedEnvelope {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        switch (name) {
            case "id" -> {
                idSeen = true;
                id = readId(value);
            }
            case "method" -> {
                if (value == JsonToken.VALUE_STRING) {
                    method = parser.getString();
                } else {
                    throw new MalformedEnvelope("method is not a text");
                }
            }
            case "error" -> readError(value);
            case "result" -> {
                resultSeen = true;
                // A null result may stand beside an error (JSON-RPC 1.0 style): read on.
                payload(stopAtPayload && error == null && value != JsonToken.VALUE_NULL);
            }
            case "params" -> payload(stopAtPayload);
            default -> parser.skipChildren();
        }
    }

    private void payload(boolean stop) {
        if (stop) {
            onPayload = true;
        } else {
            parser.skipChildren();
        }
    }

    private @Nullable JsonRpcId readId(JsonToken value) throws MalformedEnvelope {
        return switch (value) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> JsonRpcId.of(parser.getString());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new JsonRpcId(parser.getString(), true);
            default -> throw new MalformedEnvelope("id is not a scalar");
        };
    }

    private void readError(JsonToken value) throws MalformedEnvelope {
        if (value == JsonToken.VALUE_NULL) {
            return;
        }
        if (value != JsonToken.START_OBJECT) {
            throw new MalformedEnvelope("error is not an object");
        }
        int code = 0;
        String message = "";
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            JsonToken member = parser.nextToken();
            if (name.equals("code") && member.isScalarValue()) {
                code = Lenient.intOf(parser, 0);
            } else if (name.equals("message") && member == JsonToken.VALUE_STRING) {
                int length = Math.min(parser.getStringLength(), LONGEST_MESSAGE);
                message =
                        new String(parser.getStringCharacters(), parser.getStringOffset(), length);
            } else {
                parser.skipChildren();
            }
        }
        error = new JsonRpcError(code, message);
    }

    private void requireKind() throws MalformedEnvelope {
        if (error == null && method == null && !resultSeen) {
            throw new MalformedEnvelope("neither an answer nor a call");
        }
    }
}
