package org.stillwater.testkit.simulation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.Stores;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/**
 * The environment of an engine under simulation. It outlives the engine.
 *
 * @param clock the only time there is
 * @param connector hosts that send the simulation's messages
 * @param tables what the engine has saved
 */
public record SimulationEnvironment(
        VirtualClock clock, ScriptedConnector connector, SimulatedStores tables) {

    static SimulationEnvironment fresh() {
        VirtualClock clock = VirtualClock.strict();
        return new SimulationEnvironment(
                clock, new ScriptedConnector(clock), SimulatedStores.fresh());
    }

    /** The stores as an engine takes them. */
    public Stores stores() {
        return tables.ofEngine();
    }

    InMemoryHostStore hosts() {
        return tables.hosts();
    }

    /** The VMs' tables. */
    public InMemoryVmStore vms() {
        return tables.vms();
    }

    InMemoryDeviceStore devices() {
        return tables.devices();
    }

    InMemoryAuditStore audit() {
        return tables.audit();
    }

    /** Statements so far, except those that keep house by the clock. */
    int calls() {
        return tables.calls();
    }

    /** From now on no store can be reached; null ends it. */
    void unavailable(@Nullable String reason) {
        tables.unavailable(reason);
    }
}
