package org.stillwater.xapi.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.XapiException;
import org.stillwater.xapi.client.XapiRecord;

/**
 * Orders about VMs as {@code Async.} calls (XAPI specification §1.7). On success the pool has
 * created a task; the pool's events about the VM show its end. Thread-safe; calls block.
 */
final class PoolOrders {

    private static final Logger LOG = LoggerFactory.getLogger(PoolOrders.class);

    /**
     * Operations that the engine does not carry out on VMs of pools, and the remedy. A VM that was
     * removed here only would be missing in every list until it changes in the pool.
     */
    private static final Map<OperationKind, String> THERE =
            Map.of(
                    OperationKind.REMOVE_VM, "delete it there",
                    OperationKind.CONSOLE_TICKET, "open its console there",
                    OperationKind.CHANGE_CD, "change its CD there",
                    OperationKind.PLUG_DEVICE, "change its devices there",
                    OperationKind.UNPLUG_DEVICE, "change its devices there");

    private final XapiPool pool;
    private final PoolConnection connection;
    private final TaskFollower tasks;

    PoolOrders(XapiPool pool, PoolConnection connection, TaskFollower tasks) {
        this.pool = pool;
        this.connection = connection;
        this.tasks = tasks;
    }

    /** A call: its method and its arguments after the VM. */
    private record Call(String operation, List<Object> arguments) {
        Call(String operation) {
            this(operation, List.of());
        }
    }

    /**
     * Has the pool do it, if its VM is on this host.
     *
     * @param late gets a failure that follows an answer of success
     */
    HostAnswer<VmId> carryOut(HostId host, VmOrder order, Consumer<HostFailure> late) {
        VmId id = order.vmId();
        PoolVm vm = pool.vm(id);
        if (order instanceof VmOrder.Create start) {
            return start(host, vm, start, late);
        }
        if (vm == null || !host.equals(vm.host())) {
            // An order is for the process on one host: never for one that runs elsewhere.
            return order instanceof VmOrder.Destroy
                    ? new HostAnswer.Success<>(id)
                    : Refusals.refused(RefusalCode.NO_SUCH_VM, "VM " + id + " is not on this host");
        }
        if (order instanceof VmOrder.CancelMigration) {
            return cancelMigration(vm);
        }
        Call call = callOf(order);
        if (call == null) {
            return Refusals.refused(
                    RefusalCode.NO_SUCH_VERB,
                    "a XAPI pool does not offer " + order.getClass().getSimpleName());
        }
        return checked(vm, call, late);
    }

    /** The pool has the definition; the engine's is not sent. */
    private HostAnswer<VmId> start(
            HostId host, @Nullable PoolVm vm, VmOrder.Create order, Consumer<HostFailure> late) {
        PoolHost on = pool.host(host);
        if (vm == null || on == null) {
            return Refusals.refused(
                    RefusalCode.BAD_VM_PARAMETERS,
                    "the pool has no VM " + order.vmId() + ": VMs are defined in the pool");
        }
        if (vm.host() != null) {
            return Refusals.refused(RefusalCode.VM_EXISTS, "it has a process already");
        }
        if (order.dump() != null) {
            return Refusals.refused(
                    RefusalCode.BAD_VM_PARAMETERS, "a pool keeps saved memory itself");
        }
        String operation = vm.status() == VmStatus.SUSPENDED ? "resume_on" : "start_on";
        return checked(vm, new Call(operation, List.of(on.ref(), order.paused(), false)), late);
    }

    private HostAnswer<VmId> checked(PoolVm vm, Call call, Consumer<HostFailure> late) {
        String blocked = blocked(vm, call.operation());
        return blocked == null
                ? call(vm.id(), vm, call, late)
                : Refusals.refused(RefusalCode.UNEXPECTED, blocked);
    }

    /**
     * Drops the saved memory of a suspended VM.
     *
     * @param late gets a failure that follows an answer of success
     */
    HostAnswer<VmId> dropMemory(VmId id, Consumer<HostFailure> late) {
        PoolVm vm = pool.vm(id);
        if (vm == null) {
            return Refusals.refused(RefusalCode.NO_SUCH_VM, "the pool has no VM " + id);
        }
        if (vm.host() != null || vm.status() != VmStatus.SUSPENDED) {
            return vm.status() == VmStatus.DOWN
                    ? new HostAnswer.Success<>(id) // it is done already
                    : Refusals.refused(RefusalCode.UNEXPECTED, "the VM is not suspended by now");
        }
        return checked(vm, new Call("hard_shutdown"), late);
    }

