package org.stillwater.command.storage;

import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.storage.StoragePoolManager.Trouble;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.store.StoreUnavailable;
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
 */
public final class Leases {

    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

    private final CommandContext context;
    private final CommandSettings settings;
    private final StoragePoolManager manager;
    private final ThrottledLog warnings;
    private final KnownLeases known;
    private final LeaseDeletions deletions;

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
            Outcome outcome) {}

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
        this.settings = context.settings();
        this.manager = manager;
        this.warnings =
                new ThrottledLog(LOG, context.clock(), settings.quietPeriod(), "leases of VMs");
        this.known = new KnownLeases(context, definitions);
        this.deletions = new LeaseDeletions(context, manager, known, warnings, this::find);
    }

    /** Reads the durable leases; no host is watched yet. */
    public void recover() throws StoreUnavailable {
        known.load();
    }

    /** Examines all leases found at the start and deletes unneeded ones. */
    public void lookAtAll() {
        known.vms().forEach(this::look);
    }

    /** A VM is defined so now; null for no lease, or no VM. */
    public void defined(VmId vm, @Nullable UUID domain) {
        if (known.has(vm)) {
            known.want(vm, domain);
            look(vm);
        }
    }

    /**
     * Whether the VM's process is known to hold the lease that its definition names: the engine saw
     * it on storage, and started this run with it.
     */
    public boolean isHeld(VmView vm) {
        UUID domain = known.wanted(vm.id());
        VmLease lease = domain == null ? null : known.get(vm.id(), domain);
        return lease != null && lease.isOfRun(vm.state().placement().run().generation());
    }

    /** The lease that a VM's process was started with is unknown from now on. */
    public void doubt(VmId vm) {
        for (VmLease lease : known.of(vm)) {
            if (lease.run() != null) {
                known.put(lease.with(null)); // counts at once
                record(vm, lease.domain());
            }
        }
    }

    /** Until the database has it. */
    private void record(VmId vm, UUID domain) {
        VmLease lease = known.get(vm, domain);
        if (lease == null || lease.run() != null || lease.deleting()) {
            return; // something newer is recorded
        }
        known.save(
                lease,
                () -> {},
                reason -> {
                    warnings.about("a lease is not recorded", "vm=%s: %s".formatted(vm, reason));
                    context.after(settings.longestRetry(), () -> record(vm, domain));
                });
    }

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
        VmLease present = known.get(start.vm(), start.domain());
        if (deletions.isUnderWay(start.vm(), start.domain())
                || (present != null && present.deleting())) {
            deletions.await(start);
        } else if (present == null || present.place() == null) {
            VmLease next = VmLease.wanted(start.vm(), start.domain());
            known.put(next); // it may have been saved even if the database does not answer
            known.want(start.vm(), start.defined());
            known.save(next, () -> locate(start, true, null), reason -> notRecorded(start, reason));
        } else {
            known.want(start.vm(), start.defined());
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
        VmLease present = known.get(start.vm(), start.domain());
        if (present == null || present.deleting()) {
            unknown(start, "it was deleted in the meantime");
            return;
        }
        VmLease next = present.at(place).with(counts(start, present, place) ? start.run() : null);
        known.save(next, () -> start.outcome().found(next), reason -> notRecorded(start, reason));
    }

    /**
     * Whether the lease counts for a start. A VM that wakes up holds its lease if it held the same
     * one when it was saved.
     */
    private static boolean counts(Start start, VmLease present, VmLease.Place place) {
        return start.reason() == Reason.BOOTS
                || (present.isOfRun(start.run() - 1) && place.equals(present.place()));
    }

    /**
     * For a VM on a silent host only the very lease that its process holds prevents a second start.
     */
    private void findAgain(Start start) {
        VmLease present = known.get(start.vm(), start.domain());
        if (present == null || !present.isOfRun(start.run())) {
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
                    if (place.equals(present.place())) {
                        start.outcome().found(present);
                    } else {
                        start.outcome()
                                .missing(
                                        Code.ILLEGAL_STATE,
                                        "its lease is not where its process took it: it is at %s,"
                                                        .formatted(place)
                                                + " and was at "
                                                + present.place());
                    }
                },
                () ->
                        start.outcome()
                                .missing(
                                        Code.ILLEGAL_STATE,
                                        "the lease that its process took is not there any more"));
    }

    /** A VM changed, or an operation on it has ended: unneeded leases are deleted. */
    public void look(VmId vm) {
        deletions.look(vm);
    }

    private Duration limit() {
        return settings.limits().start();
    }
}
