package org.stillwater.xapi.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reply of {@code event.from}.
 *
 * @param counts objects of every table by its name in events, also of classes without a
 *     subscription
 * @param token start of the next call; texts of equal length, comparable
 * @param passedOver events of classes that the engine does not read
 */
record EventBatch(List<Event> events, Map<String, Long> counts, String token, int passedOver) {

    /** The kinds of changes of an object. */
    enum Operation {
        ADD,
        MOD,
        DEL
    }

    /**
     * One object's change.
     *
     * @param snapshot the object as it is; {@code null} if it is gone
     */
    record Event(XapiClass type, Operation operation, String ref, @Nullable XapiRecord snapshot) {}
}
