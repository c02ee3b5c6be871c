package org.stillwater.core.store;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.vm.VmRun;

/**
 * Definition of a VM at the begin of its run, kept because the VM's definition was changed since.
 * It counts for this run only.
 *
 * @param generation the run, see {@link VmRun#generation}
 * @param memoryMebibytes memory
 * @param guaranteedMemoryMebibytes memory that ballooning may not go below
 * @param sockets CPU sockets
 * @param coresPerSocket cores per socket
 * @param threadsPerCore threads per core
 * @param specification everything else; null for a VM that had none
 */
public record RunDefinition(
        long generation,
        int memoryMebibytes,
        int guaranteedMemoryMebibytes,
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        @Nullable VmSpecification specification) {

    /** Run definition of a VM that begins a run with this definition. */
    public static RunDefinition of(
            long generation, VmStatic vm, @Nullable VmSpecification specification) {
        return new RunDefinition(
                generation,
                vm.memoryMebibytes(),
                vm.guaranteedMemoryMebibytes(),
                vm.sockets(),
                vm.coresPerSocket(),
                vm.threadsPerCore(),
                specification);
    }

    /** A definition with the memory and the CPUs of this run. */
    public VmStatic over(VmStatic stored) {
        return new VmStatic(
                stored.name(),
                stored.origin(),
                stored.highlyAvailable(),
                memoryMebibytes,
                guaranteedMemoryMebibytes,
                sockets,
                coresPerSocket,
                threadsPerCore,
                stored.nics(),
                stored.leased(),
                stored.cluster());
    }

    /** The same of another run. */
    public RunDefinition inRun(long other) {
        return new RunDefinition(
                other,
                memoryMebibytes,
                guaranteedMemoryMebibytes,
                sockets,
                coresPerSocket,
                threadsPerCore,
                specification);
    }
}
