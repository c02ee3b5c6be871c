package org.stillwater.core.report;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads records by their components, for the declarations of host fields. A mistake in a
 * declaration is an {@link IllegalStateException} when the first class that uses it is loaded.
 */
public final class Components {

    private Components() {}

    /** The component of this name. */
    static RecordComponent named(Class<?> type, String name) {
        return Arrays.stream(type.getRecordComponents())
                .filter(component -> component.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(type + " has no component " + name));
    }

    /** The value of a component. */
    static @Nullable Object valueOf(RecordComponent component, Object holder) {
        try {
            return component.getAccessor().invoke(holder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    /** The canonical constructor. */
    public static <R extends Record> Constructor<R> constructor(Class<R> type) {
        try {
            return type.getConstructor(
                    Arrays.stream(type.getRecordComponents())
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("not a public record: " + type, e);
        }
    }

    /** A record of these values. */
    public static <R extends Record> R create(
            Constructor<R> constructor, @Nullable Object... values) {
        try {
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot create with " + constructor, e);
        }
    }

    /** Value for "not reported" in a component of this type. */
    public static @Nullable Object missing(Class<?> type) {
        if (type == int.class) {
            return -1;
        }
        if (type == List.class) {
            return List.of();
        }
        return type == Map.class ? Map.of() : null;
    }
}