    /** Cancels the migration's task; one of another client needs {@code pool-operator}. */
    private HostAnswer<VmId> cancelMigration(PoolVm vm) {
        XapiRecord record = pool.objects().find(PoolObjects.VM, vm.ref());
        String task = record == null ? null : PoolMigrations.taskOf(record);
        if (task == null) {
            return noMigration();
        }
        try {
            connection.cancelTask(task);
            return new HostAnswer.Success<>(vm.id());
        } catch (XapiException.Failure e) {
            return e.code().equals("HANDLE_INVALID")
                    ? noMigration() // its task ended a moment ago
                    : Refusals.of(e, pool.objects());
        } catch (IOException e) {
            LOG.info("vm={} task.cancel failed: {}", vm.id(), e.toString());
            return new HostAnswer.Failed<>(new HostFailure.Unreachable(pool.why(e)));
        }
    }

    private static HostAnswer<VmId> noMigration() {
        return Refusals.refused(
                RefusalCode.MIGRATION_NOT_IN_PROGRESS, "no migration of the VM is under way");
    }

    private @Nullable Call callOf(VmOrder order) {
        return switch (order) {
            case VmOrder.Destroy _ -> new Call("hard_shutdown");
            case VmOrder.Shutdown shutdown ->
                    new Call(shutdown.reboot() ? "clean_reboot" : "clean_shutdown");
            case VmOrder.Reset _ -> new Call("hard_reboot");
            case VmOrder.Pause _ -> new Call("pause");
            case VmOrder.Resume _ -> new Call("unpause");
            case VmOrder.Hibernate _ -> new Call("suspend");
            case VmOrder.Migrate migrate -> {
                PoolHost to = destination(migrate.destination());
                yield to == null
                        ? null
                        : new Call("pool_migrate", List.of(to.ref(), Map.of("live", "true")));
            }
            case VmOrder.Create _,
                    VmOrder.CancelMigration _,
                    VmOrder.SetTicket _,
                    VmOrder.ChangeCd _,
                    VmOrder.Plug _ ->
                    null;
        };
    }

    private @Nullable PoolHost destination(String hostAndPort) {
        String address = hostAndPort.substring(0, hostAndPort.lastIndexOf(':'));
        return pool.hosts().stream()
                .filter(host -> host.address().equals(address))
                .findFirst()
                .orElse(null);
    }

    /** Why the pool would refuse an operation of the engine now; null if it would not. */
    @Nullable String refusal(PoolVm vm, OperationKind kind) {
        String there = THERE.get(kind);
        if (there != null) {
            return "the VM is one of the XAPI pool %s: %s".formatted(pool.name(), there);
        }
        String operation =
                switch (kind) {
                    case RUN -> "start_on";
                    case SHUTDOWN -> "clean_shutdown";
                    case POWER_OFF -> "hard_shutdown";
                    case REBOOT -> "clean_reboot";
                    case RESET -> "hard_reboot";
                    case PAUSE -> "pause";
                    case RESUME -> vm.status() == VmStatus.SUSPENDED ? "resume_on" : "unpause";
                    case SUSPEND -> "suspend";
                    case MIGRATE -> "pool_migrate";
                    case CANCEL_MIGRATION,
                            CONSOLE_TICKET,
                            ADD_VM,
                            UPDATE_VM,
                            REMOVE_VM,
                            CHANGE_CD,
                            PLUG_DEVICE,
                            UNPLUG_DEVICE,
                            DRAIN,
                            EVACUATE,
                            FENCE ->
                            null;
                };
        return operation == null ? null : blocked(vm, operation);
    }

    /**
     * The reason why the pool would refuse the operation now; null if it would not. During another
     * operation the pool itself decides: its list of allowed operations is about to change.
     */
    private @Nullable String blocked(PoolVm vm, String operation) {
        XapiRecord record = pool.objects().find(PoolObjects.VM, vm.ref());
        List<String> allowed = record == null ? List.of() : record.list("allowed_operations");
        if (record == null
                || allowed.isEmpty()
                || allowed.contains(operation)
                || !record.map("current_operations").isEmpty()) {
            return null;
        }
        List<String> sorted = new ArrayList<>(allowed);
        sorted.sort(null);
        return "the pool does not allow %s while the VM is %s; it allows %s"
                .formatted(
                        operation,
                        record.text("power_state").toLowerCase(Locale.ROOT),
                        String.join(", ", sorted));
    }

    private HostAnswer<VmId> call(VmId id, PoolVm vm, Call call, Consumer<HostFailure> late) {
        List<Object> arguments = new ArrayList<>();
        arguments.add(vm.ref());
        arguments.addAll(call.arguments());
        try {
            String task = connection.async("VM." + call.operation(), arguments.toArray());
            List<String> error =
                    tasks.startedWell(
                            task, end -> late.accept(Refusals.failure(end, pool.objects())));
            return error.isEmpty()
                    ? new HostAnswer.Success<>(id)
                    : Refusals.of(error, pool.objects());
        } catch (XapiException.Failure e) {
            return Refusals.of(e, pool.objects());
        } catch (IOException e) {
            LOG.info("vm={} {} failed: {}", id, call.operation(), e.toString());
            return new HostAnswer.Failed<>(new HostFailure.Unreachable(pool.why(e)));
        }
    }
}
