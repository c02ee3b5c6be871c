package org.stillwater.server.api.web;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.stillwater.core.vm.RuntimeField;

/**
 * Names of runtime fields in JSON: the constant's name in camel case, so that a field added to the
 * table is in every answer at once.
 */
public final class FieldNames {

    private static final Map<RuntimeField, String> NAMES = new EnumMap<>(RuntimeField.class);

    static {
        Arrays.stream(RuntimeField.values())
                .forEach(field -> NAMES.put(field, camelCase(field.name())));
    }

    private FieldNames() {}

    public static String of(RuntimeField field) {
        return NAMES.getOrDefault(field, field.name());
    }

    private static String camelCase(String constant) {
        StringBuilder name = new StringBuilder();
        for (String word : constant.toLowerCase(Locale.ROOT).split("_")) {
            String first = word.substring(0, 1);
            name.append(name.isEmpty() ? first : first.toUpperCase(Locale.ROOT))
                    .append(word.substring(1));
        }
        return name.toString();
    }
}
