package org.stillwater.ovirt.resource;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Links that the answer replaces by their entities (chapter 2.6): a tree of names, without
 * underscores and in lower case. Immutable once parsed.
 */
final class Follow {

    static final Follow NOTHING = new Follow();

    private final Map<String, Follow> steps = new LinkedHashMap<>();

    private Follow() {}

    /**
     * Parses {@code a,b.c}.
     *
     * @throws Refusal if it is too much
     */
    static Follow parse(String text, Limits limits) {
        Follow root = new Follow();
        int nodes = 0;
        for (String path : text.split(",", -1)) {
            if (path.isBlank()) {
                continue;
            }
            String[] names = path.strip().split("\\.", -1);
            if (names.length > limits.deepestFollow()) {
                throw Refusal.invalid(
                        "A path of follow may have %d steps, not %d."
                                .formatted(limits.deepestFollow(), names.length));
            }
            Follow at = root;
            for (String name : names) {
                String plain = plain(name);
                if (!at.steps.containsKey(plain) && ++nodes > limits.mostFollowed()) {
                    throw Refusal.invalid(
                            "follow may have %d steps in all.".formatted(limits.mostFollowed()));
                }
                at = at.steps.computeIfAbsent(plain, _ -> new Follow());
            }
        }
        return root;
    }

    /** Adds a step, as the old parameter {@code detail} does. */
    void add(String name) {
        steps.computeIfAbsent(plain(name), _ -> new Follow());
    }

    static String plain(String name) {
        return name.strip().replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** Steps after a step; null if the step is not taken. */
    @Nullable Follow at(String plain) {
        return steps.get(plain);
    }

    boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Steps from here. */
    Map<String, Follow> steps() {
        return steps;
    }
}
