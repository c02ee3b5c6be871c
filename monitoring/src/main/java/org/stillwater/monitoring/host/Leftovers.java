package org.stillwater.monitoring.host;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.HostAnswer;
import org.stillwater.core.port.HostConnection;
import org.stillwater.core.port.HostFailure;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * Removes what is left of VMs on one host ({@code VM.destroy}), each once. Used by the host's
 * thread only.
 */
final class Leftovers {

    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private final HostId host;
    private final HostServices services;
    private final Complaints complaints;
    private final Consumer<HostMessage> mailbox;
    private final Set<VmId> destroying = new HashSet<>();
    private final Map<VmId, Long> destroyedAt = new HashMap<>();

    Leftovers(
            HostId host,
            HostServices services,
            Complaints complaints,
            Consumer<HostMessage> mailbox) {
        this.host = host;
        this.services = services;
        this.complaints = complaints;
        this.mailbox = mailbox;
    }

    /** A new connection stands: what was asked on the former one was answered with its loss. */
    void connected() {
        destroying.clear();
    }

    /**
     * Removes what is left of a VM, unless that is done or under way, or the VM came back.
     *
     * @param open the connection; null while there is none, when nothing can be done: the host will
     *     say again that the VM is there
     */
    void destroy(HostMessage.Destroy order, @Nullable HostConnection open) {
        VmId vmId = order.vmId();
        Long done = destroyedAt.get(vmId);
        boolean alreadyDone = done != null && order.fetchedNanos() - done <= 0;
        if (open == null || alreadyDone || !destroying.add(vmId)) {
            return;
        }
        if (isWantedAgain(order)) {
            destroying.remove(vmId);
            LOG.info(
                    "vm={} not destroyed on host={}, it came back since: {}",
                    vmId,
                    host,
                    order.why());
            return;
        }
        LOG.info("vm={} destroying its remains on host={}: {}", vmId, host, order.why());
        services.meters().destroyed();
        open.destroy(vmId, answer -> mailbox.accept(new HostMessage.DestroyAnswered(vmId, answer)));
    }

    /**
     * An order waits until its cause is durable, which takes as long as the database is away. By
     * then the VM may run here again, or be about to arrive: what would be destroyed is the VM.
     */
    private boolean isWantedAgain(HostMessage.Destroy order) {
        VmManager vm = services.registry().find(order.vmId());
        if (vm == null) {
            return false;
        }
        if (vm.hasParked(host) || !vm.tryLock()) {
            // Whoever holds the VM may be about to start it; the host says again what is left.
            return true;
        }
        try {
            VmState known = vm.state();
            boolean runsHere =
                    known.placement().isOn(host) && !known.runtime().status().isNotRunning();
            boolean comesHere =
                    host.equals(known.placement().migratingTo())
                            && known.observedNanos() - order.fetchedNanos() > 0;
            return runsHere || comesHere || vm.isProcessSeenSince(host, order.fetchedNanos());
        } finally {
            vm.unlock();
        }
    }

    void answered(VmId vmId, HostAnswer<VmId> answer) {
        destroying.remove(vmId);
        switch (answer) {
            case HostAnswer.Success<VmId> _ -> destroyedAt.put(vmId, services.clock().nanoTime());
            case HostAnswer.Failed<VmId>(HostFailure failure) ->
                    complaints.about("destroy failed", "vm=" + vmId + ": " + failure.describe());
        }
    }

    /** A poll that was asked for later than a VM was destroyed knows that it was. */
    void polled(long fetchedNanos) {
        if (!destroyedAt.isEmpty()) {
            destroyedAt.values().removeIf(done -> done - fetchedNanos < 0);
        }
    }
}
