package org.stillwater.relay.state;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Shares instances of texts that many VMs report: names of systems, lists of applications. A new
 * text replaces the text in its slot, so the memory is bounded; frequent texts return soon.
 * Thread-safe.
 */
public final class TextValueCache {

    private static final int PLACES = 1 << 12;

    private final AtomicReferenceArray<Value.@Nullable Text> places =
            new AtomicReferenceArray<>(PLACES);

    /** The value of a text: the stored instance if the cache has it. */
    public Value.Text of(String text) {
        int hash = text.hashCode();
        int place = (hash ^ hash >>> 12 ^ hash >>> 24) & (PLACES - 1);
        Value.Text known = places.get(place);
        if (known != null && known.value().equals(text)) {
            return known;
        }
        Value.Text fresh = new Value.Text(text);
        places.set(place, fresh);
        return fresh;
    }
}
