package org.stillwater.ovirt.codec;

import com.ctc.wstx.api.InvalidCharHandler;
import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.api.WstxOutputProperties;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ServiceLoader;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import org.stillwater.ovirt.model.Inlined;
import org.stillwater.ovirt.model.Listing;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.MapperBuilder;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.util.NameTransformer;
import tools.jackson.dataformat.xml.XmlFactory;
import tools.jackson.dataformat.xml.XmlMapper;
import tools.jackson.dataformat.xml.XmlWriteFeature;

/**
 * Writes and reads the model in both media types (chapters 2.2 and 2.3): their differences are
 * defined here once and nowhere in the model. Documents are written while their items are made, so
 * a long list is never in memory as a whole. Thread-safe; its writers are prepared once.
 */
public final class Codec {

    /** Deepest element, longest text and most characters of names that a document may have. */
    private static final int DEEPEST = 64;

    private static final int LONGEST_TEXT = 1 << 20;
    private static final int LONGEST_NAME = 1_000;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final ObjectMapper json;
    private final ObjectMapper xml;
    private final ObjectWriter jsonWriter;
    private final ObjectWriter xmlWriter;
    private final LongListJson longListJson;

    /** A codec, ready for use; one thread writes a document. */
    public Codec() {
        this(BlockHelper.NONE);
    }

    /**
     * A codec, ready for use.
     *
     * @param helper helps to write long lists in JSON
     */
    public Codec(BlockHelper helper) {
        json =
                common(
                                JsonMapper.builder(
                                        JsonFactory.builder()
                                                .streamReadConstraints(limits())
                                                .disable(
                                                        StreamReadFeature
                                                                .INCLUDE_SOURCE_IN_LOCATION)
                                                .build()))
                        .disable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                        .addModule(
                                shared().addSerializer(new EpochMilliseconds())
                                        .setSerializerModifier(StatisticJson.modifier()))
                        .addModule(
                                new SimpleModule("links")
                                        .setSerializerModifier(LinksJson.modifier()))
                        .build();
        xml =
                common(
                                XmlMapper.builder(
                                        XmlFactory.builder()
                                                .xmlInputFactory(input())
                                                .xmlOutputFactory(output())
                                                .streamReadConstraints(limits())
                                                .disable(
                                                        StreamReadFeature
                                                                .INCLUDE_SOURCE_IN_LOCATION)
                                                .build()))
                        .enable(XmlWriteFeature.WRITE_XML_DECLARATION)
                        .addModule(shared().addSerializer(new TimeText()))
                        .build();
        jsonWriter = json.writer();
        longListJson = new LongListJson(jsonWriter, helper);
        xmlWriter = xml.writer();
    }

    private static <M extends ObjectMapper, B extends MapperBuilder<M, B>> B common(B builder) {
        return builder.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .changeDefaultPropertyInclusion(_ ->
                        JsonInclude.Value.construct(
                                JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
                .withConfigOverride(Boolean.class, Codec::asText)
                .withConfigOverride(Integer.class, Codec::asText)
                .withConfigOverride(Long.class, Codec::asText)
                .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
                .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
                .withCoercionConfigDefaults(it ->
                        it.setAcceptBlankAsEmpty(true)
                                .setCoercion(
                                        CoercionInputShape.EmptyString, CoercionAction.AsEmpty));
    }

    private static void asText(tools.jackson.databind.cfg.MutableConfigOverride type) {
        type.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING));
    }

    private static StreamReadConstraints limits() {
        return StreamReadConstraints.builder()
                .maxNestingDepth(DEEPEST)
                .maxStringLength(LONGEST_TEXT)
                .maxNameLength(LONGEST_NAME)
                .build();
    }

    private static SimpleModule shared() {
        return new SimpleModule()
                .addSerializer(new ListingSerializer())
                .addSerializer(new InlinedSerializer(false));
    }

    /** Woodstox's own factory, also if the class path offers others. */
    private static <F> F woodstox(Class<F> kind) {
        return ServiceLoader.load(kind, Codec.class.getClassLoader()).stream()
                .filter(offered -> offered.type().getName().startsWith("com.ctc.wstx."))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Woodstox is missing"))
                .get();
    }

