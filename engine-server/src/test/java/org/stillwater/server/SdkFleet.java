package org.stillwater.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.databind.JsonNode;

/**
 * An engine for the clients of others: over TLS, with a user that has a password, VMs that are up
 * and VMs that are down, and hosts on which time passes by itself.
 */
final class SdkFleet implements AutoCloseable {

    /** VMs that are down at first. */
    static final int DEFINED = 4;

    private static final int HOSTS = 3;
    private static final int UP = 2;
    private static final int MEBIBYTES = 256;

    /** For each real interval, this much time passes on the hosts. */
    private static final Duration STEP = Duration.ofMillis(500);

    private static final long EVERY_NANOS = 20_000_000;

    private final TestDatabase database;
    private final SimulatedFleet fleet;
    private final RunningEngine engine;
    private final Thread time;
    private volatile boolean closed;

    private final boolean secure;

    private SdkFleet(
            TestDatabase database, SimulatedFleet fleet, RunningEngine engine, boolean secure) {
        this.secure = secure;
        this.database = database;
        this.fleet = fleet;
        this.engine = engine;
        this.time = Thread.ofVirtual().name("time-of-hosts").start(this::pass);
    }

    static SdkFleet start(Path folder, String... more) throws Exception {
        return start(folder, UP, more);
    }

    /**
     * Starts one.
     *
     * @param up how many VMs are up on each host
     */
    static SdkFleet start(Path folder, int up, String... more) throws Exception {
        TestDatabase database = TestDatabase.migrated();
        try (Database other = database.open()) {
            for (int n = 0; n < DEFINED; n++) {
                other.definitions().add(new VmId(7, n), definition("defined" + n));
            }
        }
        SimulatedFleet fleet =
                SimulatedFleet.start(
                        folder, WorldSettings.of(31, HOSTS, up).withHostMemory(512 * 1024));
        List<String> arguments = new java.util.ArrayList<>(fleet.engineArguments());
        arguments.add("--stillwater.cycle.interval=200ms");
        arguments.add("--stillwater.cycle.repoll-pause=0s");
        RunningEngine engine = RunningEngine.start(database, arguments, more);
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == DEFINED + HOSTS * up,
                () -> "" + engine.monitoring().health());
        return new SdkFleet(
                database, fleet, engine, List.of(more).contains("--stillwater.tls.enabled=true"));
    }

    static Definition definition(String name) {
        VmStatic vm =
                new VmStatic(
                        name,
                        VmOrigin.OVIRT,
                        false,
                        MEBIBYTES,
                        MEBIBYTES,
                        1,
                        1,
                        1,
                        List.of(),
                        false,
                        ClusterId.DEFAULT);
        VmSpecification bare = VmSpecification.BARE;
        return new Definition(
                vm,
                new VmSpecification(
                        bare.machineType(),
                        bare.architecture(),
                        bare.cpu(),
                        bare.maximumSockets(),
                        bare.maximumMemoryMebibytes(),
                        bare.firmware(),
                        bare.boot(),
                        bare.bootMenu(),
                        bare.disks(),
                        bare.cdrom(),
                        bare.interfaces(),
                        List.of(new VmConsole(VmConsole.Protocol.VNC, null)),
                        bare.video(),
                        bare.serialConsole(),
                        bare.balloon(),
                        bare.tpm(),
                        bare.randomness(),
                        bare.watchdog(),
                        bare.numaNodes(),
                        bare.cpuPinning(),
                        bare.customProperties(),
                        bare.timeZone(),
                        bare.resume(),
                        null,
                        null,
                        VmTraits.USUAL,
                        null),
                0,
                null,
                null);
    }

    private void pass() {
        while (!closed) {
            fleet.world().advance(STEP);
            LockSupport.parkNanos(EVERY_NANOS);
        }
    }

    /** The host of the next start of a VM does not launch it; the others do then. */
    Thread holdLaunchOf(VmId vm) {
        fleet.world().hosts().forEach(host -> host.holdLaunches(true));
        return Thread.ofVirtual()
                .name("launches")
                .start(() -> {
                    while (!closed) {
                        VmView view = engine.monitoring().fleet().vm(vm);
                        HostId on = view == null ? null : view.state().placement().runOn();
                        HostView host = on == null ? null : engine.monitoring().fleet().host(on);
                        if (host != null) {
                            String name = host.state().definition().name();
                            fleet.world().hosts().stream()
                                    .filter(each -> !each.name().equals(name))
                                    .forEach(each -> each.holdLaunches(false));
                            return;
                        }
                        LockSupport.parkNanos(EVERY_NANOS);
                    }
                });
    }

    /** The truth about a VM that runs, or ran, from its simulated host. */
    JsonNode machine(String vm) {
        return RunningEngine.JSON.readTree(fleet.world().vm(vm).state());
    }

    RunningEngine engine() {
        return engine;
    }

    /** The address of the API as clients know it. */
    String url() {
        String address = engine.address();
        return (secure ? address.replace("http:", "https:") : address) + "/ovirt-engine/api";
    }

    @Override
    public void close() {
        closed = true;
        try {
            time.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        engine.close();
        fleet.close();
        database.close();
    }
}
