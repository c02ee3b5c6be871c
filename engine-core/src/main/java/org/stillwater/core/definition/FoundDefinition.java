package org.stillwater.core.definition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.stillwater.core.text.SafeText;

/**
 * Differences between a definition that the engine read from a host and the VM that ran there. Each
 * is one clause for people.
 *
 * @param followed whether the definition is read again when the host reports other devices; false
 *     from the first change by a user on
 * @param missing parts that the definition lacks: with any of them, no run begins
 * @param changed parts that the next run has otherwise, or not at all, and that its data and
 *     connections do not depend on
 */
public record FoundDefinition(boolean followed, List<String> missing, List<String> changed) {

    /** Most clauses of each kind; the last one tells how many more there are. */
    public static final int MOST = 64;

    /** Longest clause, in characters. */
    public static final int LONGEST = 300;

    public FoundDefinition {
        missing = cleaned(missing);
        changed = cleaned(changed);
    }

    private static List<String> cleaned(List<String> clauses) {
        if (clauses.size() > MOST) {
            throw new IllegalArgumentException(
                    "a definition differs from a found VM in at most " + MOST + " named parts");
        }
        return clauses.stream().map(clause -> SafeText.of(clause, LONGEST)).toList();
    }

    /** Differences of any number, of which the first ones are named. */
    public static FoundDefinition of(
            boolean followed, Collection<String> missing, Collection<String> changed) {
        return new FoundDefinition(followed, bounded(missing), bounded(changed));
    }

    /** The same with more differences. */
    public FoundDefinition with(List<String> moreMissing, List<String> moreChanged) {
        return of(followed, joined(missing, moreMissing), joined(changed, moreChanged));
    }

    private static List<String> joined(List<String> some, List<String> more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private static List<String> bounded(Collection<String> clauses) {
        int more = clauses.size() - MOST + 1;
        List<String> named = new ArrayList<>(clauses.stream().limit(MOST).toList());
        if (more > 1) {
            named.set(MOST - 1, "and %d more".formatted(more));
        }
        return named;
    }
}
