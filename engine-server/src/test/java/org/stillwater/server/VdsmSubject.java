package org.stillwater.server;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.SimulatedVm;

/** Simulated VDSM hosts that all run the same number of VMs. */
final class VdsmSubject implements ContractSubject {

    private final RunningEngine engine;
    private final SimulatedFleet fleet;
    private final int hosts;
    private final int vmsOnEach;

    VdsmSubject(RunningEngine engine, SimulatedFleet fleet, int hosts, int vmsOnEach) {
        this.engine = engine;
        this.fleet = fleet;
        this.hosts = hosts;
        this.vmsOnEach = vmsOnEach;
    }

    @Override
    public RunningEngine engine() {
        return engine;
    }

    @Override
    public Set<Gap> gaps() {
        return Set.of();
    }

    @Override
    public String cluster() {
        return "Default";
    }

    @Override
    public int hosts() {
        return hosts;
    }

    @Override
    public int vms() {
        return hosts * vmsOnEach;
    }

    @Override
    public int running() {
        return vms();
    }

    @Override
    public int vmsOn(String host) {
        return vmsOnEach;
    }

    @Override
    public String addresses() {
        return "LOCAL*";
    }

    @Override
    public String nic() {
        return "ens1f0";
    }

    private List<SimulatedVm> running(boolean agent) {
        return Truth.running(RunningEngine.JSON.readTree(fleet.world().state())).values().stream()
                .filter(vm -> vm.path("guest").path("agent").asString().equals("active") == agent)
                .map(vm -> fleet.world().vm(vm.path("id").asString()))
                .toList();
    }

    @Override
    public String vm(int number) {
        return running(false).get(number).id().toString();
    }

    /** A user logs in to a guest whose agent talks. */
    @Override
    public Change change(int number) {
        SimulatedVm vm = running(true).get(number);
        String id = vm.id().toString();
        String user = "user-" + number;
        return new Change(
                id,
                "guestUser",
                user,
                () -> {
                    vm.logIn(user);
                    fleet.world().advance(Duration.ofSeconds(1));
                    engine.pollAll();
                    RunningEngine.await(
                            () ->
                                    engine.json("/api/v1/vms/" + id)
                                            .path("guestUser")
                                            .asString("")
                                            .equals(user),
                            () -> engine.get("/api/v1/vms/" + id).body());
                });
    }

    @Override
    public void migrate(String vm, String hostId) {
        fleet.world()
                .vm(vm)
                .migrate(
                        MigrationOrder.to(
                                engine.json("/api/v1/hosts/" + hostId).path("name").asString()));
    }

    @Override
    public void pass() {
        fleet.world().advance(Duration.ofMillis(500));
    }
}
