package org.stillwater.ovirt.codec;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Reference;
import org.stillwater.ovirt.model.Statistic;
import org.stillwater.ovirt.model.Statistic.Value;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.UTF8JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes statistics as JSON, byte for byte as the general serializer of records does, from parts
 * that are encoded already. A list of 6 000 VMs with their statistics has 72 MB, and nearly all of
 * them are names, descriptions and addresses: here a statistic's constant part is encoded once in
 * the life of the engine, and the reference to its owner once for all statistics of that owner.
 *
 * <p>The general serializer writes every statistic that is different: with a text, with a character
 * that JSON escapes, with two owners, with an unknown description when {@value #MOST_CONSTANTS} are
 * kept, or to another generator than the one for UTF-8. Thread-safe.
 */
final class StatisticJson extends StdSerializer<Statistic> {

    /** Appendix A has some seventy, and hosts name sizes of huge pages. */
    private static final int MOST_CONSTANTS = 256;

    private static final String VALUE = "value";
    private static final byte[] NO_VALUES = EncodedText.ascii("{}");
    private static final byte[] FIRST_DATUM = EncodedText.ascii("{\"value\":[{\"datum\":");
    private static final byte[] NEXT_DATUM = EncodedText.ascii("},{\"datum\":");
    private static final byte[] END_OF_VALUES = EncodedText.ascii("}]}");

    private final ValueSerializer<Object> general;
    private final Map<String, Constant> constants;

    /**
     * A serializer.
     *
     * @param general writes the statistics that are different
     */
    StatisticJson(ValueSerializer<Object> general) {
        this(general, new ConcurrentHashMap<>());
    }

    private StatisticJson(ValueSerializer<Object> general, Map<String, Constant> constants) {
        super(Statistic.class);
        this.general = general;
        this.constants = constants;
    }

    /** Puts it before the serializer that Jackson makes for the record. */
    static ValueSerializerModifier modifier() {
        return new Modifier();
    }

    private static final class Modifier extends ValueSerializerModifier {

        private static final long serialVersionUID = 1;

        @Override
        @SuppressWarnings("unchecked") // Jackson calls serializers of any type with objects
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config,
                BeanDescription.Supplier type,
                ValueSerializer<?> serializer) {
            return type.getBeanClass() == Statistic.class
                    ? new StatisticJson((ValueSerializer<Object>) serializer)
                    : serializer;
        }
    }

    @Override
    public void resolve(SerializationContext context) {
        general.resolve(context);
    }

    @Override
    @SuppressWarnings("unchecked") // Jackson calls serializers of any type with objects
    public ValueSerializer<?> createContextual(
            SerializationContext context, @Nullable BeanProperty property) {
        ValueSerializer<?> made = general.createContextual(context, property);
        return made.equals(general)
                ? this
                : new StatisticJson((ValueSerializer<Object>) made, constants);
    }

    @Override
    public void serialize(Statistic value, JsonGenerator out, SerializationContext context) {
        if (out instanceof UTF8JsonGenerator) {
            EncodedText text = EncodedText.of(context);
            if (encode(value, text)) {
                out.writeRawValue(text);
                return;
            }
        }
        general.serialize(value, out, context);
    }

    /** Whether it could be encoded here. */
    private boolean encode(Statistic value, EncodedText to) {
        Constant constant = constant(value);
        Owner owner = Owner.of(value);
        if (constant == null
                || owner == null
                || !(owner.in(value) instanceof Reference reference)
                || !to.owner(owner.member, reference)) {
            return false;
        }
        to.begin(constant.head);
        if (!to.address(value.href())) {
            return false;
        }
        to.bytes(constant.description);
        if (!values(value.values(), to)) {
            return false;
        }
        to.end();
        return true;
    }

    private static boolean values(Listing<Value> values, EncodedText to) {
        if (values.size() != null) {
            return false;
        }
        if (values.items().isEmpty()) {
            to.bytes(NO_VALUES);
            return true;
        }
        if (!values.item().equals(VALUE)) {
            return false;
        }
        byte[] before = FIRST_DATUM;
        for (Value each : values.items()) {
            BigDecimal datum = each.datum();
            if (datum == null || each.detail() != null) {
                return false;
            }
            to.bytes(before);
            to.plain(datum.toPlainString(), 0);
            before = NEXT_DATUM;
        }
        to.bytes(END_OF_VALUES);
        return true;
    }

    private @Nullable Constant constant(Statistic value) {
        Constant known = constants.get(value.description());
        if (known == null) {
            known = Constant.of(value);
            if (known == null || constants.size() >= MOST_CONSTANTS) {
                return null;
            }
            constants.put(value.description(), known);
        }
        return known.isOf(value) ? known : null;
    }

    /** The common members of all statistics of a measure, as text and encoded. */
    private static final class Constant {

        private final String id;
        private final String name;
        private final String kind;
        private final String type;
        private final String unit;
        private final byte[] head;
        private final byte[] description;

        private Constant(Statistic of) {
            this.id = of.id();
            this.name = of.name();
            this.kind = of.kind();
            this.type = of.type();
            this.unit = of.unit();
            this.head = EncodedText.ascii("{\"id\":\"" + id + "\",\"href\":\"");
            this.description =
                    EncodedText.ascii(
                            "\",\"name\":\"%s\",\"description\":\"%s\",\"kind\":\"%s\",\"type\":\"%s\""
                                            .formatted(name, of.description(), kind, type)
                                    + ",\"unit\":\"%s\",\"values\":".formatted(unit));
        }

        /** Null if JSON would escape a character of it. */
        static @Nullable Constant of(Statistic value) {
            String all =
                    value.id()
                            + value.name()
                            + value.description()
                            + value.kind()
                            + value.type()
                            + value.unit();
            return EncodedText.isPlain(all) ? new Constant(value) : null;
        }

        /** The key of the map is the description. */
        boolean isOf(Statistic value) {
            return id.equals(value.id())
                    && name.equals(value.name())
                    && kind.equals(value.kind())
                    && type.equals(value.type())
                    && unit.equals(value.unit());
        }
    }

    /** The members that refer to the owner of a statistic. */
    private enum Owner {
        DISK("disk"),
        HOST("host"),
        HOST_NIC("host_nic"),
        HOST_NUMA_NODE("host_numa_node"),
        NIC("nic"),
        VM("vm");

        private static final Owner[] ALL = values();

        private final String member;

        Owner(String member) {
            this.member = member;
        }

        /** The only one that a statistic has; null for none, and for more. */
        static @Nullable Owner of(Statistic value) {
            Owner found = null;
            for (Owner each : ALL) {
                if (each.in(value) != null) {
                    if (found != null) {
                        return null;
                    }
                    found = each;
                }
            }
            return found;
        }

        @Nullable Entity in(Statistic value) {
            return switch (this) {
                case DISK -> value.disk();
                case HOST -> value.host();
                case HOST_NIC -> value.hostNic();
                case HOST_NUMA_NODE -> value.hostNumaNode();
                case NIC -> value.nic();
                case VM -> value.vm();
            };
        }
    }
}
