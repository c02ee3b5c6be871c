package org.stillwater.command.host;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.stillwater.command.CommandContext;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.write.BatchWriter.CommitAction;

/** Sets down the VMs that ran on a fenced host. Used by the deciding thread only. */
final class FencedVms {

    private final CommandEngine engine;
    private final CommandContext context;
    private final Consumer<FenceAttempt> durable;

    /**
     * For the VMs of one engine's hosts.
     *
     * @param durable called for each VM of an attempt that is durably down
     */
    FencedVms(CommandEngine engine, Consumer<FenceAttempt> durable) {
        this.engine = engine;
        this.context = engine.context();
        this.durable = durable;
    }

    /** Which run of each VM the host has. */
    Map<VmId, Long> runsOn(HostId host) {
        Map<VmId, Long> runs = new HashMap<>();
        for (VmId vm : context.vmAccess().vmsOn(host)) {
            VmView view = context.fleet().vm(vm);
            if (view != null) {
                runs.put(vm, view.state().placement().run().generation());
            }
        }
        return runs;
    }

    /**
     * Sets the VMs that ran on the host to Down, highest priority first. During a start by lease, a
     * VM keeps its state until that start has ended. Returns whether there is such a VM.
     *
     * @return whether one was left alone
     */
    boolean setDown(FenceAttempt attempt) {
        List<VmId> vms = new ArrayList<>(attempt.runs.keySet());
        vms.sort(
                Comparator.comparingInt((VmId vm) -> engine.definitions().priority(vm))
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()));
        boolean leases = false;
        List<VmId> down = new ArrayList<>();
        for (VmId vm : vms) {
            if (LeaseRestarts.isStarting(context.registry(), vm)) {
                leases = true;
            } else if (context.vmAccess()
                    .setDown(attempt.host(), vm, manager -> isAnotherRun(attempt, vm, manager))) {
                down.add(vm);
            }
        }
        attempt.down += down.size();
        attempt.uncommitted.addAll(down);
        down.forEach(vm -> context.vmAccess().afterCommit(vm, new Committed(attempt, vm)));
        return leases;
    }

    private static boolean isAnotherRun(FenceAttempt attempt, VmId vm, VmManager manager) {
        Long run = attempt.runs.get(vm);
        return run == null || run != manager.state().placement().run().generation();
    }

    /** A VM that is down is durable, or its row is refused, which health names. */
    private final class Committed implements CommitAction {
        private final FenceAttempt attempt;
        private final VmId vm;

        Committed(FenceAttempt attempt, VmId vm) {
            this.attempt = attempt;
            this.vm = vm;
        }

        @Override
        public void run() {
            context.post(() -> {
                attempt.uncommitted.remove(vm);
                durable.accept(attempt);
            });
        }

        @Override
        public void refused() {
            run();
        }
    }
}
