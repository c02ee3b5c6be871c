package org.stillwater.command.host;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.DefinitionChanges;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.HostCommands;
import org.stillwater.core.analysis.host.KdumpLimits;
import org.stillwater.core.fence.KdumpListener;
import org.stillwater.core.fence.PowerFence;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Everything that is done to hosts, and to definitions: draining and evacuation ({@code Draining}),
 * starts of VMs with a lease ({@code LeaseRestarts}), fencing ({@code Fencing}), definitions
 * ({@code DefinitionChanges}). Belongs to one {@link CommandEngine}, and works on its deciding
 * thread; orders of users may come from any thread.
 */
public final class HostOperations implements HostCommands {

    private final HostOperationSettings settings;
    private final PowerFence powerFence;
    private final KdumpListener kdump;
    private final KdumpLimits kdumpLimits;
    private final Function<String, Definition> parser;
    private @Nullable Parts parts;

    private record Parts(
            CommandEngine engine,
            HostOperationLifecycle lifecycle,
            Draining draining,
            LeaseRestarts leases,
            Fencing fencing,
            FenceOrders fenceOrders,
            DefinitionChanges definitions) {}

    /** Operations of an engine that does not listen to hosts that write kernel dumps. */
    public HostOperations(
            HostOperationSettings settings,
            PowerFence powerFence,
            Function<String, Definition> parser) {
        this(settings, powerFence, KdumpListener.NONE, KdumpLimits.DEFAULT, parser);
    }

    /**
     * Operations that begin with the engine that they are attached to.
     *
     * @param powerFence the switch of hosts' power
     * @param kdump receives messages of hosts that write a kernel dump
     * @param kdumpLimits how long such hosts are waited for
     * @param parser reads the definition of a VM from the text in which it was given; an {@link
     *     IllegalArgumentException} describes the mistake
     */
    public HostOperations(
            HostOperationSettings settings,
            PowerFence powerFence,
            KdumpListener kdump,
            KdumpLimits kdumpLimits,
            Function<String, Definition> parser) {
        this.settings = settings;
        this.powerFence = powerFence;
        this.kdump = kdump;
        this.kdumpLimits = kdumpLimits;
        this.parser = parser;
    }

    @Override
    public void attach(CommandEngine engine) {
        HostOperationLifecycle lifecycle = new HostOperationLifecycle(engine, this::opened);
        parts =
                new Parts(
                        engine,
                        lifecycle,
                        new Draining(lifecycle, settings),
                        new LeaseRestarts(lifecycle, settings),
                        new Fencing(
                                lifecycle,
                                settings,
                                powerFence,
                                new KernelDumps(lifecycle, kdump, kdumpLimits)),
                        new FenceOrders(lifecycle, settings),
                        new DefinitionChanges(
                                engine.context(),
                                engine.definitions(),
                                engine::leaseDefined,
                                parser));
    }

    private Parts parts() {
        return Objects.requireNonNull(parts, "not attached to an engine");
    }

    /**
     * Requests to switch a host off and on in any state: no policy applies, and all of its VMs end.
     * A dry run switches nothing; a shadow refuses the request.
     *
     * @return the answer, as soon as it is durable
     */
    public CompletableFuture<Answer> fence(HostId host, Operation.Origin origin) {
        if (isShadow()) {
            return CompletableFuture.completedFuture(
                    new Answer.Refused(Answer.Why.CONFLICT, CommandSettings.SHADOW));
        }
        return parts().fenceOrders().order(host, origin);
    }

    /**
     * A user confirms that a host that the engine has no contact with was switched off or booted by
     * hand: its VMs are down.
     *
     * @return the answer, as soon as it is durable
     */
    public CompletableFuture<Answer> confirmRebooted(HostId host, Operation.Origin origin) {
        return parts().fenceOrders().confirm(host, origin);
    }

    @Override
    public void recover(List<Operation> open) {
        parts().draining().recover(open);
        parts().fencing().recover(open);
        parts().definitions().recover(open);
    }

    private boolean isShadow() {
        return parts().engine().settings().shadow();
    }

    /** A shadow leaves hosts to the other engine. */
    @Override
    public void opened(HostWork work) {
        if (isShadow()) {
            return;
        }
        switch (work.kind()) {
            case DRAIN, EVACUATE -> parts().draining().opened(work);
            case RESTART_LEASE_VMS -> parts().leases().opened(work);
            case FENCE -> parts().fencing().opened(work);
        }
    }

    @Override
    public void begun(Operation operation) {
        HostWork work = parts().lifecycle().begun(operation);
        switch (operation.kind()) {
            case DRAIN, EVACUATE -> parts().draining().begun(operation);
            case FENCE -> parts().fencing().begun(operation, work);
            default ->
                    throw new IllegalArgumentException("not an operation on hosts: " + operation);
        }
    }

    @Override
    public void notBegun(Operation operation) {
        parts().definitions().release(operation);
        parts().lifecycle().notBegun(operation, true);
    }

    @Override
    public void lost(Operation operation) {
        parts().definitions().release(operation);
        parts().lifecycle().notBegun(operation, false);
    }

    @Override
    public @Nullable String refusal(Operation operation) {
        return parts().definitions().reserve(operation);
    }

    @Override
    public @Nullable String taken(Operation operation) throws StoreUnavailable {
        return parts().definitions().taken(operation);
    }

    @Override
    public Definition parsed(String definition) {
        return parser.apply(definition);
    }

    @Override
    public @Nullable String refusesCancel(Operation operation) {
        return operation.kind() == OperationKind.FENCE
                ? parts().fencing().refusesCancel(operation.id())
                : null;
    }

    @Override
    public void define(Operation operation) {
        parts().definitions().define(operation);
    }

    @Override
    public void ended(Operation operation) {
        parts().definitions().release(operation);
        parts().draining().ended(operation);
    }

    @Override
    public void cancel(Operation operation) {
        switch (operation.kind()) {
            case DRAIN, EVACUATE -> parts().draining().cancel(operation.id());
            case FENCE -> parts().fencing().cancel(operation.id());
            default -> {}
        }
    }

    @Override
    public void vmChanged(VmId vm) {
        parts().draining().changed();
    }

    @Override
    public boolean turn(long nowNanos) {
        return parts().draining().turn();
    }
}
