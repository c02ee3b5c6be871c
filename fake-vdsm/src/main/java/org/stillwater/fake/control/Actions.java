package org.stillwater.fake.control;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.world.Exit;
import org.stillwater.fake.world.KernelDump;
import org.stillwater.fake.world.MachineSpec;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import tools.jackson.databind.JsonNode;

/**
 * The actions on a VM or a host, by name: the same for single requests and for the steps of a
 * scenario. Reading an action's options checks them, so a scenario is refused as a whole before it
 * starts.
 */
final class Actions {

    private static final Map<String, Reader<SimulatedVm>> VM = vmActions();
    private static final Map<String, Reader<SimulatedHost>> HOST = hostActions();

    private Actions() {}

    /** Reads the options of an action. */
    @FunctionalInterface
    private interface Reader<T> {
        Consumer<T> read(Options options);
    }

    /**
     * An action on a VM.
     *
     * @throws IllegalArgumentException for an unknown action or bad options
     */
    static Consumer<SimulatedVm> onVm(String action, JsonNode options) {
        return read(VM, "VM", action, options);
    }

    /**
     * An action on a host.
     *
     * @throws IllegalArgumentException for an unknown action or bad options
     */
    static Consumer<SimulatedHost> onHost(String action, JsonNode options) {
        return read(HOST, "host", action, options);
    }

    static Iterable<String> vmNames() {
        return VM.keySet();
    }

    static Iterable<String> hostNames() {
        return HOST.keySet();
    }

    private static <T> Consumer<T> read(
            Map<String, Reader<T>> actions, String what, String action, JsonNode body) {
        Reader<T> reader = actions.get(action);
        if (reader == null) {
            throw new IllegalArgumentException(
                    "unknown %s action '%s'; one of %s".formatted(what, action, actions.keySet()));
        }
        Options options = new Options(body);
        Consumer<T> performed = reader.read(options);
        options.done();
        return performed;
    }

