package org.stillwater.monitoring.history.durable;

/** Source of samples: the values in memory of every VM and host. Thread-safe. */
public interface HistorySource {

    /** About how many VMs there are; for room ahead. */
    int vmCount();

    /** Shows the numbers of every VM. */
    void vms(Visitor visitor);

    /** Shows the numbers of every host. */
    void hosts(Visitor visitor);

    /** Visits each subject. */
    @FunctionalInterface
    interface Visitor {

        /**
         * Visits one subject.
         *
         * @param idUpper upper 64 bits of its identity
         * @param idLower lower 64 bits of its identity
         * @param observedMillis time of the values, ms since the epoch; 0 for never
         * @param values its values by metric, NaN for unknown; the array is reused for the next
         *     subject
         */
        void look(long idUpper, long idLower, long observedMillis, double[] values);
    }
}
