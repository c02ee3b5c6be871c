package org.stillwater.command.storage;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.storage.StoragePoolManager.Trouble;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.HostStorage.Content;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.SavedMemory;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmView;

/**
 * The volumes to which memories of VMs are saved: created before a VM is suspended, by the host
 * that manages the storage pool, and removed as soon as they can no longer be needed.
 *
 * <p>Their identities are durable with the VM before they are created and until they are removed,
 * so that no end of the engine leaves orphaned volumes. Whether volumes are needed is read from the
 * VM and its open operations, never remembered: the same rule removes them after the VM runs again,
 * after it is powered off, after a suspension that failed, and after a restart of the engine in the
 * midst of any of that. Used by the deciding thread only.
 *
 * <p>It is long because one row leads the volumes from their creation to their removal.
 */
public final class MemoryVolumes {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryVolumes.class);

    private static final UUID NOWHERE = new UUID(0, 0);
    private static final long MEBIBYTE = 1L << 20;

    /**
     * Allowance for QEMU's data beside the guest's memory, in MiB; oVirt's engine allows as much.
     */
    private static final int OVERHEAD_MEBIBYTES = 200;

    /** Size of the volume for the rest; oVirt's engine has the same. */
    private static final long CONFIGURATION_BYTES = 10_240;

    /** Longest pause between two attempts to remove volumes, as a multiple of the longest retry. */
    private static final int LONGEST_PAUSE = 60;

    private final CommandContext context;
    private final Definitions definitions;
    private final StoragePoolManager manager;
    private final CommandSettings settings;
    private final ThrottledLog warnings;

    /**
     * How often, with the longest retry in between, an image must be missing that a host may be
     * creating still, because the engine did not see the end of that task.
     */
    private static final int LOOKS_FOR_UNSEEN = 6;

    /** Volumes that exist or may exist. */
    private final Map<VmId, String> handles = new HashMap<>();

    /** VMs with volumes that a host may be creating still. */
    private final Set<VmId> unseen = new HashSet<>();

    private final Map<VmId, Job> jobs = new HashMap<>();

    /** Present task on the volumes of a VM; one at a time. */
    private static final class Job {
        final VmId vm;

        /** The operation that its volumes are created for; null if they are removed. */
        final @Nullable UUID creates;

        /** The operation that waits until older volumes are removed. */
        @Nullable UUID waiting;

        boolean pauses;

        /** Whether the last look found an image missing. */
        boolean missing;

        int looks;
        int turn;
        int failures;

        Job(VmId vm, @Nullable UUID creates) {
            this.vm = vm;
            this.creates = creates;
        }
    }

    public MemoryVolumes(
            CommandContext context, Definitions definitions, StoragePoolManager manager) {
        this.context = context;
        this.definitions = definitions;
        this.manager = manager;
        this.settings = context.settings();
        this.warnings =
                new ThrottledLog(
                        LOG, context.clock(), settings.quietPeriod(), "volumes of saved memory");
    }

    /** Reads the durable volumes; no host is watched yet. */
    public void recover() throws StoreUnavailable {
        handles.putAll(definitions.store().loadMemory());
        unseen.addAll(handles.keySet());
    }

    /** Examines all volumes found at the start and removes those that no open operation needs. */
    public void lookAtAll() {
        List.copyOf(handles.keySet()).forEach(this::look);
    }

    /** Handle of the volumes for a VM's saved memory; null if no volumes were created for it. */
    public @Nullable String handle(VmId vm) {
        return handles.get(vm);
    }

    // ----------------------------------------------------------------------------------- creating

    /** Creates volumes for an operation, which gets {@link VmFact.Prepared} or why not. */
    public void create(UUID operation, VmId vm) {
        Job job = jobs.get(vm);
        String older = handles.get(vm);
        if (job == null && older == null) {
            begin(operation, vm);
            return;
        }
        if (job == null) {
            job = new Job(vm, null);
            jobs.put(vm, job);
            job.waiting = operation;
            remove(job);
            return;
        }
        job.waiting = operation;
        if (job.pauses) {
            remove(job);
        }
    }

    private void begin(UUID operation, VmId vm) {
        Job job = new Job(vm, operation);
        jobs.put(vm, job);
        SavedMemory memory = new SavedMemory(newVolume(), newVolume());
        String handle = memory.handle();
        context.storeExecutor()
                .submit(
                        () -> {
                            Definition definition = definitions.load(List.of(vm)).get(vm);
                            String problem = definition == null ? null : definition.problem();
                            if (problem != null) {
                                context.post(
                                        () -> notCreated(job, new Trouble(Code.INVALID, problem)));
                                return;
                            }
                            VmSpecification specification =
                                    definition == null ? null : definition.specification();
                            definitions.store().saveMemory(Map.of(vm, handle));
                            context.post(() -> {
                                handles.put(vm, handle);
                                create(job, memory, bytes(vm, specification));
                            });
                        },
                        failure ->
                                context.post(() -> {
                                    // It may have been saved anyway.
                                    handles.put(vm, handle);
                                    notCreated(
                                            job,
                                            new Trouble(
                                                    Code.INTERNAL,
                                                    "they cannot be recorded now: "
                                                            + failure.getMessage()));
                                }));
    }

    private MemoryVolume newVolume() {
        return new MemoryVolume(
                settings.storagePool(),
                settings.storageDomain(),
                context.ids().get(),
                context.ids().get());
    }

    /** The memory that the VM runs with, that of its screen, and the data written beside. */
    private long bytes(VmId vm, @Nullable VmSpecification specification) {
        VmView view = context.fleet().vm(vm);
        int memory = view == null ? 0 : definitions.asItRuns(view).memoryMebibytes();
        int video =
                (specification == null ? VmSpecification.BARE : specification).video().mebibytes();
        return (memory + OVERHEAD_MEBIBYTES + (long) video) * MEBIBYTE;
    }

    private void create(Job job, SavedMemory memory, long bytes) {
        Consumer<Trouble> failed = trouble -> notCreated(job, trouble);
        manager.find(
                memory.memory().pool(),
                storage ->
                        volume(
                                job,
                                storage,
                                memory.memory(),
                                bytes,
                                Content.MEMORY,
                                () ->
                                        volume(
                                                job,
                                                storage,
                                                memory.configuration(),
                                                CONFIGURATION_BYTES,
                                                Content.CONFIGURATION,
                                                () -> created(job),
                                                failed),
                                failed),
                failed);
    }

    private void volume(
            Job job,
            HostStorage storage,
            MemoryVolume volume,
            long bytes,
            Content content,
            Runnable done,
            Consumer<Trouble> failed) {
        if (job.creates == null || context.registry().open(job.creates) == null) {
            failed.accept(new Trouble(Code.OVERTAKEN, "the operation has ended"));
            return;
        }
        storage.createVolume(
                volume,
                bytes,
                content,
                manager.posted(
                        task -> manager.await(storage, task, limit(), done, failed), failed));
    }

    private void created(Job job) {
        jobs.remove(job.vm);
        if (job.creates != null) {
            context.fact(job.creates, new VmFact.Prepared());
        }
        next(job);
    }

    private void notCreated(Job job, Trouble trouble) {
        jobs.remove(job.vm);
        if (trouble.isUncertain()) {
            unseen.add(job.vm);
        }
        if (job.creates != null) {
            context.fact(job.creates, new VmFact.NotPrepared(trouble.code(), trouble.reason()));
        }
        next(job);
    }

    /** Another operation may wait for its volumes; otherwise they may no longer be needed. */
    private void next(Job ended) {
        UUID waiting = ended.waiting;
        if (waiting != null && context.registry().open(waiting) != null) {
            create(waiting, ended.vm);
        } else {
            look(ended.vm);
        }
    }

    // ----------------------------------------------------------------------------------- removing

    /** A VM changed, or an operation on it has ended: unneeded volumes are removed. */
    public void look(VmId vm) {
        if (handles.containsKey(vm) && !jobs.containsKey(vm) && !isNeeded(vm)) {
            Job removal = new Job(vm, null);
            jobs.put(vm, removal);
            remove(removal);
        }
    }

    /** Whether the memory of a VM may be there, or may be about to be saved or read. */
    private boolean isNeeded(VmId vm) {
        for (VmTask task : context.registry().on(vm)) {
            OperationKind kind = task.operation().kind();
            if (kind == OperationKind.SUSPEND || kind == OperationKind.RESUME) {
                return true;
            }
        }
        VmView view = context.fleet().vm(vm);
        return view != null && mayNeed(view.state().runtime().status());
    }

    private static boolean mayNeed(VmStatus status) {
        return switch (status) {
            case SUSPENDED,
                    SAVING_STATE,
                    RESTORING_STATE,
                    WAIT_FOR_LAUNCH,
                    UNKNOWN,
                    UNASSIGNED,
                    IMAGE_LOCKED,
                    IMAGE_ILLEGAL ->
                    true;
            case DOWN,
                    UP,
                    POWERING_UP,
                    POWERING_DOWN,
                    PAUSED,
                    MIGRATING_FROM,
                    MIGRATING_TO,
                    NOT_RESPONDING,
                    REBOOT_IN_PROGRESS ->
                    false;
        };
    }

    private void remove(Job job) {
        job.turn++;
        job.pauses = false;
        job.missing = false;
        String handle = handles.get(job.vm);
        if (handle == null) {
            removed(job);
            return;
        }
        if (job.waiting == null && isNeeded(job.vm)) {
            jobs.remove(job.vm); // it is needed since the last attempt
            return;
        }
        SavedMemory memory;
        try {
            memory = SavedMemory.parse(handle);
        } catch (IllegalArgumentException e) {
            forget(job, handle); // not created by an engine
            return;
        }
        if (memory.memory().pool().equals(NOWHERE)) {
            forget(job, handle); // names that engines used before they created volumes
            return;
        }
        Consumer<Trouble> failed = trouble -> notRemoved(job, trouble);
        manager.find(
                memory.memory().pool(),
                storage ->
                        image(
                                job,
                                storage,
                                memory.memory(),
                                () ->
                                        image(
                                                job,
                                                storage,
                                                memory.configuration(),
                                                () -> gone(job, handle),
                                                failed),
                                failed),
                failed);
    }

    private void gone(Job job, String handle) {
        if (job.missing && unseen.contains(job.vm) && job.looks < LOOKS_FOR_UNSEEN) {
            job.looks++;
            later(job, settings.longestRetry());
        } else {
            forget(job, handle);
        }
    }

    private void later(Job job, Duration pause) {
        job.pauses = true;
        int turn = job.turn;
        context.after(
                pause,
                () -> {
                    if (jobs.get(job.vm) == job && job.turn == turn) {
                        remove(job);
                    }
                });
    }

    private void image(
            Job job,
            HostStorage storage,
            MemoryVolume volume,
            Runnable done,
            Consumer<Trouble> failed) {
        storage.deleteImage(
                volume,
                answer ->
                        context.post(() -> {
                            if (isRefusedWith(answer, RefusalCode.NO_SUCH_IMAGE)) {
                                job.missing = true;
                                done.run();
                            } else {
                                StoragePoolManager.take(
                                        answer,
                                        task -> manager.await(storage, task, limit(), done, failed),
                                        failed);
                            }
                        }));
    }

    private void forget(Job job, String handle) {
        context.storeExecutor()
                .submit(
                        () -> {
                            Map<VmId, @Nullable String> none = new HashMap<>();
                            none.put(job.vm, null);
                            definitions.store().saveMemory(none);
                            context.post(() -> {
                                handles.remove(job.vm, handle);
                                unseen.remove(job.vm);
                                removed(job);
                            });
                        },
                        failure ->
                                context.post(() ->
                                        notRemoved(
                                                job,
                                                new Trouble(
                                                        Code.INTERNAL,
                                                        "that they are removed cannot be recorded"
                                                                + " now: "
                                                                + failure.getMessage()))));
    }

    private void removed(Job job) {
        jobs.remove(job.vm);
        next(job);
    }

    private void notRemoved(Job job, Trouble trouble) {
        warnings.about(
                "volumes of saved memory are not removed yet",
                "vm=%s: %s".formatted(job.vm, trouble.reason()));
        UUID waiting = job.waiting;
        job.waiting = null;
        job.failures++;
        later(job, pause(job.failures));
        if (waiting != null) {
            context.fact(
                    waiting,
                    new VmFact.NotPrepared(
                            trouble.code(),
                            "those of an earlier suspension cannot be removed: "
                                    + trouble.reason()));
        }
    }

    private Duration pause(int failures) {
        return settings.longestRetry()
                .multipliedBy(Math.min(LONGEST_PAUSE, 1L << Math.min(failures - 1, 6)));
    }

    private Duration limit() {
        return settings.limits().suspend();
    }

    private static boolean isRefusedWith(HostAnswer<?> answer, int code) {
        return answer instanceof HostAnswer.Failed<?>(HostFailure.Refused refused)
                && refused.code() == code;
    }
}