    private static Map<String, Reader<SimulatedVm>> vmActions() {
        Map<String, Reader<SimulatedVm>> all = new LinkedHashMap<>();
        all.put(
                "start",
                options -> {
                    String host = options.text("host", "any");
                    Exit failure = failure(options);
                    return vm -> vm.start(host, failure);
                });
        simple(all, "agent-up", SimulatedVm::agentUp);
        simple(all, "agent-down", SimulatedVm::agentDown);
        all.put(
                "pause",
                options -> {
                    PauseCause cause = PauseCause.ofCode(options.text("cause", "user"));
                    return vm -> vm.pause(cause);
                });
        simple(all, "resume", SimulatedVm::resume);
        simple(all, "reboot", SimulatedVm::reboot);
        all.put(
                "shutdown",
                options -> {
                    String by = options.text("by", "admin");
                    boolean obeys = options.flag("obeys", true);
                    return switch (by) {
                        case "user" -> SimulatedVm::shutDownByUser;
                        case "admin" -> vm -> vm.shutDownByAdmin(obeys);
                        default ->
                                throw new IllegalArgumentException(
                                        "'by' must be user or admin, not " + by);
                    };
                });
        all.put(
                "crash",
                options -> {
                    Exit exit = Exit.ofCode(options.text("exit", Exit.LOST_QEMU.code()));
                    String message = options.text("message");
                    return vm -> vm.crash(exit, message);
                });
        simple(all, "destroy", SimulatedVm::destroy);
        simple(all, "hibernate", SimulatedVm::hibernate);
        simple(all, "ignore-shutdown", vm -> vm.obeyShutdown(false));
        simple(all, "obey-shutdown", vm -> vm.obeyShutdown(true));
        all.put(
                "migrate",
                options -> {
                    MigrationOrder order =
                            new MigrationOrder(
                                    options.text("to", "any"),
                                    MigrationOrder.Outcome.ofCode(
                                            options.text("outcome", "success")),
                                    options.duration("takes"));
                    return vm -> vm.migrate(order);
                });
        all.put(
                "slow-down",
                options -> {
                    String disk = options.text("disk");
                    String shape = options.text("shape", "step");
                    int percent = options.number("percent", 200);
                    Duration lasts = options.duration("lasts", Duration.ZERO);
                    SimulatedHost.checkSlowdown(shape, percent, lasts);
                    return vm -> vm.slowDown(disk, shape, percent, lasts);
                });
        simple(all, "cancel-migration", SimulatedVm::cancelMigration);
        simple(all, "plug-nic", SimulatedVm::plugNic);
        simple(all, "unplug-nic", SimulatedVm::unplugNic);
        simple(all, "plug-disk", SimulatedVm::plugDisk);
        simple(all, "unplug-disk", SimulatedVm::unplugDisk);
        simple(all, "change-tpm", SimulatedVm::changeTpm);
        all.put(
                "plug-lun",
                options -> {
                    int gibibytes = options.number("gibibytes", 64);
                    return vm -> vm.plugLun(gibibytes);
                });
        all.put(
                "resize-lun",
                options -> {
                    int gibibytes = options.number("gibibytes", 128);
                    return vm -> vm.resizeLun(gibibytes);
                });
        all.put(
                "live-merge",
                options -> {
                    Duration takes = options.duration("takes", Duration.ofSeconds(60));
                    return vm -> vm.liveMerge(takes);
                });
        simple(all, "stop-responding", vm -> vm.respond(false));
        simple(all, "respond", vm -> vm.respond(true));
        all.put(
                "watchdog",
                options -> {
                    String action = options.text("action", "reset");
                    return vm -> vm.fireWatchdog(action);
                });
        with(all, "console-connect", "address", "10.50.3.7", SimulatedVm::connectConsole);
        simple(all, "console-disconnect", vm -> vm.connectConsole(""));
        with(all, "login", "user", "root", SimulatedVm::logIn);
        simple(all, "logout", vm -> vm.logIn(""));
        all.put(
                "change-address",
                options -> {
                    int nic = options.number("nic", 0);
                    String address = options.required("address");
                    return vm -> vm.changeAddress(nic, address);
                });
        return all;
    }

