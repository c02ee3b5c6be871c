package org.stillwater.fake.control;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The members of a request body. Unknown members are refused by {@link #done}, so that a misspelt
 * option is an error and not a surprise. One thread.
 */
final class Options {

    private final JsonNode body;
    private final Set<String> asked = new HashSet<>();

    Options(JsonNode body) {
        if (!body.isObject()) {
            throw new IllegalArgumentException("the body must be a JSON object");
        }
        this.body = body;
    }

    @Nullable String text(String name) {
        JsonNode value = node(name);
        if (value == null) {
            return null;
        }
        if (!value.isString()) {
            throw new IllegalArgumentException("'%s' must be a string".formatted(name));
        }
        return value.asString();
    }

    String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? otherwise : text;
    }

    String required(String name) {
        String text = text(name);
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("'%s' is missing".formatted(name));
        }
        return text;
    }

    int number(String name, int otherwise) {
        JsonNode value = node(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isInt()) {
            throw new IllegalArgumentException("'%s' must be an integer".formatted(name));
        }
        return value.asInt();
    }

    boolean flag(String name, boolean otherwise) {
        JsonNode value = node(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isBoolean()) {
            throw new IllegalArgumentException("'%s' must be true or false".formatted(name));
        }
        return value.asBoolean();
    }

    @Nullable UUID uuid(String name) {
        String text = text(name);
        try {
            return text == null ? null : UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'%s' must be a UUID".formatted(name), e);
        }
    }

    /** An IP address and a port, as in {@code 127.0.0.1:7410} or {@code [::1]:7410}. */
    @Nullable InetSocketAddress address(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, colon).replaceAll("^\\[|]$", "");
            return new InetSocketAddress(
                    InetAddress.ofLiteral(host), Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "'%s' must be an IP address and a port, such as 127.0.0.1:7410".formatted(name),
                    e);
        }
    }

    /** Seconds as a number, or an ISO 8601 duration. */
    @Nullable Duration duration(String name) {
        JsonNode value = node(name);
        if (value == null) {
            return null;
        }
        Duration duration;
        try {
            duration =
                    value.isNumber()
                            ? Duration.ofMillis(Math.round(value.asDouble() * 1000))
                            : Duration.parse(value.asString());
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "'%s' must be seconds, or a duration such as \"PT1M30S\"".formatted(name), e);
        }
        if (duration.isNegative()) {
            throw new IllegalArgumentException("'%s' must not be negative".formatted(name));
        }
        return duration;
    }

    Duration duration(String name, Duration otherwise) {
        Duration duration = duration(name);
        return duration == null ? otherwise : duration;
    }

    /**
     * Checks that there is nothing else in the body.
     *
     * @throws IllegalArgumentException if there is
     */
    void done() {
        for (var member : body.properties()) {
            if (!asked.contains(member.getKey())) {
                throw new IllegalArgumentException(
                        "unknown option '%s'%s"
                                .formatted(
                                        member.getKey(),
                                        asked.isEmpty() ? "" : "; one of " + sorted()));
            }
        }
    }

    private Object sorted() {
        return asked.stream().sorted().toList();
    }

    private @Nullable JsonNode node(String name) {
        asked.add(name);
        JsonNode value = body.get(name);
        return value == null || value.isNull() ? null : value;
    }
}
