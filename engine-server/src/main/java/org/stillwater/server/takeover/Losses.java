package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.List;

/** Collects losses. Not thread-safe. */
final class Losses {

    private final List<Loss> all = new ArrayList<>();

    void add(String kind, String name, String text) {
        all.add(new Loss(kind, name, text));
    }

    /** Adds one if a condition holds. */
    void addIf(boolean lost, String kind, String name, String text) {
        if (lost) {
            add(kind, name, text);
        }
    }

    List<Loss> all() {
        return List.copyOf(all);
    }
}
