package org.stillwater.fake.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.jsonrpc.Json;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;

/**
 * Faults in the content of answers and events: the host stays truthful, and its output is changed
 * on the way out, token by token. Thread-safe. An answer nothing strikes is passed through as it
 * is.
 */
final class DataFaults {

    private static final FaultKind[] KINDS = {
        FaultKind.INTEGER_FOR_FLOAT,
        FaultKind.FLOAT_FOR_INTEGER,
        FaultKind.MISSING_FIELDS,
        FaultKind.UNKNOWN_FIELDS,
        FaultKind.UNKNOWN_STATUS,
        FaultKind.HUGE_NUMBERS,
        FaultKind.NOTIFY_TIME_BACKWARD
    };

    /** Faults without a field strike one member of this number. */
    private static final int ONE_IN = 8;

    private static final String HUGE = "99999999999999999999999";
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");

    private final Faults faults;

    DataFaults(Faults faults) {
        this.faults = faults;
    }

    /** The result of an answer, changed by the active faults. */
    JsonBody answer(JsonBody result, HostName host, String verb, long connection) {
        return apply(result, host, verb, connection, 0);
    }

    /** An event, changed by the active faults; its envelope stays unchanged. */
    JsonBody event(JsonBody event, HostName host, String name, long connection) {
        return apply(event, host, name, connection, 1);
    }

    private JsonBody apply(
            JsonBody body, HostName host, String label, long connection, int protectedDepth) {
        if (!faults.any()) {
            return body;
        }
        Map<FaultKind, FaultSpec> striking = new EnumMap<>(FaultKind.class);
        for (FaultKind kind : KINDS) {
            Faults.Active fault = faults.strike(kind, host, label, connection);
            if (fault != null) {
                striking.put(kind, fault.spec);
            }
        }
        return striking.isEmpty() ? body : new Change(striking, protectedDepth).of(body);
    }

    /** One body being changed. */
    private final class Change {
        private final Map<FaultKind, FaultSpec> striking;
        private final int protectedDepth;
        private int depth;

        Change(Map<FaultKind, FaultSpec> striking, int protectedDepth) {
            this.striking = striking;
            this.protectedDepth = protectedDepth;
        }

        JsonBody of(JsonBody body) {
            ByteArrayOutputStream before = new ByteArrayOutputStream(body.length());
            ByteArrayOutputStream after = new ByteArrayOutputStream(body.length());
            try {
                body.writeTo(before);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            try (JsonParser in =
                            Json.FACTORY.createParser(
                                    ObjectReadContext.empty(), before.toByteArray());
                    JsonGenerator out =
                            Json.FACTORY.createGenerator(ObjectWriteContext.empty(), after)) {
                for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
                    copy(token, in, out);
                }
            }
            return JsonBody.of(after.toByteArray());
        }

        private void copy(JsonToken token, JsonParser in, JsonGenerator out) {
            String name = in.currentName();
            switch (token) {
                case START_OBJECT, START_ARRAY -> {
                    depth++;
                    out.copyCurrentEvent(in);
                }
                case END_ARRAY -> {
                    depth--;
                    out.copyCurrentEvent(in);
                }
                case END_OBJECT -> {
                    if (open() && striking.containsKey(FaultKind.UNKNOWN_FIELDS)) {
                        out.writeStringProperty("xNobodyKnows", "this");
                        out.writeName("xNorThis");
                        out.writeRawValue("{\"deep\":[1,{\"deeper\":null}]}");
                    }
                    depth--;
                    out.copyCurrentEvent(in);
                }
                case PROPERTY_NAME -> {
                    if (open() && hits(FaultKind.MISSING_FIELDS, name)) {
                        in.nextToken();
                        in.skipChildren();
                    } else {
                        out.copyCurrentEvent(in);
                    }
                }
                case VALUE_STRING -> copyString(name, in, out);
                case VALUE_NUMBER_INT -> copyInteger(name, in, out);
                case VALUE_NUMBER_FLOAT -> {
                    if (open() && hits(FaultKind.HUGE_NUMBERS, name)) {
                        out.writeNumber("1.0e308");
                    } else if (open() && named(FaultKind.INTEGER_FOR_FLOAT, name)) {
                        out.writeNumber(in.getDecimalValue().toBigInteger());
                    } else {
                        out.copyCurrentEvent(in);
                    }
                }
                default -> out.copyCurrentEvent(in);
            }
        }

        private void copyString(@Nullable String name, JsonParser in, JsonGenerator out) {
            if (open() && "status".equals(name) && striking.containsKey(FaultKind.UNKNOWN_STATUS)) {
                out.writeString("Levitating");
            } else if (open()
                    && striking.containsKey(FaultKind.HUGE_NUMBERS)
                    && NUMBER.matcher(in.getString()).matches()
                    && hits(FaultKind.HUGE_NUMBERS, name)) {
                out.writeString(HUGE);
            } else {
                out.copyCurrentEvent(in);
            }
        }

        private void copyInteger(@Nullable String name, JsonParser in, JsonGenerator out) {
            FaultSpec backward = striking.get(FaultKind.NOTIFY_TIME_BACKWARD);
            if (backward != null && "notify_time".equals(name)) {
                out.writeNumber(in.getLongValue() - faults.delay(backward).toMillis());
            } else if (open() && hits(FaultKind.HUGE_NUMBERS, name)) {
                out.writeNumber(HUGE);
            } else if (open() && named(FaultKind.FLOAT_FOR_INTEGER, name)) {
                out.writeNumber(new BigDecimal(in.getBigIntegerValue()).setScale(1));
            } else {
                out.copyCurrentEvent(in);
            }
        }

        private boolean open() {
            return depth > protectedDepth;
        }

        /**
         * Whether a fault strikes a member: the one that it names or, without a name, a random one.
         */
        private boolean hits(FaultKind kind, @Nullable String name) {
            FaultSpec spec = striking.get(kind);
            if (spec == null || name == null) {
                return false;
            }
            String field = spec.field();
            return field == null ? faults.pick(ONE_IN) == 0 : field.equals(name);
        }

        /** Whether a fault strikes a member: the one that it names, or all without a name. */
        private boolean named(FaultKind kind, @Nullable String name) {
            FaultSpec spec = striking.get(kind);
            return spec != null && (spec.field() == null || spec.field().equals(name));
        }
    }
}
