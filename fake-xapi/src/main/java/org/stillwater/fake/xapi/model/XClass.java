package org.stillwater.fake.xapi.model;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A class of the datamodel.
 *
 * @param name as methods spell it, for instance {@code VM_guest_metrics}
 * @param sendsEvents whether {@code event.from} delivers its objects
 * @param hasTable whether {@code valid_ref_counts} counts its objects
 * @param fields in wire order
 * @param messages by name
 */
public record XClass(
        String name,
        boolean sendsEvents,
        boolean hasTable,
        List<XField> fields,
        Map<String, XMessage> messages,
        Map<String, Integer> indexes) {

    /**
     * A field.
     *
     * @param writable whether there is a setter
     * @param initial its value in a new object
     */
    public record XField(String name, XType type, boolean writable, Object initial) {}

    /**
     * A parameter after the session.
     *
     * @param optional whether a call may leave it and those after it out
     */
    public record XParameter(String name, XType type, boolean optional) {}

    /**
     * A message.
     *
     * @param role lowest role that may send it; empty: local root only, or no login needed
     * @param async whether {@code Async.} may be put in front
     * @param implicit generated from the fields: getters, setters and the like
     * @param session whether the first argument is a session
     */
    public record XMessage(
            String type,
            String name,
            XType result,
            String role,
            boolean async,
            boolean implicit,
            boolean session,
            List<XParameter> parameters) {
        /** {@code Class.message}. */
        public String fullName() {
            return type + "." + name;
        }
    }

    static XClass of(
            String name,
            boolean sendsEvents,
            boolean hasTable,
            List<XField> fields,
            Map<String, XMessage> messages) {
        Map<String, Integer> indexes = new HashMap<>();
        for (int i = 0; i < fields.size(); i++) {
            indexes.put(fields.get(i).name(), i);
        }
        return new XClass(
                name,
                sendsEvents,
                hasTable,
                List.copyOf(fields),
                Map.copyOf(messages),
                Map.copyOf(indexes));
    }

    /** The name in events. */
    public String eventName() {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Place of a field in {@link #fields}. */
    public int index(String field) {
        Integer index = indexes.get(field);
        if (index == null) {
            throw new IllegalArgumentException("no field " + name + "." + field);
        }
        return index;
    }

    /** The field of that name, or {@code null}. */
    public @Nullable XField field(String field) {
        Integer index = indexes.get(field);
        return index == null ? null : fields.get(index);
    }
}
