package org.stillwater.server.api.web;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Coded;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.io.SerializedString;

/** Small pieces that JSON forms share. */
public final class Json {

    private static final SerializedString NAME = new SerializedString("name");
    private static final SerializedString MAC = new SerializedString("mac");
    private static final SerializedString IPV4 = new SerializedString("ipv4");
    private static final SerializedString IPV6 = new SerializedString("ipv6");
    private static final RuntimeField[] FIELDS = RuntimeField.values();

    /** As many as there are constants in answers. */
    private static final Map<Enum<?>, String> WORDS = new ConcurrentHashMap<>();

    private Json() {}

    /** Every field of the table as one member each; unknown is null. */
    public static void runtime(JsonGenerator json, VmRuntime runtime) {
        for (RuntimeField field : FIELDS) {
            field(json, runtime, field);
        }
    }

    /** One field of the table as a member. */
    public static void field(JsonGenerator json, VmRuntime runtime, RuntimeField field) {
        json.writeName(FieldNames.of(field));
        value(json, runtime.value(field));
    }

    /** One value as the table holds it. */
    public static void value(JsonGenerator json, @Nullable Object value) {
        switch (value) {
            case null -> json.writeNull();
            case String text -> json.writeString(text);
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case Boolean flag -> json.writeBoolean(flag);
            case GuestNics nics -> {
                JsonText text = new JsonText(512);
                guestNics(text, nics);
                json.writeRawValue(text);
            }
            case Coded code when code instanceof Enum<?> constant ->
                    json.writeString(word(constant));
            default -> throw new IllegalStateException("no JSON form for " + value.getClass());
        }
    }

    public static void text(JsonGenerator json, String name, @Nullable Object value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else {
            json.writeStringProperty(name, value.toString());
        }
    }

    public static void instant(JsonGenerator json, String name, @Nullable Instant value) {
        text(json, name, value);
    }

    /** A number; null is not known. */
    public static void number(JsonGenerator json, String name, @Nullable Number value) {
        switch (value) {
            case null -> json.writeNullProperty(name);
            case Double number -> json.writeNumberProperty(name, number);
            default -> json.writeNumberProperty(name, value.longValue());
        }
    }

    /** A list of whole numbers. */
    public static void numbers(JsonGenerator json, String name, List<Integer> values) {
        json.writeArrayPropertyStart(name);
        values.forEach(json::writeNumber);
        json.writeEndArray();
    }

    /** An enum's word: lower case with underscores. */
    public static String word(Enum<?> value) {
        return value instanceof VmStatus status
                ? status.label()
                : WORDS.computeIfAbsent(value, Json::made);
    }

    private static String made(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Interfaces as the guest's agent reports them. */
    public static void guestNics(JsonText json, GuestNics nics) {
        json.startArray();
        for (GuestNic nic : nics.nics()) {
            json.startObject();
            json.name(NAME);
            json.text(nic.name());
            json.name(MAC);
            json.text(nic.mac());
            json.name(IPV4);
            texts(json, nic.ipv4());
            json.name(IPV6);
            texts(json, nic.ipv6());
            json.endObject();
        }
        json.endArray();
    }

    private static void texts(JsonText json, List<String> values) {
        json.startArray();
        values.forEach(value -> json.text(value));
        json.endArray();
    }
}
