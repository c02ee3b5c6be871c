package org.stillwater.command.storage;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.storage.StoragePoolManager.Trouble;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmView;

/**
 * The leases of VMs on storage: created when a VM with a lease in its definition is to be started
 * and has none, and deleted once the VM is down and its definition names none there, or the VM is
 * gone (ADR 50).
 *
 * <p>A row is durable before a lease is created and until it is deleted. Only this row records the
 * run of the VM that was started with the lease: a VM is started elsewhere while its host is silent
 * only if its present run is that one, and the lease is then found at the same location. Used by
 * the deciding thread only.
 *
 * <p>It is long because one row leads a lease from its creation to its deletion, and every step
 * checks the same row.
 */
public final class Leases {

    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

    /** Longest pause between two attempts to delete a lease, as a multiple of the longest retry. */
    private static final int LONGEST_PAUSE = 60;

    /** How often a lease must be missing of which it is not known whether it is being created. */
    private static final int LOOKS_FOR_UNSEEN = 6;

    private final CommandContext context;
    private final Definitions definitions;
    private final CommandSettings settings;
    private final StoragePoolManager manager;
    private final ThrottledLog warnings;

    /** Leases that exist or may exist, by storage domain. */
    private final Map<VmId, Map<UUID, VmLease>> leases = new HashMap<>();

    /**
     * Storage domain that each VM in {@link #leases} is to have its lease on; no entry for no
     * lease.
     */
    private final Map<VmId, UUID> wanted = new HashMap<>();

    private final Map<Key, Deletion> deletions = new HashMap<>();

    private record Key(VmId vm, UUID domain) {}

    /** The deletion of a lease; one at a time for each. */
    private static final class Deletion {
        final Key key;

        /** The start that waits for its end. */
        @Nullable Start waiting;

        boolean pauses;
        int looks;
        int turn;
        int failures;

        Deletion(Key key) {
            this.key = key;
        }
    }

    /**
     * A start for which a lease is needed.
     *
     * @param domain the storage domain of the lease
     * @param defined that of the VM's stored definition, which may differ for one run; null for
     *     none
     * @param run the run that begins; of a start by lease, the run that it takes over
     * @param reason how it comes about
     * @param host where
     * @param outcome receives the result, once
     */
    public record Start(
            VmId vm,
            UUID domain,
            @Nullable UUID defined,
            long run,
            Reason reason,
            HostId host,
            Outcome outcome) {
        private Key key() {
            return new Key(vm, domain);
        }
    }

    /** How a start comes about. */
    public enum Reason {
        /** The VM is down. */
        BOOTS,
        /** Its memory is read: its process holds the lease that it held when that was saved. */
        WAKES,
        /** Its host is silent. */
        BY_LEASE
    }

    /** Outcome of a start that needs a lease: exactly one call of one method. */
    public interface Outcome {
        /** The lease exists. */
        void found(VmLease lease);

        /** It is not known on this host, which got no call to start it. */
        void unknownToHost(HostFailure why);

        /** No host has one. */
        void missing(Code code, String reason);
    }

    public Leases(CommandContext context, Definitions definitions, StoragePoolManager manager) {
        this.context = context;
        this.definitions = definitions;
        this.settings = context.settings();
        this.manager = manager;
        this.warnings =
                new ThrottledLog(LOG, context.clock(), settings.quietPeriod(), "leases of VMs");
    }

    /** Reads the durable leases; no host is watched yet. */
    public void recover() throws StoreUnavailable {
        definitions.store().loadLeases().forEach(this::put);
        if (!leases.isEmpty()) {
            definitions
                    .load(Set.copyOf(leases.keySet()))
                    .forEach((vm, definition) -> want(vm, definition.lease()));
        }
    }

    /** Examines all leases found at the start and deletes unneeded ones. */
    public void lookAtAll() {
        List.copyOf(leases.keySet()).forEach(this::look);
    }

    private void put(VmLease lease) {
        leases.computeIfAbsent(lease.vm(), _ -> new TreeMap<>()).put(lease.domain(), lease);
    }

    private @Nullable VmLease get(VmId vm, UUID domain) {
        return leases.getOrDefault(vm, Map.of()).get(domain);
    }

    private void want(VmId vm, @Nullable UUID domain) {
        if (domain == null) {
            wanted.remove(vm);
        } else {
            wanted.put(vm, domain);
        }
    }

    /** A VM is defined so now; null for no lease, or no VM. */
    public void defined(VmId vm, @Nullable UUID domain) {
        if (leases.containsKey(vm)) {
            want(vm, domain);
            look(vm);
        }
    }

