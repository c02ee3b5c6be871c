package org.stillwater.core.definition;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A virtual NUMA node in the definition of a VM.
 *
 * @param cpus its virtual CPUs, each once, sorted; those of no node belong to the first
 * @param memoryMebibytes its part of the VM's memory, at least 1
 * @param hostNodes the host's nodes that hold it, each once, sorted; empty for any
 * @param mode how strictly
 */
public record VmNumaPlan(
        List<Integer> cpus, int memoryMebibytes, List<Integer> hostNodes, Mode mode) {

    private static final int MOST = 4_096;

    public VmNumaPlan {
        cpus = numbers("virtual CPUs", cpus);
        hostNodes = numbers("nodes of the host", hostNodes);
        if (memoryMebibytes < 1) {
            throw new IllegalArgumentException(
                    "the memory of a NUMA node is at least 1 MiB, not " + memoryMebibytes);
        }
    }

    private static List<Integer> numbers(String what, List<Integer> numbers) {
        Set<Integer> sorted = new TreeSet<>(numbers);
        if (sorted.size() != numbers.size()
                || numbers.stream().anyMatch(number -> number < 0 || number >= MOST)) {
            throw new IllegalArgumentException(
                    "the " + what + " of a NUMA node are numbers from 0 to 4095, each once");
        }
        return List.copyOf(sorted);
    }

    /** Policy for the case that the host's nodes have no more memory. */
    public enum Mode {
        /** The VM does not get it. */
        STRICT,
        /** Memory is spread over the nodes. */
        INTERLEAVE,
        /** It comes from other nodes. */
        PREFERRED
    }
}
