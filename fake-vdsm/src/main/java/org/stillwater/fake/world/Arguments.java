package org.stillwater.fake.world;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The arguments of a call, by name or by position. A missing one is −32603, as on a host (§2.3).
 */
final class Arguments {

    private final JsonNode params;
    private final List<String> names;

    Arguments(JsonNode params, List<String> names) {
        this.params = params;
        this.names = names;
        if (params.isArray() && params.size() > names.size()) {
            throw VerbError.internal("takes at most %d arguments".formatted(names.size()));
        }
    }

    @Nullable JsonNode optional(String name) {
        JsonNode value = params.isArray() ? params.get(names.indexOf(name)) : params.get(name);
        return value == null || value.isNull() ? null : value;
    }

    JsonNode required(String name) {
        JsonNode value = optional(name);
        if (value == null) {
            throw VerbError.internal("missing required argument '%s'".formatted(name));
        }
        return value;
    }

    String text(String name) {
        return required(name).asString();
    }

    List<String> texts(String name) {
        JsonNode value = required(name);
        if (!value.isArray()) {
            throw VerbError.internal("'%s' is not a list".formatted(name));
        }
        List<String> texts = new ArrayList<>(value.size());
        for (JsonNode entry : value) {
            texts.add(entry.asString());
        }
        return texts;
    }

    boolean flag(String name, boolean otherwise) {
        JsonNode value = optional(name);
        return value == null ? otherwise : value.asBoolean(otherwise);
    }

    /** A number, which engines send as text at times (§3.1). */
    long number(String name, long otherwise) {
        JsonNode value = optional(name);
        return value == null ? otherwise : value.asLong(otherwise);
    }
}