    /**
     * Whether the VM's process is known to hold the lease that its definition names: the engine saw
     * it on storage, and started this run with it.
     */
    public boolean isHeld(VmView vm) {
        UUID domain = wanted.get(vm.id());
        VmLease lease = domain == null ? null : get(vm.id(), domain);
        return lease != null && lease.isOfRun(vm.state().placement().run().generation());
    }

    /** The lease that a VM's process was started with is unknown from now on. */
    public void doubt(VmId vm) {
        for (VmLease lease : List.copyOf(leases.getOrDefault(vm, Map.of()).values())) {
            if (lease.run() != null) {
                put(lease.with(null)); // counts at once
                record(new Key(vm, lease.domain()));
            }
        }
    }

    /** Until the database has it. */
    private void record(Key key) {
        VmLease lease = get(key.vm(), key.domain());
        if (lease == null || lease.run() != null || lease.deleting()) {
            return; // something newer is recorded
        }
        save(
                lease,
                () -> {},
                reason -> {
                    warnings.about(
                            "a lease is not recorded", "vm=%s: %s".formatted(key.vm(), reason));
                    context.after(settings.longestRetry(), () -> record(key));
                });
    }

    // ----------------------------------------------------------------------------------- starting

    /** Finds the lease for a start, and creates it if there is none and one may be created. */
    public void find(Start start) {
        if (start.reason() == Reason.BY_LEASE) {
            findAgain(start);
            return;
        }
        if (!settings.hasStoragePool()) {
            start.outcome().missing(Code.ILLEGAL_STATE, CommandSettings.NO_STORAGE_POOL);
            return;
        }
        Deletion deletion = deletions.get(start.key());
        VmLease known = get(start.vm(), start.domain());
        if (deletion != null) {
            deletion.waiting = start;
            if (deletion.pauses) {
                delete(deletion);
            }
        } else if (known != null && known.deleting()) {
            Deletion again = new Deletion(start.key());
            deletions.put(start.key(), again);
            again.waiting = start;
            delete(again);
        } else if (known == null || known.place() == null) {
            VmLease next = VmLease.wanted(start.vm(), start.domain());
            put(next); // it may have been saved even if the database does not answer
            want(start.vm(), start.defined());
            save(next, () -> locate(start, true, null), reason -> notRecorded(start, reason));
        } else {
            want(start.vm(), start.defined());
            locate(start, true, null);
        }
    }

    /**
     * Asks the host that is to run the VM for the lease's location.
     *
     * @param failed why it was not created
     */
    private void locate(Start start, boolean mayCreate, @Nullable Trouble failed) {
        ask(
                start,
                place -> found(start, place),
                () -> {
                    if (mayCreate) {
                        create(start);
                    } else {
                        notCreated(
                                start,
                                failed == null
                                        ? new Trouble(
                                                Code.REFUSED,
                                                "its task succeeded, and the host does not find it")
                                        : failed);
                    }
                });
    }

    private void ask(Start start, Consumer<VmLease.Place> found, Runnable missing) {
        HostStorage storage = context.vmAccess().storage(start.host());
        if (storage == null) {
            unknown(start, "the host is not in contact");
            return;
        }
        storage.lease(
                start.domain(),
                start.vm(),
                answer ->
                        context.post(() -> {
                            switch (answer) {
                                case HostAnswer.Success<VmLease.Place>(VmLease.Place place) ->
                                        found.accept(place);
                                case HostAnswer.Failed<VmLease.Place>(HostFailure failure) -> {
                                    if (failure instanceof HostFailure.Refused refused
                                            && refused.code() == RefusalCode.NO_SUCH_LEASE) {
                                        missing.run();
                                    } else {
                                        unknown(start, failure.describe());
                                    }
                                }
                            }
                        }));
    }

    /** The host started nothing. */
    private static void unknown(Start start, String reason) {
        start.outcome()
                .unknownToHost(refused("it does not report the location of the lease: " + reason));
    }

    private static void notRecorded(Start start, String reason) {
        start.outcome().unknownToHost(refused("the lease cannot be recorded now: " + reason));
    }

    /** A refusal before the call to the host to start the VM. */
    private static HostFailure refused(String reason) {
        return new HostFailure.Refused(RefusalCode.UNEXPECTED, reason);
    }

