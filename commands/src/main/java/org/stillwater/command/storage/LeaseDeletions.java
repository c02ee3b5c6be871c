package org.stillwater.command.storage;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.storage.StoragePoolManager.Trouble;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmView;

/**
 * Deletes the leases that no VM needs any more, each with repetitions until it is gone, and lets
 * starts wait for the end of a deletion. Used by the deciding thread only.
 */
final class LeaseDeletions {

    /** Longest pause between two attempts to delete a lease, as a multiple of the longest retry. */
    private static final int LONGEST_PAUSE = 60;

    /** How often a lease must be missing of which it is not known whether it is being created. */
    private static final int LOOKS_FOR_UNSEEN = 6;

    private final CommandContext context;
    private final CommandSettings settings;
    private final StoragePoolManager manager;
    private final KnownLeases known;
    private final ThrottledLog warnings;
    private final Consumer<Leases.Start> begin;
    private final Map<Key, Deletion> deletions = new HashMap<>();

    private record Key(VmId vm, UUID domain) {}

    /** The deletion of a lease; one at a time for each. */
    private static final class Deletion {
        final Key key;

        /** The start that waits for its end. */
        Leases.@Nullable Start waiting;

        boolean pauses;
        int looks;
        int turn;
        int failures;

        Deletion(Key key) {
            this.key = key;
        }
    }

    /**
     * No deletions.
     *
     * @param begin begins a start that has waited
     */
    LeaseDeletions(
            CommandContext context,
            StoragePoolManager manager,
            KnownLeases known,
            ThrottledLog warnings,
            Consumer<Leases.Start> begin) {
        this.context = context;
        this.settings = context.settings();
        this.manager = manager;
        this.known = known;
        this.warnings = warnings;
        this.begin = begin;
    }

    /** Whether a lease is being deleted, or waits for the next attempt. */
    boolean isUnderWay(VmId vm, UUID domain) {
        return deletions.containsKey(new Key(vm, domain));
    }

    /** Begins a start once the lease that it must not use is deleted, or refuses it. */
    void await(Leases.Start start) {
        Key key = new Key(start.vm(), start.domain());
        Deletion present = deletions.get(key);
        if (present == null) {
            Deletion again = new Deletion(key);
            deletions.put(key, again);
            again.waiting = start;
            delete(again);
        } else {
            present.waiting = start;
            if (present.pauses) {
                delete(present);
            }
        }
    }

    /** Deletes the leases of a VM that it does not need. */
    void look(VmId vm) {
        for (VmLease each : known.of(vm)) {
            Key key = new Key(vm, each.domain());
            VmLease lease = known.get(vm, each.domain());
            boolean goes = lease != null && (lease.deleting() || !isNeeded(key));
            if (goes && !deletions.containsKey(key)) {
                Deletion deletion = new Deletion(key);
                deletions.put(key, deletion);
                delete(deletion);
            }
        }
    }

    /** Whether a process may hold a lease, or the VM is to have it when it starts next. */
    private boolean isNeeded(Key key) {
        VmView view = context.fleet().vm(key.vm());
        if (view == null) {
            return false;
        }
        for (VmTask task : context.registry().on(key.vm())) {
            OperationKind kind = task.operation().kind();
            if (kind == OperationKind.RUN || kind == OperationKind.RESUME) {
                return true;
            }
        }
        return view.state().runtime().status() != VmStatus.DOWN
                || key.domain().equals(known.wanted(key.vm()));
    }

    private void delete(Deletion deletion) {
        Key key = deletion.key;
        deletion.turn++;
        deletion.pauses = false;
        VmLease lease = known.get(key.vm(), key.domain());
        if (lease == null || (!lease.deleting() && isNeeded(key))) {
            ended(deletion); // it is needed since the last attempt
        } else if (!settings.hasStoragePool()) {
            notDeleted(
                    deletion,
                    new Trouble(
                            Code.ILLEGAL_STATE,
                            "it is not configured which storage pool it is in; set"
                                    + " stillwater.commands.storage-pool"));
        } else if (lease.deleting()) {
            order(deletion, lease);
        } else {
            VmLease ending = lease.ending();
            known.put(ending); // no start counts on it from now on
            known.save(
                    ending,
                    () -> order(deletion, ending),
                    reason -> notDeleted(deletion, new Trouble(Code.INTERNAL, reason)));
        }
    }

    private void order(Deletion deletion, VmLease lease) {
        Consumer<Trouble> failed =
                trouble -> {
                    if (trouble.hostCode() == RefusalCode.NO_SUCH_LEASE) {
                        gone(deletion, lease, true);
                    } else {
                        notDeleted(deletion, trouble);
                    }
                };
        manager.find(
                settings.storagePool(),
                storage ->
                        storage.deleteLease(
                                lease.domain(),
                                lease.vm(),
                                manager.posted(
                                        task ->
                                                manager.await(
                                                        storage,
                                                        task,
                                                        settings.limits().start(),
                                                        () -> gone(deletion, lease, false),
                                                        failed),
                                        failed)),
                failed);
    }

    /** One that was never seen may be about to be created by a task that was not seen either. */
    private void gone(Deletion deletion, VmLease lease, boolean missing) {
        if (missing && lease.place() == null && deletion.looks < LOOKS_FOR_UNSEEN) {
            deletion.looks++;
            later(deletion, settings.longestRetry());
            return;
        }
        known.remove(
                lease,
                () -> ended(deletion),
                reason ->
                        notDeleted(
                                deletion,
                                new Trouble(
                                        Code.INTERNAL,
                                        "that it is deleted cannot be recorded now: " + reason)));
    }

    private void ended(Deletion deletion) {
        deletions.remove(deletion.key);
        Leases.Start waiting = deletion.waiting;
        if (waiting != null) {
            begin.accept(waiting);
        }
    }

    private void notDeleted(Deletion deletion, Trouble trouble) {
        Key key = deletion.key;
        warnings.about(
                "a lease is not deleted yet",
                "vm=%s domain=%s: %s".formatted(key.vm(), key.domain(), trouble.reason()));
        if (deletion.failures == 0) {
            context.vmAccess()
                    .audit(
                            AuditEvent.VM_LEASE_NOT_DELETED,
                            context.fleet().vm(key.vm()) == null ? null : key.vm(),
                            null,
                            Map.of(
                                    "lease",
                                    key.vm().toString(),
                                    "domain",
                                    key.domain().toString(),
                                    "reason",
                                    trouble.reason()));
        }
        Leases.Start waiting = deletion.waiting;
        deletion.waiting = null;
        deletion.failures++;
        later(deletion, pause(deletion.failures));
        if (waiting != null) {
            waiting.outcome()
                    .missing(
                            trouble.code(),
                            "an earlier lease on the storage domain %s cannot be deleted: %s"
                                    .formatted(key.domain(), trouble.reason()));
        }
    }

    private void later(Deletion deletion, Duration pause) {
        deletion.pauses = true;
        int turn = deletion.turn;
        context.after(
                pause,
                () -> {
                    if (deletions.get(deletion.key) == deletion && deletion.turn == turn) {
                        delete(deletion);
                    }
                });
    }

    private Duration pause(int failures) {
        return settings.longestRetry()
                .multipliedBy(Math.min(LONGEST_PAUSE, 1L << Math.min(failures - 1, 6)));
    }
}
