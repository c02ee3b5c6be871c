package org.stillwater.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The commands or options that a mistyped word is nearest to. picocli compares by pairs of letters,
 * by which {@code lst} is as near to {@code stop} as to {@code list}. Stateless.
 */
final class Suggestion {

    /** Letters to change in a short word, and in a longer one. */
    private static final int CHANGES_OF_SHORT = 2;

    private static final int CHANGES = 3;
    private static final int SHORT = 5;

    private Suggestion() {}

    /** Such as {@code Did you mean ./stillwater vms list?}; empty without a near word. */
    static String of(UnmatchedArgumentException wrong) {
        List<String> words = wrong.getUnmatched();
        if (words.isEmpty()) {
            return "";
        }
        CommandLine line = wrong.getCommandLine();
        String word = words.getFirst();
        if (word.startsWith("-")) {
            String option = word.replaceFirst("=.*", "");
            List<String> near = nearest(option, options(line));
            return near.isEmpty() ? "" : "Did you mean " + String.join(" or ", near) + "?";
        }
        List<String> near = nearest(word, line.getSubcommands().keySet());
        String command = "./" + line.getCommandSpec().qualifiedName() + " ";
        return near.isEmpty()
                ? ""
                : near.stream()
                        .map(each -> command + each)
                        .collect(Collectors.joining(" or ", "Did you mean ", "?"));
    }

    private static Collection<String> options(CommandLine line) {
        Collection<String> names = new TreeSet<>();
        for (OptionSpec option : line.getCommandSpec().options()) {
            names.addAll(List.of(option.names()));
        }
        names.removeIf(name -> !name.startsWith("--"));
        return names;
    }

    /** The candidates with the fewest letters to change, if those are few. */
    static List<String> nearest(String word, Collection<String> candidates) {
        List<String> nearest = new ArrayList<>();
        int least = Integer.MAX_VALUE;
        for (String each : candidates) {
            int apart = distance(word, each);
            if (apart <= (each.length() > SHORT ? CHANGES : CHANGES_OF_SHORT) && apart <= least) {
                if (apart < least) {
                    nearest.clear();
                }
                least = apart;
                nearest.add(each);
            }
        }
        return nearest;
    }

    /** Levenshtein's distance. */
    private static int distance(String one, String other) {
        int[] previous = new int[other.length() + 1];
        for (int j = 0; j < previous.length; j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] present = new int[previous.length];
            present[0] = i;
            for (int j = 1; j < present.length; j++) {
                int changed = previous[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                present[j] = Math.min(changed, Math.min(previous[j], present[j - 1]) + 1);
            }
            previous = present;
        }
        return previous[other.length()];
    }
}
