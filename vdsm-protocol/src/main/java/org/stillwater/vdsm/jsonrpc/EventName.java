package org.stillwater.vdsm.jsonrpc;

import org.jspecify.annotations.Nullable;

/**
 * The name of an event: {@code |component|operation|id}, four fields of which the first is empty on
 * the wire (protocol page §4.1).
 *
 * @param component for example {@code virt}
 * @param operation for example {@code VM_status}
 * @param id the object of the event, or {@code no_id}
 */
public record EventName(String component, String operation, String id) {

    /** The name's fields, or null when there are not four. The id may itself hold a bar. */
    public static @Nullable EventName parse(String method) {
        int first = method.indexOf('|');
        int second = first < 0 ? -1 : method.indexOf('|', first + 1);
        int third = second < 0 ? -1 : method.indexOf('|', second + 1);
        if (third < 0) {
            return null;
        }
        return new EventName(
                method.substring(first + 1, second),
                method.substring(second + 1, third),
                method.substring(third + 1));
    }

    /** The name as it stands on the wire. */
    public String wire() {
        return "|" + component + "|" + operation + "|" + id;
    }
}
