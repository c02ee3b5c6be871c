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

    /** Keeps an object unless our own rules refuse it. */
    void unless(String kind, String name, Runnable keeping) {
        try {
            keeping.run();
        } catch (IllegalArgumentException | ArithmeticException e) {
            add(kind, name, "all of it: " + e.getMessage());
        }
    }

    List<Loss> all() {
        return List.copyOf(all);
    }
}
