package org.stillwater.testkit.simulation;

import java.util.List;
import java.util.UUID;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.PendingWork;

/**
 * One life of an engine that a simulation moves step by step. Everything happens on the caller's
 * thread and nothing between two calls, so that a seed decides every order of events.
 */
public interface EngineUnderSimulation {

    /**
     * Makes engines on the same surroundings, one for each life.
     *
     * @see FleetSimulation
     */
    @FunctionalInterface
    interface Factory {

        /** An engine that was not started. */
        EngineUnderSimulation create(SimulationEnvironment surroundings);
    }

    /**
     * Recovers the stores' data and begins to watch.
     *
     * @throws StoreUnavailable if the stores cannot be read now
     */
    void start() throws StoreUnavailable;

    /** Does everything that can be done without waiting. */
    void pump();

    /** Stops in order: writes all data that the store accepts. */
    void stop();

    /** Ends as by a power failure: all data that was only in memory is lost. */
    void kill();

    /** Every known VM. */
    List<Shown> vms();

    /**
     * Text of the engine's hidden data of a VM in memory, for comparisons: its commands under way,
     * its devices' hash, its statistics.
     */
    String beside(VmId vm);

    /** Claims about VMs that a host other than the responsible one made and that stand, as text. */
    List<String> contested();

    /** The VMs that the engine's index of a host holds. */
    List<VmId> indexedOn(HostId host);

    /** The status of a host that is watched. */
    HostStatus hostStatus(HostId host);

    /** Asks something of a host; whether it is followed shows later. */
    void order(HostId host, HostFact.Order order);

    /** Asks for the capabilities and a complete poll of a host now. */
    void refresh(HostId host);

    /**
     * Adds a host and begins to watch it.
     *
     * @throws StoreUnavailable if the stores do not answer; nothing changed then
     */
    void addHost(HostDefinition host) throws StoreUnavailable;

    /**
     * Removes a host, if its status allows it and no VM is on it.
     *
     * @return whether it is gone
     * @throws StoreUnavailable if the stores do not answer; it is watched again then
     */
    boolean removeHost(HostId host) throws StoreUnavailable;

    /** Number of the newest change that readers got. */
    long revision();

    /** Takes a VM's lock, as a command does that is about to call a host. */
    void lock(VmId vm);

    /** Gives a VM's lock back. */
    void unlock(VmId vm);

    /** The host has carried out the order of the command that holds the lock. */
    void settle(VmId vm);

    /** A command that holds the lock begins a migration: the destination is known from now on. */
    void beginMigration(VmId vm, HostId destination);

    /** A command that holds the lock begins to run a VM on a host. */
    void beginRun(VmId vm, HostId host);

    /** A command that holds the lock has the VM stopped, to be started again once it is down. */
    void coldReboot(VmId vm);

    /** A command that holds the lock has the VM's process removed from its host. */
    void powerOff(VmId vm);

    /** Work that is left to commands and not taken over yet, oldest first. */
    List<OpenWork> pendingWork();

    /**
     * Gives work to the operation that will do it.
     *
     * @return whether it has the right to
     * @throws StoreUnavailable if the stores do not answer; the same owner may ask again
     */
    boolean takeOver(PendingWork work, UUID owner) throws StoreUnavailable;
}