    private static Map<String, Reader<SimulatedHost>> hostActions() {
        Map<String, Reader<SimulatedHost>> all = new LinkedHashMap<>();
        all.put(
                "create-vm",
                options -> {
                    MachineSpec spec = spec(options);
                    Exit failure = failure(options);
                    return host -> {
                        SimulatedVm _ = host.create(spec, failure);
                    };
                });
        all.put(
                "reboot",
                options -> {
                    Duration off = options.duration("off", SimulatedHost.USUAL_REBOOT);
                    Duration recovery = options.duration("recovery", SimulatedHost.USUAL_RECOVERY);
                    boolean orderly = options.flag("orderly", false);
                    return host -> host.reboot(off, recovery, orderly);
                });
        all.put(
                "power-off",
                options -> {
                    boolean orderly = options.flag("orderly", false);
                    return host -> host.powerOff(orderly);
                });
        all.put(
                "power-on",
                options -> {
                    Duration recovery = options.duration("recovery", SimulatedHost.USUAL_RECOVERY);
                    return host -> host.powerOn(recovery);
                });
        simple(all, "lose-power", SimulatedHost::losePower);
        all.put(
                "enable-kdump",
                options -> {
                    boolean enabled = options.flag("enabled", true);
                    return host -> host.enableKdump(enabled);
                });
        all.put(
                "crash-kernel",
                options -> {
                    KernelDump dump =
                            new KernelDump(
                                    options.address("to"),
                                    options.duration("every", KernelDump.USUAL_INTERVAL),
                                    options.duration("takes", KernelDump.USUAL_TIME));
                    return host -> host.crashKernel(dump);
                });
        all.put(
                "fail-starts",
                options -> {
                    Exit exit = Exit.ofCode(options.text("exit", Exit.START_FAILED.code()));
                    int count = options.number("count", 1);
                    return host -> host.failStarts(exit, count);
                });
        all.put(
                "restart-vdsm",
                options -> {
                    Duration recovery = options.duration("recovery", SimulatedHost.USUAL_RECOVERY);
                    return host -> host.restartVdsm(recovery);
                });
        all.put(
                "network-loss",
                options -> {
                    Duration lasts = options.duration("lasts");
                    return host -> host.loseNetwork(lasts);
                });
        all.put(
                "upgrade",
                options -> {
                    String version = options.required("version");
                    Duration recovery = options.duration("recovery", SimulatedHost.USUAL_RECOVERY);
                    return host -> host.upgrade(version, recovery);
                });
        all.put(
                "slow-down",
                options -> {
                    UUID domain = options.uuid("domain");
                    List<String> others =
                            Arrays.stream(options.text("others", "").split(","))
                                    .map(String::strip)
                                    .filter(name -> !name.isEmpty())
                                    .toList();
                    String shape = options.text("shape", "step");
                    int percent = options.number("percent", 200);
                    Duration lasts = options.duration("lasts", Duration.ZERO);
                    SimulatedHost.checkSlowdown(shape, percent, lasts);
                    return host -> host.slowDown(domain, others, shape, percent, lasts);
                });
        simple(all, "end-slow-downs", SimulatedHost::endSlowdowns);
        simple(all, "network-restore", SimulatedHost::restoreNetwork);
        simple(all, "network-change", SimulatedHost::announceNetworkChange);
        all.put(
                "skew-clock",
                options -> {
                    Duration ahead = options.duration("ahead", Duration.ZERO);
                    Duration behind = options.duration("behind", Duration.ZERO);
                    return host -> host.skewWallClock(ahead.minus(behind));
                });
        all.put(
                "set-link",
                options -> {
                    String nic = options.text("nic", "ens1f0");
                    boolean up = options.flag("up", false);
                    return host -> host.setLink(nic, up);
                });
        all.put(
                "fill-swap",
                options -> {
                    int usedPercent = options.number("usedPercent", 99);
                    return host -> host.fillSwap(usedPercent);
                });
        all.put(
                "fill-disk",
                options -> {
                    String path = options.text("path", "/var/log");
                    int freeMib = options.number("freeMib", 50);
                    return host -> host.leaveOnDisk(path, freeMib);
                });
        all.put(
                "claim",
                options -> {
                    UUID vm = options.uuid("vm");
                    if (vm == null) {
                        throw new IllegalArgumentException("'vm' is missing: the id of a VM");
                    }
                    String status = options.text("status", "Up");
                    return host -> host.claim(vm, status.isEmpty() ? null : status);
                });
        simple(all, "become-spm", SimulatedHost::becomeSpm);
        return all;
    }

    static MachineSpec spec(Options options) {
        String os = options.text("os", "linux");
        if (!os.equals("linux") && !os.equals("windows")) {
            throw new IllegalArgumentException("'os' must be linux or windows, not " + os);
        }
        return new MachineSpec(
                options.uuid("id"),
                options.text("name"),
                os.equals("windows"),
                options.flag("agent", true),
                options.number("nics", 1),
                options.number("disks", 1),
                options.number("memoryMib", 4096),
                options.number("vcpus", 2));
    }

    static @Nullable Exit failure(Options options) {
        String failure = options.text("failure");
        return failure == null ? null : Exit.ofCode(failure);
    }

    private static <T> void simple(Map<String, Reader<T>> all, String name, Consumer<T> action) {
        all.put(name, _ -> action);
    }

    private static <T> void with(
            Map<String, Reader<T>> all,
            String name,
            String option,
            String otherwise,
            BiConsumer<T, String> action) {
        all.put(
                name,
                options -> {
                    String value = options.text(option, otherwise);
                    return subject -> action.accept(subject, value);
                });
    }
}
