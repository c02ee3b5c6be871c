package org.stillwater.core.alert;

import java.util.UUID;
import org.stillwater.core.history.HistoryMetric;

/**
 * Subject of an alert, with the name that it had at the time: an alert outlives its object.
 *
 * @param kind of the object
 * @param id of the VM, host or finding; of the rule for many objects at once
 * @param name in words
 */
public record AlertSubject(Kind kind, UUID id, String name) {

    /** Kinds of objects. */
    public enum Kind {
        VM("vm"),
        HOST("host"),
        /** A regression that the engine found. */
        FINDING("finding"),
        /** Many objects of one rule. */
        GROUP("group");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The word of answers and labels. */
        public String label() {
            return label;
        }

        static Kind of(HistoryMetric.Subject subject) {
            return switch (subject) {
                case VM -> VM;
                case HOST -> HOST;
            };
        }
    }
}
