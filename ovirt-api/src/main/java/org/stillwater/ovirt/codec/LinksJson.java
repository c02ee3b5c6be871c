package org.stillwater.ovirt.codec;

import java.util.List;
import org.stillwater.ovirt.model.Link;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.UTF8JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.type.CollectionType;

/**
 * Writes links as JSON, all of a list at once. A VM has some forty, to its actions and collections,
 * and all begin with its address, which is encoded once. The general serializer writes lists with a
 * character that JSON escapes. Thread-safe.
 */
final class LinksJson extends StdSerializer<List<Link>> {

    private static final byte[] BEGIN = EncodedText.ascii("[");
    private static final byte[] NEXT = EncodedText.ascii(",");
    private static final byte[] END = EncodedText.ascii("]");
    private static final byte[] HREF = EncodedText.ascii("{\"href\":\"");
    private static final byte[] REL = EncodedText.ascii("\",\"rel\":\"");
    private static final byte[] END_OF_LINK = EncodedText.ascii("\"}");

    @SuppressWarnings({"unchecked", "rawtypes"}) // a class literal has no type arguments
    private LinksJson() {
        super((Class) List.class);
    }

    /** Puts it in the place of the serializer of Jackson for lists of links. */
    static ValueSerializerModifier modifier() {
        return new Modifier();
    }

    private static final class Modifier extends ValueSerializerModifier {

        private static final long serialVersionUID = 1;

        @Override
        public ValueSerializer<?> modifyCollectionSerializer(
                SerializationConfig config,
                CollectionType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return type.getContentType().hasRawClass(Link.class) ? new LinksJson() : serializer;
        }
    }

    @Override
    public boolean isEmpty(SerializationContext context, List<Link> value) {
        return value.isEmpty();
    }

    @Override
    public void serialize(List<Link> value, JsonGenerator out, SerializationContext context) {
        if (out instanceof UTF8JsonGenerator) {
            EncodedText text = EncodedText.of(context);
            if (encode(value, text)) {
                out.writeRawValue(text);
                return;
            }
        }
        out.writeStartArray(value, value.size());
        for (Link link : value) {
            out.writeStartObject(link);
            out.writeStringProperty("href", link.href());
            out.writeStringProperty("rel", link.rel());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** Whether it could be encoded here. */
    private static boolean encode(List<Link> links, EncodedText to) {
        to.begin(BEGIN);
        boolean any = false;
        for (Link link : links) {
            if (any) {
                to.bytes(NEXT);
            }
            any = true;
            to.bytes(HREF);
            if (!to.link(link.href())) {
                return false;
            }
            to.bytes(REL);
            if (!to.plain(link.rel(), 0)) {
                return false;
            }
            to.bytes(END_OF_LINK);
        }
        to.bytes(END);
        return true;
    }
}
