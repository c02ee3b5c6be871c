package org.stillwater.benchmarks.replay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares two lists of decisions, subject by subject and in their order. Times do not count: two
 * recordings of one history have different ones.
 */
final class DecisionDifferences {

    /** Decisions of one subject that are compared by the longest common part; more in blocks. */
    private static final int BLOCK = 2_000;

    private DecisionDifferences() {}

    /**
     * The differences, as lines.
     *
     * @return {@code + } before decisions that only {@code now} has, {@code - } before those that
     *     only {@code before} has; empty if both are alike
     */
    static List<String> between(List<ReplayedDecision> before, List<ReplayedDecision> now) {
        Map<String, List<ReplayedDecision>> old = bySubject(before);
        Map<String, List<ReplayedDecision>> young = bySubject(now);
        Set<String> subjects = new TreeSet<>(old.keySet());
        subjects.addAll(young.keySet());
        List<String> lines = new ArrayList<>();
        for (String subject : subjects) {
            List<ReplayedDecision> left = old.getOrDefault(subject, List.of());
            List<ReplayedDecision> right = young.getOrDefault(subject, List.of());
            int length = Math.max(left.size(), right.size());
            for (int from = 0; from < length; from += BLOCK) {
                compare(part(left, from), part(right, from), lines);
            }
        }
        return lines;
    }

    private static Map<String, List<ReplayedDecision>> bySubject(List<ReplayedDecision> all) {
        Map<String, List<ReplayedDecision>> bySubject = new LinkedHashMap<>();
        for (ReplayedDecision decision : all) {
            bySubject.computeIfAbsent(decision.subject(), _ -> new ArrayList<>()).add(decision);
        }
        return bySubject;
    }

    private static List<ReplayedDecision> part(List<ReplayedDecision> all, int from) {
        return all.subList(Math.min(from, all.size()), Math.min(from + BLOCK, all.size()));
    }

    /** Longest common subsequence, by the table of its lengths from each pair of positions. */
    private static void compare(
            List<ReplayedDecision> left, List<ReplayedDecision> right, List<String> lines) {
        int[][] common = new int[left.size() + 1][right.size() + 1];
        for (int i = left.size() - 1; i >= 0; i--) {
            for (int j = right.size() - 1; j >= 0; j--) {
                common[i][j] =
                        isSame(left.get(i), right.get(j))
                                ? common[i + 1][j + 1] + 1
                                : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        int i = 0;
        int j = 0;
        while (i < left.size() || j < right.size()) {
            if (i < left.size() && j < right.size() && isSame(left.get(i), right.get(j))) {
                i++;
                j++;
            } else if (j == right.size()
                    || (i < left.size() && common[i + 1][j] >= common[i][j + 1])) {
                lines.add("- " + left.get(i++).line());
            } else {
                lines.add("+ " + right.get(j++).line());
            }
        }
    }

    private static boolean isSame(ReplayedDecision left, ReplayedDecision right) {
        return left.text().equals(right.text());
    }
}