    /**
     * No document types, no entities but XML's own, nothing from elsewhere, and little of all. It
     * is Woodstox: another library would refuse the limits.
     */
    private static XMLInputFactory input() {
        XMLInputFactory factory = woodstox(XMLInputFactory.class);
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, true);
        factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, DEEPEST);
        factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, 64);
        factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, LONGEST_TEXT);
        factory.setProperty(WstxInputProperties.P_MAX_TEXT_LENGTH, LONGEST_TEXT);
        factory.setProperty(WstxInputProperties.P_MAX_CHILDREN_PER_ELEMENT, 10_000);
        return factory;
    }

    /** Texts of guests may have characters that XML does not allow. */
    private static XMLOutputFactory output() {
        XMLOutputFactory factory = woodstox(XMLOutputFactory.class);
        factory.setProperty(
                WstxOutputProperties.P_OUTPUT_INVALID_CHAR_HANDLER,
                new InvalidCharHandler.ReplacingHandler(' '));
        return factory;
    }

    /**
     * Writes a document.
     *
     * @param root its root element; JSON has none
     * @param entity entity to be written
     * @param out where to; left open
     * @throws JacksonException if it cannot be written, most likely because the reader went away
     */
    public void write(Format format, String root, Object entity, OutputStream out) {
        switch (format) {
            case JSON -> {
                if (!(entity instanceof Listing<?> listing) || !longListJson.write(listing, out)) {
                    jsonWriter.writeValue(new NonClosingOutputStream(out), entity);
                }
            }
            case XML ->
                    xmlWriter
                            .withRootName(root)
                            .writeValue(new NonClosingOutputStream(out), entity);
        }
    }

    /**
     * Reads a document; the name of its root element does not matter, nor do members that the type
     * does not have.
     *
     * @throws JacksonException if it is no such document, or exceeds the limits of size or depth
     */
    public <T> T read(Format format, InputStream in, Class<T> type) {
        return (format == Format.JSON ? json : xml).readValue(in, type);
    }

    /** The mapper for reading of one format, for types that need more than {@link #read}. */
    public ObjectMapper mapper(Format format) {
        return format == Format.JSON ? json : xml;
    }

    /** A number as the API writes it: plain, and no more digits than it has. */
    public static BigDecimal number(long value) {
        return BigDecimal.valueOf(value);
    }

    private static final class ListingSerializer extends StdSerializer<Listing<?>> {

        @SuppressWarnings({"unchecked", "rawtypes"}) // a class literal has no type arguments
        private ListingSerializer() {
            super((Class) Listing.class);
        }

        @Override
        public void serialize(Listing<?> value, JsonGenerator out, SerializationContext context) {
            out.writeStartObject(value);
            if (value.size() != null) {
                out.writeStringProperty("size", value.size().toString());
            }
            boolean any = false;
            for (Object item : value.items()) {
                if (!any) {
                    out.writeArrayPropertyStart(value.item());
                    any = true;
                }
                context.writeValue(out, item);
            }
            if (any) {
                out.writeEndArray();
            }
            out.writeEndObject();
        }
    }

    /** Writes members into the object that has been begun. */
    private static final class InlinedSerializer extends StdSerializer<Inlined> {

        private final boolean unwrapping;

        private InlinedSerializer(boolean unwrapping) {
            super(Inlined.class);
            this.unwrapping = unwrapping;
        }

        @Override
        public boolean isUnwrappingSerializer() {
            return unwrapping;
        }

        @Override
        public ValueSerializer<Inlined> unwrappingSerializer(NameTransformer transformer) {
            return new InlinedSerializer(true);
        }

        @Override
        public void serialize(Inlined value, JsonGenerator out, SerializationContext context) {
            value.collections()
                    .forEach((name, listing) -> {
                        out.writeName(name);
                        context.writeValue(out, listing);
                    });
        }
    }

    private static final class EpochMilliseconds extends StdSerializer<Instant> {
        private EpochMilliseconds() {
            super(Instant.class);
        }

        @Override
        public void serialize(Instant value, JsonGenerator out, SerializationContext context) {
            out.writeNumber(value.toEpochMilli());
        }
    }

    private static final class TimeText extends StdSerializer<Instant> {
        private TimeText() {
            super(Instant.class);
        }

        @Override
        public void serialize(Instant value, JsonGenerator out, SerializationContext context) {
            out.writeString(TIME.format(value));
        }
    }
}
