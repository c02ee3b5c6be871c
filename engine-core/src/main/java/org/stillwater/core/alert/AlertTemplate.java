package org.stillwater.core.alert;

import java.util.Collection;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Texts of rules that contain values of their alerts, as in Prometheus: {@code {{ $value }}} and
 * {@code {{ $labels.NAME }}}. There are no functions, pipes or conditions. Stateless.
 */
final class AlertTemplate {

    private static final String VALUE = "$value";
    private static final double MOST_WHOLE = 1e15;
    private static final Pattern ACTION = Pattern.compile("\\{\\{(.*?)}}", Pattern.DOTALL);
    private static final Pattern LABEL = Pattern.compile("\\$labels\\.([A-Za-z_][A-Za-z0-9_]*)");

    private AlertTemplate() {}

    /**
     * Refuses a text with another action.
     *
     * @param where the text, for the message
     * @param labels names of labels that it may contain
     * @throws IllegalArgumentException which names the action and the allowed ones
     */
    static void check(String where, String text, Collection<String> labels) {
        Matcher action = ACTION.matcher(text);
        while (action.find()) {
            String inside = action.group(1).strip();
            Matcher label = LABEL.matcher(inside);
            boolean isLabel = label.matches();
            if (isLabel && !labels.contains(label.group(1))) {
                throw new IllegalArgumentException(
                        "%s: there is no label \"%s\"%s; there are %s"
                                .formatted(
                                        where,
                                        label.group(1),
                                        NameSuggestion.hint(label.group(1), labels),
                                        String.join(", ", labels)));
            }
            if (!isLabel && !inside.equals(VALUE)) {
                throw new IllegalArgumentException(
                        where
                                + ": {{ "
                                + (inside.length() > 40 ? inside.substring(0, 40) + "…" : inside)
                                + " }} is not supported; {{ $value }} and {{ $labels.NAME }} are");
            }
        }
        if (action.reset().replaceAll("").contains("{{")) {
            throw new IllegalArgumentException(where + ": }} is missing after {{");
        }
    }

    /** The text with its values; other actions stay unchanged. */
    static String filled(String text, Map<String, String> labels, double value) {
        return text.contains("{{")
                ? ACTION.matcher(text)
                        .replaceAll(action -> Matcher.quoteReplacement(one(action, labels, value)))
                : text;
    }

    private static String one(MatchResult action, Map<String, String> labels, double value) {
        String inside = action.group(1).strip();
        if (inside.equals(VALUE)) {
            return number(value);
        }
        Matcher label = LABEL.matcher(inside);
        return label.matches()
                ? labels.getOrDefault(label.group(1), action.group())
                : action.group();
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return "none";
        }
        return Math.rint(value) == value && Math.abs(value) < MOST_WHOLE
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
