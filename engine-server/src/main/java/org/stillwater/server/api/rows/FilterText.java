package org.stillwater.server.api.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;

/** Reads the texts of query parameters: blanks, numbers, flags, lists by commas, names of enums. */
public final class FilterText {

    private static final int MOST_WORDS = 1_000;

    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");

    private FilterText() {}

    public static <R> Predicate<R> all(List<Predicate<R>> conditions) {
        return switch (conditions.size()) {
            case 0 -> _ -> true;
            case 1 -> conditions.getFirst();
            default -> {
                List<Predicate<R>> fixed = List.copyOf(conditions);
                yield row -> {
                    for (int i = 0; i < fixed.size(); i++) {
                        if (!fixed.get(i).test(row)) {
                            return false;
                        }
                    }
                    return true;
                };
            }
        };
    }

    public static boolean blank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    public static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    public static double number(String parameter, String text) {
        String stripped = text.strip();
        // The JDK's parser also takes 80d, 0x1p4 and NaN.
        if (NUMBER.matcher(stripped).matches()) {
            double number = Double.parseDouble(stripped);
            if (Double.isFinite(number)) {
                return number;
            }
        }
        throw ApiException.badRequest(
                "%s is a number such as 80, not \"%s\"".formatted(parameter, Ids.shortened(text)));
    }

    /** A usage in %, which is never outside of 0 to 100. */
    public static double percent(String parameter, String text) {
        double number = number(parameter, text);
        if (number < 0 || number > 100) {
            throw ApiException.badRequest(
                    "%s is a number from 0 to 100, not \"%s\""
                            .formatted(parameter, Ids.shortened(text)));
        }
        return number;
    }

    public static boolean flag(String parameter, String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "", "false" -> false;
            case "true" -> true;
            default ->
                    throw ApiException.badRequest(
                            "%s is true or false, not \"%s\""
                                    .formatted(parameter, Ids.shortened(text)));
        };
    }

    public static List<String> words(String text) {
        String[] words = text.split(",", MOST_WORDS + 2);
        if (words.length > MOST_WORDS) {
            throw ApiException.badRequest("at most " + MOST_WORDS + " words by commas");
        }
        if (text.indexOf(',') >= 0 && text.replace(",", "").isBlank()) {
            throw ApiException.badRequest("a list by commas has no word: \",\"");
        }
        List<String> all = new ArrayList<>();
        for (String word : words) {
            if (!word.isBlank()) {
                all.add(word.strip());
            }
        }
        return all;
    }

    public static <E> E word(Map<String, E> all, String parameter, String word) {
        E found = all.get(word.toLowerCase(Locale.ROOT));
        if (found == null) {
            throw ApiException.badRequest(
                    "%s \"%s\" is not one of %s"
                            .formatted(
                                    parameter,
                                    Ids.shortened(word),
                                    all.keySet().stream()
                                            .sorted()
                                            .collect(Collectors.joining(", "))));
        }
        return found;
    }
}
