package org.stillwater.testkit.simulation;

import java.util.List;
import java.util.SplittableRandom;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.ScriptedHost;

/**
 * The administrators of a data centre: they take hosts out of service and back, have them rebooted,
 * look at them, remove them and add them again.
 */
final class HostOrders {

    private final SplittableRandom random;
    private final SimulationEnvironment surroundings;
    private final World world;
    private final Commands commands;
    private final Trace trace;
    private final Runnable pump;
    private EngineUnderSimulation engine;

    HostOrders(
            SplittableRandom random,
            SimulationEnvironment surroundings,
            World world,
            Commands commands,
            Trace trace,
            EngineUnderSimulation engine,
            Runnable pump) {
        this.random = random;
        this.surroundings = surroundings;
        this.world = world;
        this.commands = commands;
        this.trace = trace;
        this.engine = engine;
        this.pump = pump;
    }

    /** The engine was restarted. */
    void newLife(EngineUnderSimulation next) {
        engine = next;
    }

    /** It is to run no more VMs; at that moment its connection may come or go. */
    void maintain(SimulatedHost host) {
        if (!host.isManaged()) {
            return;
        }
        trace.engine("is to put %s into maintenance", host);
        engine.order(host.id(), new HostFact.Maintain("new memory"));
        ScriptedHost calls = surroundings.connector().host(host.id());
        if (host.isPowered() && !host.isConnected() && !calls.isClosed() && random.nextBoolean()) {
            trace.network("%s is connected at that moment", host);
            host.connected(true);
            calls.connect();
        }
        pump.run();
    }

    /** It is to be used again. */
    void activate(SimulatedHost host) {
        if (host.isManaged()) {
            trace.engine("is to activate %s", host);
            engine.order(host.id(), new HostFact.Activate());
            pump.run();
        }
    }

    /** Whether administrators took it out of service. */
    boolean isOutOfService(SimulatedHost host) {
        if (!host.isManaged()) {
            return false;
        }
        HostStatus status = engine.hostStatus(host.id());
        return status == HostStatus.MAINTENANCE || status == HostStatus.PREPARING_FOR_MAINTENANCE;
    }

    /** A user wants to see it as it is now. */
    void refresh(SimulatedHost host) {
        if (host.isManaged()) {
            trace.engine("is to look at %s", host);
            engine.refresh(host.id());
            pump.run();
        }
    }

    /** Its power is switched off and on again, as fencing does it. */
    void reboot(SimulatedHost host) {
        if (host.isManaged() && host.isPowered()) {
            trace.engine("is told that %s is rebooted", host);
            engine.order(host.id(), new HostFact.Reboot());
            pump.run();
            world.powerFails(host);
        }
    }

    /** A command has a VM leave a host that is to enter maintenance. */
    void drain() {
        for (SimulatedHost host : world.hosts()) {
            boolean leaving =
                    host.isManaged()
                            && engine.hostStatus(host.id()) == HostStatus.PREPARING_FOR_MAINTENANCE;
            List<VmId> vms = leaving ? engine.indexedOn(host.id()) : List.of();
            if (!vms.isEmpty()) {
                SimulatedHost other = world.hosts().get(random.nextInt(world.hosts().size()));
                commands.orderMigration(vms.get(random.nextInt(vms.size())), other);
                return;
            }
        }
    }

    /**
     * It is removed, if the engine lets it go. The caller lets the work that follows be done.
     *
     * @return whether it is removed
     */
    boolean remove(SimulatedHost host) {
        if (!host.isManaged() || !HostAnalysis.isRemovable(engine.hostStatus(host.id()))) {
            return false;
        }
        boolean gone;
        try {
            gone = engine.removeHost(host.id());
        } catch (StoreUnavailable _) {
            gone = false;
        }
        if (gone) {
            trace.engine("has removed %s", host);
            host.managed(false);
            host.connected(false);
        }
        return gone;
    }

    /** It is added again, as an unknown host. */
    void add(SimulatedHost host) {
        if (host.isManaged()) {
            return;
        }
        try {
            engine.addHost(host.definition());
        } catch (StoreUnavailable _) {
            return;
        }
        trace.engine("is to watch %s again", host);
        host.managed(true);
        pump.run();
    }
}
