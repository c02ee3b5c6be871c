package org.stillwater.ovirt.codec;

import org.stillwater.ovirt.model.Link;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.UTF8JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes links as JSON. A VM has some forty, to its actions and collections, and all begin with its
 * address, which is encoded once. Thread-safe.
 */
final class LinkJson extends StdSerializer<Link> {

    private static final byte[] HREF = EncodedText.ascii("{\"href\":\"");
    private static final byte[] REL = EncodedText.ascii("\",\"rel\":\"");
    private static final byte[] END = EncodedText.ascii("\"}");

    LinkJson() {
        super(Link.class);
    }

    @Override
    public void serialize(Link value, JsonGenerator out, SerializationContext context) {
        if (out instanceof UTF8JsonGenerator) {
            EncodedText text = EncodedText.of(context);
            if (encode(value, text)) {
                out.writeRawValue(text);
                return;
            }
        }
        out.writeStartObject();
        out.writeStringProperty("href", value.href());
        out.writeStringProperty("rel", value.rel());
        out.writeEndObject();
    }

    private static boolean encode(Link value, EncodedText to) {
        to.begin(HREF);
        if (!to.link(value.href())) {
            return false;
        }
        to.bytes(REL);
        if (!to.plain(value.rel(), 0)) {
            return false;
        }
        to.bytes(END);
        return true;
    }
}
