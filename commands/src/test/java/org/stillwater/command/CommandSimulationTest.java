package org.stillwater.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.VmOrder;
import org.stillwater.testkit.hypervisor.ModelHost;

/**
 * Data centres in which everything goes on at once, each from its seed: people ask for all kinds of
 * things, hosts are cut off and lose their power, answers get lost, starts and migrations fail, the
 * database goes away, the engine crashes. Then calm returns, and everything must have come to an
 * end: nothing was started twice, nothing is held, no work is left, what is highly available runs.
 */
class CommandSimulationTest {

    private static final int VMS = 8;
    private static final int HOSTS = 3;
    private static final int MOMENTS = 120;

    /** Other seeds and more of them: {@code -Dstillwater.commands.seeds=1000-2000}. */
    static LongStream seeds() {
        String range = System.getProperty("stillwater.commands.seeds", "1-300");
        String[] ends = range.split("-", 2);
        return LongStream.rangeClosed(Long.parseLong(ends[0]), Long.parseLong(ends[1]));
    }

    private static final OperationKind[] KINDS = {
        OperationKind.RUN,
        OperationKind.RUN,
        OperationKind.SHUTDOWN,
        OperationKind.POWER_OFF,
        OperationKind.REBOOT,
        OperationKind.PAUSE,
        OperationKind.RESUME,
        OperationKind.SUSPEND,
        OperationKind.MIGRATE,
        OperationKind.MIGRATE,
        OperationKind.CANCEL_MIGRATION,
        OperationKind.CONSOLE_TICKET
    };

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everythingComesToAnEnd(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        CommandLab lab = new CommandLab().withHosts(HOSTS);
        for (int n = 1; n <= VMS; n++) {
            lab.withVm(n, n % 2 == 0, n % 3);
            if (random.nextBoolean()) {
                lab.up(n, 1 + random.nextInt(HOSTS));
            }
        }
        trouble(lab, random);
        lab.settled();
        for (int moment = 0; moment < MOMENTS; moment++) {
            something(lab, random);
            lab.centre.advance(Duration.ofMillis(random.nextInt(4_000)), lab::pump);
            lab.pump();
            assertThat(lab.centre.doubles()).as("seed %s, moment %s", seed, moment).isEmpty();
        }
        calm(lab);
        lab.seconds(900);
        check(lab, seed);
    }

    /** Hosts and guests do not always do what they are told. */
    private static void trouble(CommandLab lab, SplittableRandom random) {
        lab.centre.refusing((_, order) ->
                !(order instanceof VmOrder.Destroy) && random.nextInt(20) == 0
                        ? new HostFailure.Refused(16, "unexpected exception")
                        : null);
        lab.centre.losingAnswers((_, _) -> random.nextInt(25) == 0);
        lab.centre.failingStarts((_, _) -> random.nextInt(10) == 0);
        lab.centre.failingMigrations((_, _) -> random.nextInt(4) == 0);
        lab.centre.deafGuests(_ -> random.nextInt(10) == 0);
    }

    private static void something(CommandLab lab, SplittableRandom random) {
        ModelHost host = lab.host(1 + random.nextInt(HOSTS));
        VmId vm = CommandLab.vmId(1 + random.nextInt(VMS));
        switch (random.nextInt(24)) {
            case 0 -> host.cutOff();
            case 1, 2, 3 -> lab.centre.hosts().forEach(ModelHost::heal);
            case 4 -> host.powerOff();
            case 5, 6, 7 -> lab.centre.hosts().forEach(ModelHost::powerOn);
            case 8 -> host.crash(vm, "it crashed");
            case 9 -> host.vanish(vm);
            case 10 -> lab.crash();
            case 11 -> lab.vms.unavailable("gone");
            case 12 -> lab.operations.unavailable("gone");
            case 15 -> lab.operations.loseAnswer();
            case 13, 14 -> {
                lab.vms.unavailable(null);
                lab.operations.unavailable(null);
            }
            default -> ask(lab, random, vm);
        }
    }

    private static void ask(CommandLab lab, SplittableRandom random, VmId vm) {
        OperationKind kind = KINDS[random.nextInt(KINDS.length)];
        OperationParameters parameters =
                switch (kind) {
                    case REBOOT -> new OperationParameters.Reboot(random.nextBoolean());
                    case CONSOLE_TICKET -> new OperationParameters.Console("eve", null, 60);
                    default -> CommandLab.usual(kind);
                };
        lab.commands.password(vm, "password");
        List<CompletableFuture<Answer>> _ =
                lab.commands.submit(List.of(new Wanted(vm, kind, parameters)), CommandLab.TESTER);
    }

    private static void calm(CommandLab lab) {
        lab.centre.refusing((_, _) -> null);
        lab.centre.losingAnswers((_, _) -> false);
        lab.centre.failingStarts((_, _) -> false);
        lab.centre.failingMigrations((_, _) -> false);
        lab.centre.deafGuests(_ -> false);
        lab.vms.unavailable(null);
        lab.operations.unavailable(null);
        lab.centre.hosts().forEach(ModelHost::powerOn);
        lab.centre.hosts().forEach(ModelHost::heal);
        if (!lab.isAlive()) {
            lab.crash();
        }
    }

    private static void check(CommandLab lab, long seed) {
        StringBuilder shown = new StringBuilder("seed " + seed);
        lab.open()
                .forEach(task -> {
                    VmId vm = Objects.requireNonNull(task.operation().vm());
                    shown.append(", ").append(lab.engine().vm(vm));
                    lab.centre.hosts().forEach(host -> shown.append(", ").append(host.status(vm)));
                });
        String where = shown.toString();
        assertThat(lab.centre.doubles()).as(where).isEmpty();
        assertThat(lab.open()).as(where).isEmpty();
        assertThat(lab.engine().pendingWork()).as(where).isEmpty();
        TreeSet<String> open = new TreeSet<>();
        for (Operation operation : lab.operations.all()) {
            if (!operation.isEnded()) {
                open.add(operation.toString());
            }
        }
        assertThat(open).as(where).isEmpty();
        for (int n = 1; n <= VMS; n++) {
            VmId id = CommandLab.vmId(n);
            String vm = where + ", vm" + n;
            assertThat(lab.isHeld(n)).as(vm).isFalse();
            List<ModelHost> homes = lab.centre.homes(id);
            VmStatus status = lab.status(n);
            if (status.isRunningOrPaused()) {
                assertThat(homes).as(vm + " is " + status).hasSize(1);
                assertThat(lab.vm(n).state().placement().runOn())
                        .as(vm)
                        .isEqualTo(homes.getFirst().id());
            } else {
                assertThat(status).as(vm).isIn(VmStatus.DOWN, VmStatus.SUSPENDED);
                assertThat(homes).as(vm + " is " + status).isEmpty();
            }
            assertThat(lab.vms.vm(id).runtime().status()).as(vm).isEqualTo(status);
        }
    }
}
