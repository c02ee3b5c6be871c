package org.stillwater.ovirt.resource;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests that change something, and what may be asked for. Thread-safe. */
public interface Writes {

    /** Nothing can be changed. */
    Writes NONE =
            new Writes() {
                @Override
                public @Nullable Answer answer(Request request) {
                    return null;
                }

                @Override
                public List<String> actions(Kind kind) {
                    return List.of();
                }
            };

    /**
     * Answers a request with a method other than GET and HEAD.
     *
     * @return null if it is none of those that are known: then it is refused with 404 or 405
     * @throws Refusal if it is not fulfilled
     */
    @Nullable Answer answer(Request request);

    /** Names of the actions of an entity, which are linked in it. */
    List<String> actions(Kind kind);
}
