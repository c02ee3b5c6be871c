package org.stillwater.command.pool;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;

/**
 * VMs of stateless pools that users returned and that still run as these users left them. They are
 * powered off; until then no other user gets them. The order is repeated if it is refused or fails.
 * A restart of the engine forgets them. Thread-safe; bounded by the VMs of pools.
 */
final class ReturnedVms {

    private static final Logger LOG = LoggerFactory.getLogger(ReturnedVms.class);

    private final CommandEngine commands;
    private final Map<VmId, Returned> ending = new ConcurrentHashMap<>();

    /**
     * A run that is to end.
     *
     * @param run the generation of the VM's run
     * @param origin origin of the request
     */
    private record Returned(long run, Operation.Origin origin) {}

    ReturnedVms(CommandEngine commands) {
        this.commands = commands;
    }

    /** Ends the present run of a VM that its user returned. */
    void end(VmView vm, Operation.Origin origin) {
        Returned run = new Returned(runOf(vm), origin);
        if (isOf(run, vm)) {
            ending.put(vm.id(), run);
            powerOff(vm.id(), run);
        }
    }

    private void powerOff(VmId vm, Returned run) {
        List<CompletableFuture<Answer>> _ =
                commands.submit(
                        List.of(
                                new OperationRequest(
                                        vm, OperationKind.POWER_OFF, OperationParameters.NONE)),
                        run.origin());
    }

    /** Whether a VM still runs as its last user left it. */
    boolean isEnding(VmId vm) {
        Returned returned = ending.get(vm);
        VmView view = returned == null ? null : commands.context().fleet().vm(vm);
        return returned != null && view != null && isOf(returned, view);
    }

    private static boolean isOf(Returned returned, VmView vm) {
        VmStatus status = vm.state().runtime().status();
        return status != VmStatus.DOWN
                && status != VmStatus.SUSPENDED
                && runOf(vm) == returned.run();
    }

    private static long runOf(VmView vm) {
        return vm.state().placement().run().generation();
    }

    /**
     * Powers off again those that still run.
     *
     * @param isFree whether a VM is still one of a stateless pool, without a user
     */
    void look(Predicate<VmId> isFree) {
        for (Map.Entry<VmId, Returned> each : Map.copyOf(ending).entrySet()) {
            VmId vm = each.getKey();
            if (isEnding(vm) && isFree.test(vm)) {
                LOG.info("vm={} was returned and still runs; it is powered off again", vm);
                powerOff(vm, each.getValue());
            } else {
                boolean _ = ending.remove(vm, each.getValue()); // not one of a later run
            }
        }
    }
}
