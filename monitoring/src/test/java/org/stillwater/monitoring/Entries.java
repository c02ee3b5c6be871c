package org.stillwater.monitoring;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Everything that objects of this project keep in collections, found by walking from one of them:
 * how many entries, by the field that holds the collection. A growing collection is a leak.
 */
final class Entries {

    private static final String OURS = "org.stillwater.";
    private static final String NOT_THE_ENGINE = "org.stillwater.testkit.";

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Object> open = new ArrayDeque<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    private Entries() {}

    /** Entries by field, of everything that can be reached from here, test fakes left out. */
    static Map<String, Integer> reachableFrom(Object root) throws IllegalAccessException {
        Entries walk = new Entries();
        walk.visit(root);
        while (!walk.open.isEmpty()) {
            walk.look(walk.open.remove());
        }
        return walk.counts;
    }

    private void visit(Object object) {
        if (object != null
                && !(object instanceof Enum<?>)
                && !object.getClass().getName().startsWith(NOT_THE_ENGINE)
                && seen.add(object)) {
            open.add(object);
        }
    }

    private void look(Object object) throws IllegalAccessException {
        Class<?> type = object.getClass();
        if (!type.getName().startsWith(OURS)) {
            return;
        }
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    field.setAccessible(true);
                    take(c.getSimpleName() + "." + field.getName(), field.get(object));
                }
            }
        }
    }

    private void take(String name, Object value) {
        switch (value) {
            case null -> {}
            case AtomicReference<?> reference -> take(name, reference.get());
            case Map<?, ?> map -> {
                counts.merge(name, map.size(), Integer::sum);
                map.forEach((key, held) -> {
                    visit(key);
                    nested(name, held);
                });
            }
            case Collection<?> collection -> {
                counts.merge(name, collection.size(), Integer::sum);
                collection.forEach(held -> nested(name, held));
            }
            default -> nested(name, value);
        }
    }

    private void nested(String name, Object value) {
        if (value instanceof Map<?, ?> || value instanceof Collection<?>) {
            if (seen.add(value)) {
                take(name + "[]", value);
            }
        } else if (value instanceof Object[]) {
            for (int i = 0; i < Array.getLength(value); i++) {
                nested(name, Array.get(value, i));
            }
        } else {
            visit(value);
        }
    }
}
