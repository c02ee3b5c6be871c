package org.stillwater.monitoring.host;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * Removes orphaned processes and records of VMs from one host ({@code VM.destroy}), each once. Used
 * by the host's thread only, except {@link #found}, {@link #foundArriving}, {@link #mayRun}, {@link
 * #holds}, {@link #nothingRuns} and the removals that commands order.
 *
 * <p>It removes an orphan after the finding is durable. A command may want the VM on this host
 * before that; so the finding is noted at once, under the VM's lock, and a command {@link #clear
 * clears} it before it asks the host for the VM.
 */
public final class OrphanedVmCleaner {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanedVmCleaner.class);

    /** The host has not answered a command's order yet. */
    private static final long UNANSWERED = Long.MAX_VALUE;

    /** Calls that may be under way at once; the connection takes more, but not for these alone. */
    private static final int MOST_CALLS = 64;

    private final HostId host;
    private final HostServices services;
    private final ThrottledLog warnings;
    private final HostLog log;
    private final int limit;
    private final Mailbox mailbox;
    private final Map<VmId, CompletableFuture<HostAnswer<VmId>>> destroying = new HashMap<>();

    /**
     * Orders that wait for a call to end; the host's next report repeats those beyond the limit.
     */
    private final SequencedMap<VmId, HostMessage.Destroy> waiting = new LinkedHashMap<>();

    private final Map<VmId, Long> destroyedAt = new HashMap<>();

    /** VMs that a command ordered to remove, with the time of the host's answer. By any thread. */
    private final Map<VmId, Long> ordered = new ConcurrentHashMap<>();

    /** Remains that are to be removed and not known to be gone. By any thread. */
    private final Map<VmId, Found> remains = new ConcurrentHashMap<>();

    OrphanedVmCleaner(MonitoredHost host) {
        this.host = host.id();
        this.services = host.services();
        this.warnings = host.logs().warnings();
        this.log = host.logs().lines();
        this.limit = services.settings().unknownLimit();
        this.mailbox = host.mailbox();
    }

    /** A new connection stands: calls on the former one were answered by its loss. */
    void connected() {
        destroying.clear();
        waiting.clear();
    }

    /**
     * A VM's remains on this host are to be removed. Any thread, under the VM's lock.
     *
     * @param nanos when the report that contains it was requested
     */
    public void found(VmId vmId, long nanos) {
        remains.merge(vmId, new Found(nanos, false), Found::and);
    }

    /**
     * A VM was migrating to this host when its host was switched off. Its process must be removed;
     * until then the VM may run here. Any thread, under the VM's lock.
     *
     * @param nanos time at which its host was off
     */
    public void foundArriving(VmId vmId, long nanos) {
        remains.merge(vmId, new Found(nanos, true), Found::and);
    }

    /** Whether a VM may run here though it is shown as down. Any thread. */
    public boolean mayRun(VmId vmId) {
        Found found = remains.get(vmId);
        return found != null && found.mayRun();
    }

    /** The host was switched off, or has booted: no process is left here. Any thread. */
    public void nothingRuns() {
        remains.replaceAll((_, found) -> new Found(found.nanos(), false));
    }

    /**
     * A command orders the host to remove a VM. The host reports the end of its process, before or
     * after its answer, and keeps no remains. Any thread.
     */
    public void removalOrdered(VmId vmId) {
        ordered.put(vmId, UNANSWERED);
    }

    /**
     * The host answered that order. Any thread.
     *
     * @param removed whether it removed the VM, or has none
     */
    public void removalAnswered(VmId vmId, boolean removed) {
        if (removed) {
            ordered.put(vmId, services.clock().nanoTime());
            remains.remove(vmId);
        } else {
            ordered.remove(vmId);
        }
    }

    /**
     * Whether a command orders the removal of the same VM, or had ordered it before the host's
     * report.
     */
    private boolean isRemovedByCommand(HostMessage.Destroy order) {
        Long answered = ordered.get(order.vmId());
        if (answered == null) {
            return false;
        }
        if (answered == UNANSWERED) {
            return true;
        }
        if (order.polled() && order.fetchedNanos() - answered > 0) {
            return false;
        }
        remains.remove(order.vmId());
        return true;
    }

    /** Whether something is left of a VM here, as far as known. Any thread. */
    public boolean holds(VmId vmId) {
        return remains.containsKey(vmId);
    }

    /**
     * Removes the remains of a VM because the VM is wanted here, and answers once the host did.
     *
     * @param open the connection; null while there is none
     */
    void clear(HostMessage.Clear order, @Nullable HostConnection open) {
        VmId vmId = order.vmId();
        Found found = remains.get(vmId);
        VmManager vm = services.registry().find(vmId);
        if (found == null || vm == null || isAlive(vm, found.nanos())) {
            remains.remove(vmId);
            order.answer().complete(new HostAnswer.Success<>(vmId));
            return;
        }
        CompletableFuture<HostAnswer<VmId>> underway = destroying.get(vmId);
        if (underway == null) {
            if (open == null) {
                order.discard();
                return;
            }
            underway = ask(vmId, "it is wanted here again", open);
        }
        CompletableFuture<Void> _ = underway.thenAccept(order.answer()::complete);
    }

    private boolean isAlive(VmManager vm, long sinceNanos) {
        vm.lock();
        try {
            return isHereSince(vm, sinceNanos);
        } finally {
            vm.unlock();
        }
    }

    /**
     * Removes the remains of a VM, unless that is done or under way, or the VM came back.
     *
     * @param open the connection; null while there is none, when no removal is possible: the host's
     *     next report repeats the VM
     */
    void destroy(HostMessage.Destroy order, @Nullable HostConnection open) {
        VmId vmId = order.vmId();
        Long done = destroyedAt.get(vmId);
        boolean alreadyDone = done != null && order.fetchedNanos() - done <= 0;
        if (open == null
                || open.isReadOnly() // left to the engine that commands the host
                || alreadyDone
                || destroying.containsKey(vmId)
                || isRemovedByCommand(order)) {
            return;
        }
        if (destroying.size() >= MOST_CALLS) {
            if (waiting.size() < limit || waiting.containsKey(vmId)) {
                waiting.put(vmId, order);
            }
            return;
        }
        if (isWantedAgain(order)) {
            log.info(
                    LOG,
                    "vm={} not destroyed on host={}, it came back since: {}",
                    vmId,
                    host,
                    order.why());
            return;
        }
        CompletableFuture<HostAnswer<VmId>> _ = ask(vmId, order.why(), open);
    }

    private CompletableFuture<HostAnswer<VmId>> ask(VmId vmId, String why, HostConnection open) {
        log.info(LOG, "vm={} destroying its remains on host={}: {}", vmId, host, why);
        services.meters().destroyed();
        CompletableFuture<HostAnswer<VmId>> answered = new CompletableFuture<>();
        destroying.put(vmId, answered);
        open.destroy(
                vmId,
                answer -> {
                    mailbox.post(new HostMessage.DestroyAnswered(vmId, answer));
                    answered.complete(answer);
                });
        return answered;
    }

    /**
     * An order waits until its cause is durable, which takes as long as the database is away. By
     * then the VM may run here again, or be about to arrive: the order would destroy the VM itself.
     */
    private boolean isWantedAgain(HostMessage.Destroy order) {
        VmManager vm = services.registry().find(order.vmId());
        if (vm == null) {
            return false;
        }
        if (vm.hasParked(host) || !vm.tryLock()) {
            // The holder of the VM may be about to start it; the host's next report repeats the
            // remains.
            return true;
        }
        try {
            boolean here = isHereSince(vm, order.fetchedNanos());
            if (here) {
                remains.remove(order.vmId());
            }
            return here;
        } finally {
            vm.unlock();
        }
    }

    /** Whether the process here is the VM itself, or will be. Under the VM's lock. */
    private boolean isHereSince(VmManager vm, long sinceNanos) {
        VmState known = vm.state();
        boolean runsHere = known.placement().isOn(host) && !known.runtime().status().isNotRunning();
        boolean comesHere =
                host.equals(known.placement().migratingTo())
                        && known.observedNanos() - sinceNanos > 0;
        return runsHere || comesHere || vm.isProcessSeenSince(host, sinceNanos);
    }

    /**
     * The host answered an order, and has time for the next one that waits.
     *
     * @param open the connection; null while there is none
     */
    void answered(VmId vmId, HostAnswer<VmId> answer, @Nullable HostConnection open) {
        destroying.remove(vmId);
        switch (answer) {
            case HostAnswer.Success<VmId> _ -> {
                remains.remove(vmId);
                destroyedAt.put(vmId, services.clock().nanoTime());
            }
            case HostAnswer.Failed<VmId>(HostFailure failure) -> {
                if (failure instanceof HostFailure.Refused refused
                        && refused.code() == RefusalCode.NO_SUCH_VM) {
                    remains.remove(vmId);
                }
                warnings.about("destroy failed", "vm=" + vmId + ": " + failure.describe());
            }
        }
        while (open != null && !waiting.isEmpty() && destroying.size() < MOST_CALLS) {
            HostMessage.Destroy next = waiting.pollFirstEntry().getValue();
            destroy(next, open);
        }
    }

    /** A poll that was requested later than a VM was destroyed knows that it was. */
    void polled(long fetchedNanos) {
        if (!destroyedAt.isEmpty()) {
            destroyedAt.values().removeIf(done -> done - fetchedNanos < 0);
        }
        if (!ordered.isEmpty()) {
            ordered.values().removeIf(done -> done != UNANSWERED && done - fetchedNanos < 0);
        }
    }

    /**
     * Remains of a VM.
     *
     * @param nanos when it was found last
     * @param mayRun whether a guest may run in it
     */
    private record Found(long nanos, boolean mayRun) {

        Found and(Found later) {
            return new Found(later.nanos, mayRun || later.mayRun);
        }
    }
}
