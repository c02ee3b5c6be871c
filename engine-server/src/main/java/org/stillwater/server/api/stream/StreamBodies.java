package org.stillwater.server.api.stream;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.server.api.vm.VmJson;

/**
 * The JSON of the newest changes, made by the first reader that gets one and copied by all others:
 * five hundred readers of one change cost one encoding. Bounded by a number of changes and by their
 * size; other changes are encoded again. Thread-safe, without locks.
 */
@Component
class StreamBodies {

    private static final int KEPT = 1_024;
    private static final int LARGEST = 16 * 1024;

    /** Bodies by revision, for each form with and without the type in it. */
    private final Map<VmJson.Form, AtomicReferenceArray<@Nullable Body>> typed = places();

    private final Map<VmJson.Form, AtomicReferenceArray<@Nullable Body>> untyped = places();

    /** The body of one change; the bytes are never written to. */
    private static final class Body {
        private final long revision;
        private final byte[] json;

        private Body(long revision, byte[] json) {
            this.revision = revision;
            this.json = json;
        }
    }

    private static Map<VmJson.Form, AtomicReferenceArray<@Nullable Body>> places() {
        Map<VmJson.Form, AtomicReferenceArray<@Nullable Body>> places =
                new EnumMap<>(VmJson.Form.class);
        for (VmJson.Form form : VmJson.Form.values()) {
            places.put(form, new AtomicReferenceArray<>(KEPT));
        }
        return places;
    }

    private AtomicReferenceArray<@Nullable Body> places(VmJson.Form form, boolean isTyped) {
        AtomicReferenceArray<@Nullable Body> places = (isTyped ? typed : untyped).get(form);
        if (places == null) {
            throw new IllegalStateException("every form has its places");
        }
        return places;
    }

    /** Kept JSON of this change; null if none is kept. Must not be written to. */
    byte @Nullable [] of(long revision, VmJson.Form form, boolean isTyped) {
        Body body = places(form, isTyped).get((int) (revision % KEPT));
        return body != null && body.revision == revision ? body.json : null;
    }

    /** Keeps an encoded body, unless it is large. */
    void keep(long revision, VmJson.Form form, boolean isTyped, byte[] json) {
        if (json.length <= LARGEST) {
            places(form, isTyped).set((int) (revision % KEPT), new Body(revision, json));
        }
    }
}
