package org.stillwater.xapi.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.xapi.client.EventBatch.Event;
import org.stillwater.xapi.client.EventBatch.Operation;
import org.stillwater.xapi.client.XapiClass.Kind;

/** Reads replies of any encoding; the table of fields gives the type of each value. */
final class Decoder {

    /** Reads a result. */
    @FunctionalInterface
    interface Result<T> {
        T read(Source in) throws IOException;
    }

    private Decoder() {}

    /** A result without content: an empty text, or nothing at all from old servers. */
    static final Result<String> VOID =
            in -> {
                in.skip();
                return "";
            };

    static final Result<String> TEXT = Source::text;

    /** A map of references to records. */
    static Result<Map<String, XapiRecord>> records(XapiClass type) {
        return in -> {
            Map<String, XapiRecord> records = new LinkedHashMap<>();
            int _ = records(type, records::put).read(in);
            return records;
        };
    }

    /** References and records one by one; the result is their number. */
    static Result<Integer> records(XapiClass type, BiConsumer<String, XapiRecord> receiver) {
        return in -> {
            int count = 0;
            in.beginObject();
            for (String ref = in.nextName(); ref != null; ref = in.nextName()) {
                receiver.accept(ref, record(in, type));
                count++;
            }
            return count;
        };
    }

    static XapiRecord record(Source in, XapiClass type) throws IOException {
        if (type.fields().isEmpty()) {
            in.skip();
            return type.bare();
        }
        RecordWriter out = in.writer();
        out.begin(type.fields().size());
        in.beginObject();
        for (int place = in.nextField(type); place != Source.END; place = in.nextField(type)) {
            if (place == Source.UNKNOWN) {
                in.skip();
            } else {
                out.open(place);
                value(in, type.kinds().get(place), out);
                out.close();
            }
        }
        return new XapiRecord(type, out.pack());
    }

    private static void value(Source in, Kind kind, RecordWriter out) throws IOException {
        switch (kind) {
            case STRING, DATETIME -> in.copyText(out);
            case INT -> out.number(in.number());
            case FLOAT -> out.number(Double.doubleToLongBits(in.real()));
            case BOOL -> out.flag(in.flag());
            case STRINGS -> {
                in.beginArray();
                while (in.nextElement()) {
                    in.copyText(out);
                }
                out.endOfTexts();
            }
            case MAP -> {
                in.beginObject();
                for (String name = in.nextName(); name != null; name = in.nextName()) {
                    out.text(name);
                    in.copyText(out);
                }
                out.endOfTexts();
            }
        }
    }

    static List<String> strings(Source in) throws IOException {
        in.beginArray();
        if (!in.nextElement()) {
            return List.of();
        }
        List<String> list = new ArrayList<>(4);
        do {
            list.add(in.text());
        } while (in.nextElement());
        return List.copyOf(list);
    }

    /** A reply of {@code event.from}. */
    static EventBatch batch(Source in) throws IOException {
        List<Event> events = new ArrayList<>();
        EventBatch rest = eachEvent(in, events::add);
        return new EventBatch(events, rest.counts(), rest.token(), rest.passedOver());
    }

    /**
     * A reply of {@code event.from}, without its events, which the receiver gets one by one: a list
     * of them would keep a whole pool alive while it is read.
     */
    static EventBatch eachEvent(Source in, Consumer<Event> receiver) throws IOException {
        Map<String, Long> counts = new HashMap<>();
        String token = "";
        int passedOver = 0;
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            switch (name) {
                case "events" -> {
                    in.beginArray();
                    while (in.nextElement()) {
                        Event event = event(in);
                        if (event == null) {
                            passedOver++;
                        } else {
                            receiver.accept(event);
                        }
                    }
                }
                case "valid_ref_counts" -> {
                    in.beginObject();
                    for (String each = in.nextName(); each != null; each = in.nextName()) {
                        counts.put(each, in.number());
                    }
                }
                case "token" -> token = in.text();
                default -> in.skip();
            }
        }
        return new EventBatch(List.of(), counts, token, passedOver);
    }

    private static @Nullable Event event(Source in) throws IOException {
        XapiClass type = null;
        Operation operation = null;
        String ref = "";
        XapiRecord snapshot = null;
        in.beginObject();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            switch (name) {
                case "class" -> type = XapiClass.ofEvent(in.text());
                case "operation" -> operation = operation(in.text());
                case "ref" -> ref = in.text();
                case "snapshot" -> {
                    if (type == null) {
                        in.skip();
                    } else {
                        snapshot = record(in, type);
                    }
                }
                default -> in.skip();
            }
        }
        if (type == null || operation == null) {
            return null;
        }
        if (snapshot == null && operation != Operation.DEL) {
            throw new XapiException.Protocol("an event without its object: " + ref, null);
        }
        return new Event(type, operation, ref, snapshot);
    }

    private static @Nullable Operation operation(String word) {
        return switch (word) {
            case "add" -> Operation.ADD;
            case "mod" -> Operation.MOD;
            case "del" -> Operation.DEL;
            default -> null;
        };
    }
}
