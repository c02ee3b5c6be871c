package org.stillwater.benchmarks.scale;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measurements of one run of {@code bench stable}. "Per VM and cycle" divides by VMs × measured
 * cycles; milliseconds are CPU time, mebibytes are 1 048 576 bytes.
 *
 * @param cpuMillisPerVmCycle the engine's whole process
 * @param cpuByCycle the same of single cycles
 * @param gcCpuMillisPerVmCycle the engine's garbage collector threads and VM thread, part of the
 *     above
 * @param jitCpuMillisPerVmCycle the engine's living compiler threads, part of the above
 * @param databaseCpuMillisPerVmCycle all processes of PostgreSQL
 * @param sqlPerStableCycle statements that the engine sent, by stage
 * @param rowsPerStableCycle rows that the engine wrote, by stage
 * @param heapLiveMiB the engine's heap after a full collection, at the end
 * @param rssMiB the engine's resident memory, at the end
 * @param receivedBytesPerVmCycle answers to {@code getAllVmStats}, after TLS
 * @param allocatedBytesPerVmCycle by all threads of the engine
 * @param eventToMemory from the simulator's stamp to the engine's answer from memory
 * @param eventToSubscriber from the simulator's stamp to the arrival at a subscriber of the stream
 * @param eventToCommitted from the simulator's stamp to PostgreSQL's stamp of the commit
 * @param eventsSent status changes made for the latencies
 * @param relayed whether relays pushed the numbers of VMs
 * @param startSeconds from the start of the engine's process, on an empty database, until it knew
 *     every VM and was ready; NaN if it was not measured
 * @param walMiB write-ahead log of PostgreSQL in the measured cycles, of all statements; NaN if it
 *     was not read
 */
public record Figures(
        double cpuMillisPerVmCycle,
        Spread cpuByCycle,
        double gcCpuMillisPerVmCycle,
        double jitCpuMillisPerVmCycle,
        double databaseCpuMillisPerVmCycle,
        ByStage sqlPerStableCycle,
        ByStage rowsPerStableCycle,
        double heapLiveMiB,
        double rssMiB,
        double receivedBytesPerVmCycle,
        double allocatedBytesPerVmCycle,
        Distribution eventToMemory,
        Distribution eventToSubscriber,
        Distribution eventToCommitted,
        int eventsSent,
        boolean relayed,
        double startSeconds,
        double walMiB) {

    /** Figures of a fleet without relays, with neither its start nor its write-ahead log. */
    public Figures(
            double cpuMillisPerVmCycle,
            Spread cpuByCycle,
            double gcCpuMillisPerVmCycle,
            double jitCpuMillisPerVmCycle,
            double databaseCpuMillisPerVmCycle,
            ByStage sqlPerStableCycle,
            ByStage rowsPerStableCycle,
            double heapLiveMiB,
            double rssMiB,
            double receivedBytesPerVmCycle,
            double allocatedBytesPerVmCycle,
            Distribution eventToMemory,
            Distribution eventToSubscriber,
            Distribution eventToCommitted,
            int eventsSent) {
        this(
                cpuMillisPerVmCycle,
                cpuByCycle,
                gcCpuMillisPerVmCycle,
                jitCpuMillisPerVmCycle,
                databaseCpuMillisPerVmCycle,
                sqlPerStableCycle,
                rowsPerStableCycle,
                heapLiveMiB,
                rssMiB,
                receivedBytesPerVmCycle,
                allocatedBytesPerVmCycle,
                eventToMemory,
                eventToSubscriber,
                eventToCommitted,
                eventsSent,
                false,
                Double.NaN,
                Double.NaN);
    }

    /** The numbers by the names they have in the JSON object, latencies left out. */
    Map<String, Double> numbers() {
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("cpuMillisPerVmCycle", cpuMillisPerVmCycle);
        numbers.put("gcCpuMillisPerVmCycle", gcCpuMillisPerVmCycle);
        numbers.put("jitCpuMillisPerVmCycle", jitCpuMillisPerVmCycle);
        numbers.put("databaseCpuMillisPerVmCycle", databaseCpuMillisPerVmCycle);
        sqlPerStableCycle.put(numbers, "Sql", "sqlPerStableCycle");
        rowsPerStableCycle.put(numbers, "Rows", "rowsPerStableCycle");
        numbers.put("heapLiveMiB", heapLiveMiB);
        numbers.put("rssMiB", rssMiB);
        numbers.put("receivedBytesPerVmCycle", receivedBytesPerVmCycle);
        numbers.put("allocatedBytesPerVmCycle", allocatedBytesPerVmCycle);
        if (!Double.isNaN(walMiB)) {
            numbers.put("walMiB", walMiB);
        }
        if (relayed) {
            numbers.put("engineCpuMillisPerVmInterval", cpuMillisPerVmCycle);
        }
        if (!Double.isNaN(startSeconds)) {
            numbers.put("startToServingSeconds", startSeconds);
        }
        return numbers;
    }

    /** The latencies by the names they have in the JSON object. */
    Map<String, Distribution> latencies() {
        Map<String, Distribution> latencies = new LinkedHashMap<>();
        latencies.put("eventToMemoryMillis", eventToMemory);
        latencies.put("eventToSubscriberMillis", eventToSubscriber);
        latencies.put("eventToCommittedMillis", eventToCommitted);
        return latencies;
    }

    /**
     * Counts of a cycle by their purpose. Health checks are in none of them: they come from the
     * reader of the engine.
     *
     * @param monitoring all that follows from reports of hosts, and every stage not named below
     * @param history the durable history of every minute
     * @param warehouse the dump of the newest values for a data warehouse
     * @param other findings of regressions, which compare minutes and not reports, and audit events
     */
    public record ByStage(double monitoring, double history, double warehouse, double other) {

        /** Counts between two readings, per cycle. */
        ByStage since(ByStage before, int cycles) {
            return new ByStage(
                    (monitoring - before.monitoring) / cycles,
                    (history - before.history) / cycles,
                    (warehouse - before.warehouse) / cycles,
                    (other - before.other) / cycles);
        }

        double total() {
            return monitoring + history + warehouse + other;
        }

        private void put(Map<String, Double> numbers, String what, String total) {
            numbers.put(total, total());
            numbers.put("monitoring" + what + "PerStableCycle", monitoring);
            numbers.put("history" + what + "PerStableCycle", history);
            numbers.put("warehouse" + what + "PerStableCycle", warehouse);
            numbers.put("other" + what + "PerStableCycle", other);
        }
    }

    /** Smallest, middle and largest of several measurements. */
    public record Spread(double min, double median, double max) {

        static Spread of(double[] values) {
            double[] sorted = values.clone();
            java.util.Arrays.sort(sorted);
            return sorted.length == 0
                    ? new Spread(Double.NaN, Double.NaN, Double.NaN)
                    : new Spread(sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1]);
        }
    }
}