    private void create(Start start) {
        Consumer<Trouble> failed = trouble -> notCreated(start, trouble);
        manager.find(
                settings.storagePool(),
                storage ->
                        storage.createLease(
                                start.domain(),
                                start.vm(),
                                manager.posted(
                                        task ->
                                                manager.await(
                                                        storage,
                                                        task,
                                                        limit(),
                                                        () -> locate(start, false, null),
                                                        // It fails too if there is one already.
                                                        trouble -> locate(start, false, trouble)),
                                        failed)),
                failed);
    }

    private static void notCreated(Start start, Trouble trouble) {
        start.outcome()
                .missing(
                        trouble.code(),
                        "its lease on the storage domain %s cannot be created: %s"
                                .formatted(start.domain(), trouble.reason()));
    }

    private void found(Start start, VmLease.Place place) {
        VmLease known = get(start.vm(), start.domain());
        if (known == null || known.deleting()) {
            unknown(start, "it was deleted in the meantime");
            return;
        }
        VmLease next = known.at(place).with(counts(start, known, place) ? start.run() : null);
        save(next, () -> start.outcome().found(next), reason -> notRecorded(start, reason));
    }

    /**
     * Whether the lease counts for a start. A VM that wakes up holds its lease if it held the same
     * one when it was saved.
     */
    private static boolean counts(Start start, VmLease known, VmLease.Place place) {
        return start.reason() == Reason.BOOTS
                || (known.isOfRun(start.run() - 1) && place.equals(known.place()));
    }

    /**
     * For a VM on a silent host only the very lease that its process holds prevents a second start.
     */
    private void findAgain(Start start) {
        VmLease known = get(start.vm(), start.domain());
        if (known == null || !known.isOfRun(start.run())) {
            start.outcome()
                    .missing(
                            Code.ILLEGAL_STATE,
                            "its process is not known to hold a lease on the storage domain %s"
                                    .formatted(start.domain()));
            return;
        }
        ask(
                start,
                place -> {
                    if (place.equals(known.place())) {
                        start.outcome().found(known);
                    } else {
                        start.outcome()
                                .missing(
                                        Code.ILLEGAL_STATE,
                                        "its lease is not where its process took it: it is at %s,"
                                                        .formatted(place)
                                                + " and was at "
                                                + known.place());
                    }
                },
                () ->
                        start.outcome()
                                .missing(
                                        Code.ILLEGAL_STATE,
                                        "the lease that its process took is not there any more"));
    }

    // ----------------------------------------------------------------------------------- deleting

    /** A VM changed, or an operation on it has ended: unneeded leases are deleted. */
    public void look(VmId vm) {
        for (UUID domain : List.copyOf(leases.getOrDefault(vm, Map.of()).keySet())) {
            Key key = new Key(vm, domain);
            VmLease lease = get(vm, domain);
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
                || key.domain().equals(wanted.get(key.vm()));
    }

    private void delete(Deletion deletion) {
        Key key = deletion.key;
        deletion.turn++;
        deletion.pauses = false;
        VmLease lease = get(key.vm(), key.domain());
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
            put(ending); // no start counts on it from now on
            save(
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
                                                        limit(),
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
        context.storeExecutor()
                .submit(
                        () -> {
                            store().removeLease(lease.vm(), lease.domain());
                            context.post(() -> {
                                forget(lease);
                                ended(deletion);
                            });
                        },
                        failure ->
                                context.post(() ->
                                        notDeleted(
                                                deletion,
                                                new Trouble(
                                                        Code.INTERNAL,
                                                        "that it is deleted cannot be recorded"
                                                                + " now: "
                                                                + failure.getMessage()))));
    }

    private void forget(VmLease lease) {
        Map<UUID, VmLease> ofVm = leases.get(lease.vm());
        if (ofVm != null) {
            ofVm.remove(lease.domain());
            if (ofVm.isEmpty()) {
                leases.remove(lease.vm());
                wanted.remove(lease.vm());
            }
        }
    }

    private void ended(Deletion deletion) {
        deletions.remove(deletion.key);
        Start waiting = deletion.waiting;
        if (waiting != null) {
            find(waiting);
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
        Start waiting = deletion.waiting;
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

    // ------------------------------------------------------------------------------------- storing

    /** Makes a lease durable, and valid after that. */
    private void save(VmLease lease, Runnable done, Consumer<String> failed) {
        context.storeExecutor()
                .submit(
                        () -> {
                            store().saveLease(lease);
                            context.post(() -> {
                                put(lease);
                                done.run();
                            });
                        },
                        failure ->
                                context.post(
                                        () -> failed.accept(String.valueOf(failure.getMessage()))));
    }

    private DefinitionStore store() {
        return definitions.store();
    }

    private Duration limit() {
        return settings.limits().start();
    }
}
