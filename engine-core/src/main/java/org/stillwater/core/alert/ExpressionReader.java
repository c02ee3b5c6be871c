package org.stillwater.core.alert;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.stillwater.core.history.HistoryMetric;

/**
 * Reads one expression from left to right. A refusal names the position of the mistake and the
 * tokens allowed there. Not thread-safe.
 */
final class ExpressionReader {

    private static final int MOST_SHOWN = 40;
    private static final String SIGNS = "<>=!~";

    /** Decimal numbers only: Java also reads suffixes and hexadecimal ones. */
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?");

    private static final Pattern NOT_FINITE = Pattern.compile("(?i)[+-]?(?:nan|inf|infinity)");

    private final String text;
    private final Map<String, HistoryMetric> metrics;
    private final List<String> levels;
    private int at;

    ExpressionReader(String text, Map<String, HistoryMetric> metrics, List<String> levels) {
        this.text = text;
        this.metrics = metrics;
        this.levels = levels;
    }

    AlertCondition read() {
        skipBlanks();
        int start = at;
        String name = name();
        if (name.isEmpty()) {
            throw refused(
                    start,
                    found()
                            + " begins no condition; METRIC > NUMBER, absent(METRIC) and"
                            + " regression(KIND) >= PERCENT are conditions");
        }
        AlertCondition condition = peek() == '(' ? function(start, name) : threshold(start, name);
        skipBlanks();
        if (at < text.length()) {
            throw refused(at, found() + " is too much; an expression has one condition");
        }
        return condition;
    }

    private AlertCondition function(int start, String name) {
        if (!name.equals("absent") && !name.equals("regression")) {
            throw refused(start, quoted(name) + " is no function; absent and regression are");
        }
        at++;
        skipBlanks();
        int inside = at;
        String argument = name();
        if (name.equals("absent")) {
            HistoryMetric metric = metric(inside, argument);
            closeBracket();
            return new AlertCondition.Absence(metric);
        }
        String level = level(inside, argument);
        closeBracket();
        return regression(level);
    }

    private void closeBracket() {
        skipBlanks();
        if (peek() != ')') {
            throw refused(at, "a closing bracket is missing before " + found());
        }
        at++;
    }

    private AlertCondition regression(String level) {
        skipBlanks();
        if (at == text.length()) {
            return new AlertCondition.ChangePoint(level, 0);
        }
        int start = at;
        String sign = takeWhile(each -> SIGNS.indexOf(each) >= 0);
        if (!sign.equals(">=")) {
            throw refused(
                    start,
                    (sign.isEmpty() ? found() : quoted(sign))
                            + " does not compare a regression; only >= does");
        }
        skipBlanks();
        int number = at;
        double percent = number();
        if (percent < 0) {
            throw refused(number, "a regression has no negative size");
        }
        return new AlertCondition.ChangePoint(level, percent);
    }

    private AlertCondition threshold(int from, String name) {
        SeriesMeasure measure = SeriesMeasure.byName().get(name);
        if (measure != null) {
            return compared((sign, limit) -> new AlertCondition.Measured(measure, sign, limit));
        }
        HistoryMetric metric = metric(from, name);
        return compared((sign, limit) -> new AlertCondition.Threshold(metric, sign, limit));
    }

    @FunctionalInterface
    private interface Compared {
        AlertCondition with(AlertCondition.Comparison sign, double limit);
    }

    private AlertCondition compared(Compared condition) {
        skipBlanks();
        int start = at;
        if (peek() == '{' || peek() == '[') {
            throw refused(
                    start,
                    found() + " selects neither labels nor a time here; scope has the objects");
        }
        String sign = takeWhile(each -> SIGNS.indexOf(each) >= 0);
        for (AlertCondition.Comparison each : AlertCondition.Comparison.values()) {
            if (each.sign().equals(sign)) {
                skipBlanks();
                return condition.with(each, number());
            }
        }
        throw refused(
                start,
                (sign.isEmpty() ? found() : quoted(sign))
                        + " is no comparison; "
                        + Arrays.stream(AlertCondition.Comparison.values())
                                .map(AlertCondition.Comparison::sign)
                                .collect(Collectors.joining(", "))
                        + " are");
    }

    private HistoryMetric metric(int start, String name) {
        HistoryMetric metric = metrics.get(name);
        if (metric == null) {
            if (SeriesMeasure.byName().containsKey(name)) {
                throw refused(
                        start,
                        quoted(name)
                                + " has no value whenever its object has no load; absent takes a"
                                + " metric of history");
            }
            List<String> known = new ArrayList<>(metrics.keySet());
            known.addAll(SeriesMeasure.names());
            throw refused(
                    start, "there is no metric " + quoted(name) + NameSuggestion.hint(name, known));
        }
        return metric;
    }

    private String level(int start, String name) {
        if (!levels.contains(name)) {
            String hint = NameSuggestion.hint(name, levels);
            throw refused(
                    start,
                    "there is no kind of object "
                            + quoted(name)
                            + (hint.isEmpty()
                                    ? "; the kinds are " + String.join(", ", levels)
                                    : hint));
        }
        return name;
    }

    private double number() {
        int start = at;
        String word = takeWhile(each -> !Character.isWhitespace(each));
        if (word.isEmpty()) {
            throw refused(start, "a number is missing");
        }
        boolean isNumber = NUMBER.matcher(word).matches();
        double value = isNumber ? Double.parseDouble(word) : Double.NaN;
        if (!Double.isFinite(value)) {
            throw refused(
                    start,
                    quoted(word)
                            + (isNumber || NOT_FINITE.matcher(word).matches()
                                    ? " is no finite number"
                                    : " is no number"));
        }
        return value;
    }

    private String name() {
        return takeWhile(each ->
                (each >= 'a' && each <= 'z')
                        || (each >= 'A' && each <= 'Z')
                        || (each >= '0' && each <= '9')
                        || each == '.'
                        || each == '-'
                        || each == '_');
    }

    private String takeWhile(IntPredicate belongs) {
        int start = at;
        while (at < text.length() && belongs.test(text.charAt(at))) {
            at++;
        }
        return text.substring(start, at);
    }

    private void skipBlanks() {
        String _ = takeWhile(Character::isWhitespace);
    }

    /** The next character; 0 at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    /** The next token, for a message. */
    private String found() {
        return at < text.length() ? quoted(text.substring(at).strip()) : "the end";
    }

    private static String quoted(String word) {
        return '"'
                + (word.length() > MOST_SHOWN ? word.substring(0, MOST_SHOWN) + "…" : word)
                + '"';
    }

    private static IllegalArgumentException refused(int position, String why) {
        return new IllegalArgumentException("expr, character " + (position + 1) + ": " + why);
    }
}
