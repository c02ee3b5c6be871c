package org.stillwater.core.vm;

/** The rule of an analysis that decided the engine's belief about a VM or host. */
public interface BeliefRule {

    /** Its word in answers and in the database, lower case with underscores. */
    String label();

    /**
     * Number of its scenario in the monitoring specification, section 10 (docs/reference/
     * scenarios.md): 80 is S80. 0 if it has none.
     */
    int scenario();

    /** Text of the rule, one clause. */
    String clause();

    /**
     * A rule of a newer engine, as the database has it.
     *
     * @param label its word
     * @param scenario its scenario, 0 for none
     */
    record Foreign(String label, int scenario) implements BeliefRule {
        @Override
        public String clause() {
            return "a rule of another version of the engine";
        }
    }
}
