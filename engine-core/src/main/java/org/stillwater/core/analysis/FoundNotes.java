package org.stillwater.core.analysis;

import java.util.LinkedHashSet;
import java.util.Set;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.text.SafeText;

/** Collects differences between a found VM and its definition. Used by one thread. */
final class FoundNotes {

    private final Set<String> missing = new LinkedHashSet<>();
    private final Set<String> changed = new LinkedHashSet<>();

    /** The definition lacks a part without which the VM is not the same. */
    void missing(String clause) {
        missing.add(SafeText.of(clause, FoundDefinition.LONGEST));
    }

    /** The next run has a part otherwise, or not at all. */
    void changed(String clause) {
        changed.add(SafeText.of(clause, FoundDefinition.LONGEST));
    }

    /** The same, if a condition holds; for a clause that costs little where it does not. */
    void changedIf(boolean condition, String clause) {
        if (condition) {
            changed(clause);
        }
    }

    /** Names elements that are not among the known ones. */
    void others(String owner, DomainElement element, Set<String> known) {
        for (DomainElement child : element.children()) {
            if (!known.contains(child.name())) {
                changed(owner + ": " + child.name());
            }
        }
    }

    /** The differences of a definition that follows its host. */
    FoundDefinition result() {
        return FoundDefinition.of(true, missing, changed);
    }
}
