package org.stillwater.ovirt.resource;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;

/**
 * Members of a VM's definition that take effect when a run begins: those of the present run, which
 * stay until its end, or those of the next run. Descriptions, protection, disks and interfaces do
 * not belong to it, also if the specification contains them.
 *
 * @param specification everything but memory and processors; null if that is not known
 */
record EffectiveDefinition(
        int memoryMebibytes,
        int guaranteedMemoryMebibytes,
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        @Nullable VmSpecification specification) {

    /** As it is stored. */
    static EffectiveDefinition stored(Fleet fleet, VmView vm) {
        VmStatic definition = vm.definition();
        return new EffectiveDefinition(
                definition.memoryMebibytes(),
                definition.guaranteedMemoryMebibytes(),
                definition.sockets(),
                definition.coresPerSocket(),
                definition.threadsPerCore(),
                fleet.specification(vm.id()));
    }

    /** As the VM runs; as it is stored if it does not. */
    static EffectiveDefinition running(Fleet fleet, VmView vm) {
        RunDefinition run = fleet.running(vm);
        return run == null ? stored(fleet, vm) : of(run);
    }

    /** The text for a caller. */
    static EffectiveDefinition told(Scope scope, VmView vm) {
        return scope.nextRun() ? stored(scope.fleet(), vm) : running(scope.fleet(), vm);
    }

    /** Whether the VM is another one when it is restarted. */
    static boolean changes(Fleet fleet, VmView vm) {
        RunDefinition run = fleet.running(vm);
        return run != null && !of(run).bare().equals(stored(fleet, vm).bare());
    }

    private static EffectiveDefinition of(RunDefinition run) {
        return new EffectiveDefinition(
                run.memoryMebibytes(),
                run.guaranteedMemoryMebibytes(),
                run.sockets(),
                run.coresPerSocket(),
                run.threadsPerCore(),
                run.specification());
    }

    /** The same without members that take effect at once. */
    private EffectiveDefinition bare() {
        return new EffectiveDefinition(
                memoryMebibytes,
                guaranteedMemoryMebibytes,
                sockets,
                coresPerSocket,
                threadsPerCore,
                specification == null
                        ? null
                        : specification
                                .withDevices(List.of(), null, List.of())
                                .withWords(null, null)
                                .withTraits(bare(specification.traits()))
                                .withFound(null));
    }

    /** Only the share of the processors is fixed at the begin of a process. */
    private static VmTraits bare(VmTraits traits) {
        return new VmTraits(
                VmTraits.USUAL.guestSystem(),
                VmTraits.USUAL.workload(),
                traits.cpuShares(),
                VmTraits.USUAL.deleteProtected());
    }

    /** Virtual CPUs. */
    int cpus() {
        return sockets * coresPerSocket * threadsPerCore;
    }
}
