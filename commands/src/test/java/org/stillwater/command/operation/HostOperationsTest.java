package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.command.host.HostOperationSettings;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmState;

/** Operations on hosts and definitions, with and without crashes of the engine. */
class HostOperationsTest {

    // -------------------------------------------------------------------------------- draining

    @Test
    @DisplayName("S88 a host is drained in one batch, and enters maintenance when no VM is left")
    void aHostIsDrained() {
        HostLab hosts = new HostLab(3).withVms(6, false);
        hosts.lab.settled();
        hosts.maintain(1);
        hosts.lab.seconds(8);
        Operation drain = hosts.only(OperationKind.DRAIN);
        assertThat(drain.state()).isEqualTo(OperationState.RUNNING);
        assertThat(hosts.operations(OperationKind.MIGRATE))
                .hasSize(6)
                .allMatch(child -> drain.id().equals(child.origin().batch()))
                .extracting(child -> child.origin().position())
                .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
        hosts.lab.seconds(40);
        assertThat(hosts.only(OperationKind.DRAIN))
                .satisfies(
                        ended -> assertThat(ended.state()).isEqualTo(OperationState.SUCCEEDED),
                        ended -> assertThat(ended.progress()).isEqualTo(100));
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        for (int n = 1; n <= 6; n++) {
            hosts.up(n, 2, 3);
        }
        hosts.wellEnded();
    }

    @Test
    @DisplayName(
            "S89 a failed drain names the VMs that cannot leave with the reasons, and is repeated")
    void aVmThatFitsNowhere() {
        HostLab hosts = new HostLab(2).withVms(2, false);
        hosts.lab.host(2).of(64, 1_700);
        hosts.lab.settled();
        hosts.maintain(1);
        hosts.lab.seconds(200);
        Operation first = hosts.only(OperationKind.DRAIN);
        OperationFailure failure = Objects.requireNonNull(first.failure(), first.toString());
        assertThat(failure.reason()).contains("no host fits: ").containsPattern("^vm[12]: ");
        assertThat(hosts.status(1)).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        hosts.lab.host(2).of(64, 64_000);
        assertThat(hosts.lab.engine().administration().refresh(CommandLab.hostId(2))).isTrue();
        hosts.lab.seconds(300);
        assertThat(hosts.operations(OperationKind.DRAIN)).hasSize(2);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        hosts.wellEnded();
    }

    @Test
    @DisplayName("S88 a VM that is down and still belongs to the host is named")
    void aVmThatIsDownOnTheHost() {
        HostLab hosts = new HostLab(2);
        CommandLab lab = hosts.lab.withVm(2).settled();
        lab.stepped.change(
                CommandLab.vmId(2),
                VmCommands.NONE,
                state ->
                        new VmState(
                                state.runtime().with(RuntimeField.STATUS, VmStatus.SUSPENDED),
                                VmPlacement.on(CommandLab.hostId(1)),
                                0,
                                lab.clock.now(),
                                lab.clock.nanoTime()));
        hosts.maintain(1);
        lab.seconds(1);
        assertThat(Objects.requireNonNull(hosts.only(OperationKind.DRAIN).failure()).reason())
                .startsWith("vm2: it is suspended: only a VM that is up");
        assertThat(hosts.status(1)).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        lab.seconds(30);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        hosts.wellEnded();
    }

    /** Ansible's collection waits for 600 s. */
    @Test
    @DisplayName("a host with 16 VMs enters maintenance in 600 s although one waits for launch")
    void aVmThatIsNotLaunchedIsStartedElsewhere() {
        HostLab hosts = new HostLab(3).withVms(15, false);
        CommandLab lab = hosts.lab.withVm(16);
        lab.host(2).of(64, 700);
        lab.host(3).of(64, 700);
        lab.settled();
        lab.centre.neverLaunching((host, _) -> host == lab.host(1));
        UUID run = lab.accepted(16, OperationKind.RUN);
        lab.seconds(20);
        assertThat(lab.status(16)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        for (int n = 2; n <= 3; n++) {
            lab.host(n).of(64, 64_000);
            assertThat(lab.engine().administration().refresh(CommandLab.hostId(n))).isTrue();
        }
        lab.seconds(5);
        hosts.maintain(1);
        lab.seconds(600);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
        for (int n = 1; n <= 16; n++) {
            hosts.up(n, 2, 3);
        }
        hosts.wellEnded();
    }

    @Test
    @DisplayName("a start on this host only ends if the host that drains does not launch it")
    void aStartThatIsPinnedToAHostThatDrainsEnds() {
        HostLab hosts = new HostLab(2).withVms(2, false);
        CommandLab lab = hosts.lab.withVm(3).settled();
        lab.centre.neverLaunching((host, _) -> host == lab.host(1));
        UUID run =
                lab.accepted(
                        3,
                        OperationKind.RUN,
                        new OperationParameters.Run(
                                CommandLab.hostId(1), false, OperationParameters.Cause.REQUEST));
        lab.seconds(5);
        assertThat(lab.status(3)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        hosts.maintain(1);
        lab.seconds(300);
        Operation ended = lab.operation(run);
        OperationFailure failure = Objects.requireNonNull(ended.failure(), ended.toString());
        assertThat(failure.code()).isEqualTo(OperationFailure.Code.NO_HOST);
        assertThat(failure.reason())
                .startsWith("it may run on host1 only: it was not launched for ");
        assertThat(lab.status(3)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.host(1).orders(VmOrder.Destroy.class))
                .extracting(VmOrder.Destroy::vmId)
                .as("nothing is left of the start")
                .containsOnlyOnce(CommandLab.vmId(3));
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void aVmThatVanishesFromAHostThatIsBeingDrainedIsStartedElsewhere() {
        HostLab hosts = new HostLab(3).withVms(1, false);
        CommandLab lab = hosts.lab.withVm(2);
        lab.host(2).of(64, 700);
        lab.host(3).of(64, 700);
        lab.settled();
        UUID run = lab.accepted(2, OperationKind.RUN);
        lab.seconds(5);
        assertThat(lab.status(2)).isEqualTo(VmStatus.POWERING_UP);
        lab.host(2).cutOff();
        lab.host(3).cutOff();
        hosts.maintain(1);
        lab.seconds(2);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.RUNNING);
        lab.host(1).vanish(CommandLab.vmId(2));
        lab.seconds(20);
        for (int n = 2; n <= 3; n++) {
            lab.host(n).of(64, 64_000).heal();
        }
        lab.seconds(300);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
        hosts.up(2, 2, 3);
        hosts.wellEnded();
    }

    @Test
    @DisplayName(
            "a drain of 16 VMs fails within 300 s while one is not launched, which leaves later")
    void aVmThatIsNeverLaunchedWithoutAnAwaitedStart() {
        HostLab hosts = new HostLab(3).withVms(15, false);
        CommandLab lab = hosts.lab.withVm(16).up(16, 1).settled();
        lab.host(1).stuckInLaunch(CommandLab.vmId(16));
        lab.seconds(30);
        assertThat(lab.status(16)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        hosts.maintain(1);
        lab.seconds(299);
        Operation drain = hosts.only(OperationKind.DRAIN);
        assertThat(Objects.requireNonNull(drain.failure(), drain.toString()).reason())
                .startsWith("vm16: it is wait");
        assertThat(hosts.status(1)).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
        // As soon as it is launched it leaves, without another attempt's patience.
        lab.seconds(10);
        lab.host(1).launch(CommandLab.vmId(16));
        lab.seconds(60);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        hosts.up(16, 2, 3);
    }

    @Test
    void aVmThatPowersUpLeavesWithTheOthers() {
        HostLab hosts = new HostLab(2).withVms(1, false);
        CommandLab lab = hosts.lab.withVm(2).settled();
        UUID run =
                lab.accepted(
                        2,
                        OperationKind.RUN,
                        new OperationParameters.Run(
                                CommandLab.hostId(1), false, OperationParameters.Cause.REQUEST));
        lab.seconds(4);
        assertThat(lab.status(2)).isEqualTo(VmStatus.POWERING_UP);
        hosts.maintain(1);
        lab.seconds(40);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
        hosts.up(2, 2);
        hosts.wellEnded();
    }

    @Test
    @DisplayName("five VMs leave a host that is busy with migrations of others")
    void aHostThatQueuesMigrations() {
        HostLab hosts = new HostLab(3).withVms(5, false);
        CommandLab lab = hosts.lab.settled();
        lab.host(1).occupied(2);
        hosts.maintain(1);
        lab.seconds(200);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.RUNNING);
        lab.host(1).occupied(1);
        lab.seconds(200);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.host(1).orders(VmOrder.Migrate.class)).hasSize(5);
        hosts.wellEnded();
    }

    @Test
    @DisplayName("S88 more VMs than a destination takes at once leave one after the other")
    void aDestinationThatTakesFew() {
        HostLab hosts = new HostLab(2).withVms(9, false);
        CommandLab lab = hosts.lab.settled();
        hosts.maintain(1);
        lab.seconds(4);
        assertThat(hosts.only(OperationKind.DRAIN).step())
                .isEqualTo("0 of 9 VMs have left, 2 migrate, 7 wait for a host that takes them");
        assertThat(hosts.operations(OperationKind.MIGRATE))
                .filteredOn(child -> child.step().startsWith("waits for its turn: hosts take 2"))
                .hasSize(7);
        int most = 0;
        for (int i = 0; i < 80; i++) {
            lab.seconds(1);
            long arriving =
                    lab.host(2).running().stream()
                            .filter(vm -> lab.host(2).status(vm) == VmStatus.MIGRATING_TO)
                            .count();
            most = Math.max(most, (int) arriving);
        }
        assertThat(most).isEqualTo(2);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.host(1).orders(VmOrder.Migrate.class)).hasSize(9);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.SUCCEEDED);
        hosts.wellEnded();
    }

    @Test
    @DisplayName("S89 a drain waits for a full destination for a bounded time")
    void aDestinationThatIsBusyWithOthers() {
        HostLab hosts = new HostLab(2).withVms(2, false);
        CommandLab lab = hosts.lab.settled();
        boolean[] busy = {true};
        lab.centre.refusing((_, order) ->
                busy[0] && order instanceof VmOrder.Migrate
                        ? new HostFailure.Refused(
                                RefusalCode.MIGRATION_LIMIT, "migration limit exceeded")
                        : null);
        hosts.maintain(1);
        lab.seconds(60);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.RUNNING);
        assertThat(hosts.operations(OperationKind.MIGRATE))
                .hasSize(2)
                .allMatch(child -> child.state() == OperationState.RUNNING)
                .allMatch(child -> child.tried().isEmpty())
                .anyMatch(child -> child.step().equals("waits until hosts take more migrations"));
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        busy[0] = false;
        lab.seconds(30);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        hosts.up(1, 2);
        hosts.up(2, 2);
        hosts.wellEnded();
    }

    @Test
    @DisplayName("S89 a drain reports that a host takes no migration at all")
    void aDestinationThatStaysBusy() {
        HostLab hosts = new HostLab(2).withVms(1, false);
        CommandLab lab = hosts.lab.settled();
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Migrate
                        ? new HostFailure.Refused(
                                RefusalCode.MIGRATION_LIMIT, "migration limit exceeded")
                        : null);
        hosts.maintain(1);
        lab.seconds(3_700);
        assertThat(hosts.operations(OperationKind.DRAIN).getFirst().failure())
                .satisfies(failure ->
                        assertThat(Objects.requireNonNull(failure).reason())
                                .startsWith("vm1: hosts took no more migrations for 3600 s: the"));
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.PREPARING_FOR_MAINTENANCE);
    }

    @Test
    void aCancelledDrainStartsNoMoreMigrations() {
        HostLab hosts = new HostLab(2).withVms(3, false);
        hosts.lab.settled();
        hosts.maintain(1);
        hosts.lab.seconds(2);
        Operation drain = hosts.only(OperationKind.DRAIN);
        assertThat(hosts.lab.commands.cancel(drain.id(), CommandLab.TESTER)).isNull();
        hosts.lab.seconds(40);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.CANCELLED);
        hosts.wellEnded();
    }

    @Test
    void aHostThatIsActivatedKeepsTheVmsWhoseTurnHasNotCome() {
        HostLab hosts = new HostLab(2).withVms(9, false);
        CommandLab lab = hosts.lab.settled();
        hosts.maintain(1);
        lab.seconds(4);
        assertThat(
                        lab.engine()
                                .administration()
                                .order(CommandLab.hostId(1), new HostFact.Activate()))
                .isNotNull();
        lab.seconds(60);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.CANCELLED);
        assertThat(hosts.operations(OperationKind.MIGRATE))
                .extracting(Operation::state)
                .containsOnly(OperationState.SUCCEEDED, OperationState.CANCELLED)
                .filteredOn(OperationState.SUCCEEDED::equals)
                .hasSize(2);
        hosts.maintain(1);
        lab.seconds(4);
        Operation second = hosts.operations(OperationKind.DRAIN).getLast();
        assertThat(
                        lab.commands.operations(operation ->
                                operation.kind() == OperationKind.MIGRATE && !operation.isEnded()))
                .hasSize(7)
                .allMatch(child -> second.id().equals(child.origin().batch()));
    }

    @Test
    void aRequestedMigrationOutlivesTheDrain() {
        HostLab hosts = new HostLab(2).withVms(4, false);
        CommandLab lab = hosts.lab.settled();
        for (int n = 1; n <= 4; n++) {
            UUID _ = lab.accepted(n, OperationKind.MIGRATE);
        }
        hosts.maintain(1);
        lab.seconds(4);
        assertThat(
                        lab.engine()
                                .administration()
                                .order(CommandLab.hostId(1), new HostFact.Activate()))
                .isNotNull();
        lab.seconds(90);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.CANCELLED);
        for (int n = 1; n <= 4; n++) {
            hosts.up(n, 2);
        }
    }

    @Test
    void aHostThatIsFitAgainKeepsTheVmsWhoseTurnHasNotCome() {
        HostLab hosts = new HostLab(2).withVms(9, false);
        hosts.leaving(MigrateOnError.ALL);
        CommandLab lab = hosts.lab.settled();
        lab.host(1).loseKvm();
        assertThat(lab.engine().administration().refresh(CommandLab.hostId(1))).isTrue();
        lab.seconds(4);
        assertThat(hosts.only(OperationKind.EVACUATE).isEnded()).isFalse();
        lab.host(1).regainKvm();
        assertThat(
                        lab.engine()
                                .administration()
                                .order(CommandLab.hostId(1), new HostFact.Activate()))
                .isNotNull();
        lab.seconds(60);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.UP);
        assertThat(hosts.only(OperationKind.EVACUATE).state()).isEqualTo(OperationState.CANCELLED);
        assertThat(hosts.operations(OperationKind.MIGRATE))
                .filteredOn(child -> child.state() == OperationState.CANCELLED)
                .hasSizeGreaterThan(4);
        hosts.wellEnded();
    }

    @Test
    void anActivatedHostIsNotDrained() {
        HostLab hosts = new HostLab(2).withVms(3, false);
        hosts.lab.settled();
        hosts.maintain(1);
        hosts.lab.seconds(2);
        assertThat(
                        hosts.lab
                                .engine()
                                .administration()
                                .order(CommandLab.hostId(1), new HostFact.Activate()))
                .isNotNull();
        hosts.lab.seconds(40);
        assertThat(hosts.only(OperationKind.DRAIN).state()).isEqualTo(OperationState.CANCELLED);
        hosts.wellEnded();
    }

    @ParameterizedTest(name = "crash after {0} rounds")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 20})
    void aDrainContinuesAfterACrashOfTheEngine(int rounds) {
        HostLab hosts = new HostLab(3).withVms(4, false);
        CommandLab lab = hosts.lab;
        lab.settled();
        assertThat(
                        lab.engine()
                                .administration()
                                .order(CommandLab.hostId(1), new HostFact.Maintain(null)))
                .isNotNull();
        for (int i = 0; i < rounds; i++) {
            if (i > 7) {
                lab.seconds(2);
            }
            boolean _ = lab.centre.step();
            boolean _ = lab.stepped.pump();
            boolean _ = lab.commands.pump();
        }
        lab.crash();
        lab.seconds(5);
        if (hosts.status(1) == HostStatus.UP) {
            hosts.maintain(1); // the order was not durable
        }
        lab.seconds(700);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        for (int n = 1; n <= 4; n++) {
            hosts.up(n, 2, 3);
        }
        hosts.wellEnded();
    }

    // ------------------------------------------------------------------------------ evacuation

    @ParameterizedTest(name = "S86 VMs leave a host that is not operational: {0}")
    @EnumSource(MigrateOnError.class)
    void anEvacuation(MigrateOnError policy) {
        HostLab hosts = new HostLab(2);
        hosts.lab.withVm(1, true, 0).up(1, 1).withVm(2, false, 0).up(2, 1);
        hosts.leaving(policy);
        hosts.lab.settled();
        hosts.lab.host(1).loseKvm();
        assertThat(hosts.lab.engine().administration().refresh(CommandLab.hostId(1))).isTrue();
        hosts.lab.seconds(40);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.NON_OPERATIONAL);
        switch (policy) {
            case ALL -> {
                hosts.up(1, 2);
                hosts.up(2, 2);
            }
            case HIGHLY_AVAILABLE -> {
                hosts.up(1, 2);
                hosts.up(2, 1);
            }
            case NONE -> {
                hosts.up(1, 1);
                hosts.up(2, 1);
            }
        }
        assertThat(hosts.operations(OperationKind.EVACUATE))
                .allMatch(operation -> operation.state() == OperationState.SUCCEEDED);
        hosts.wellEnded();
    }

    @Test
    void anEvacuationOutlastsADatabaseThatDoesNotAnswer() {
        HostLab hosts = new HostLab(2).withVms(2, false);
        hosts.leaving(MigrateOnError.ALL);
        CommandLab lab = hosts.lab.settled();
        lab.faults.fail(
                (method, arguments) -> method.equals("begin") && isOfMigrations(arguments),
                () -> new StoreUnavailable("gone", new IllegalStateException("gone")));
        lab.host(1).loseKvm();
        assertThat(lab.engine().administration().refresh(CommandLab.hostId(1))).isTrue();
        lab.seconds(20);
        assertThat(hosts.only(OperationKind.EVACUATE).step())
                .contains("2 are asked again, because");
        lab.faults.heal();
        lab.seconds(90);
        hosts.up(1, 2);
        hosts.up(2, 2);
        assertThat(hosts.only(OperationKind.EVACUATE).state()).isEqualTo(OperationState.SUCCEEDED);
        hosts.wellEnded();
    }

    private static boolean isOfMigrations(Object[] arguments) {
        List<?> all = (List<?>) arguments[0];
        return all.stream()
                .allMatch(each ->
                        each instanceof Begun begun
                                && begun.operation().kind() == OperationKind.MIGRATE);
    }

    // ---------------------------------------------------------------------------------- leases

    private static HostLab leases() {
        HostLab hosts = new HostLab(2);
        hosts.lab
                .withVm(1, false, 0, true)
                .up(1, 1)
                .withVm(2, false, 50, true)
                .up(2, 1)
                .withVm(3, false, 99, false)
                .up(3, 1);
        hosts.lab.settled();
        hosts.lab.host(1).powerOff();
        return hosts;
    }

    @Test
    @DisplayName(
            "S84 VMs with a lease are started elsewhere by priority while their host is silent")
    void vmsWithLeases() {
        HostLab hosts = leases();
        hosts.lab.seconds(290);
        assertThat(hosts.operations(OperationKind.RUN))
                .extracting(Operation::vm)
                .containsExactly(CommandLab.vmId(2), CommandLab.vmId(1));
        hosts.up(1, 2);
        hosts.up(2, 2);
        assertThat(hosts.lab.status(3)).isEqualTo(VmStatus.UNKNOWN);
        hosts.wellEnded();
    }

    @Test
    @DisplayName("T36 a VM with a lease that cannot be started elsewhere stays unknown")
    void aLeaseStartThatFails() {
        HostLab hosts = leases();
        hosts.lab.centre.failingStarts((_, _) -> true);
        hosts.lab.seconds(1_200);
        // The first attempt has failed; a later failed contact repeats it.
        assertThat(hosts.operations(OperationKind.RUN).subList(0, 2))
                .allMatch(run -> run.state() == OperationState.FAILED);
        assertThat(hosts.lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(hosts.lab.status(2)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(hosts.lab.vm(1).state().placement().runOn()).isEqualTo(CommandLab.hostId(1));
    }

    @Test
    @DisplayName("S84 a crash between the start of lease VMs and the taking over of the work")
    void aCrashAmidLeaseStarts() {
        HostLab hosts = leases();
        for (int i = 0; i < 290 && hosts.operations(OperationKind.RUN).isEmpty(); i++) {
            hosts.lab.seconds(1);
        }
        assertThat(hosts.operations(OperationKind.RUN)).hasSize(2);
        hosts.lab.crash();
        hosts.lab.seconds(280);
        assertThat(hosts.operations(OperationKind.RUN)).hasSize(2);
        hosts.up(1, 2);
        hosts.up(2, 2);
        assertThat(hosts.lab.centre.doubles()).isEmpty();
    }

    // --------------------------------------------------------------------------------- fencing

    @Test
    @DisplayName(
            "S81 a host that is given up is fenced once, and its VMs run elsewhere by priority")
    void aFencedHost() {
        HostLab hosts = new HostLab(3).withAgent(1).withVms(3, true);
        hosts.lab.settled();
        hosts.lab.host(1).cutOff();
        hosts.lab.seconds(500);
        assertThat(hosts.power.fenced).containsExactly(CommandLab.hostId(1));
        assertThat(hosts.power.on).containsExactly(CommandLab.hostId(1));
        for (int n = 1; n <= 3; n++) {
            hosts.up(n, 2, 3);
        }
        assertThat(hosts.operations(OperationKind.RUN))
                .extracting(Operation::vm)
                .containsExactly(CommandLab.vmId(3), CommandLab.vmId(2), CommandLab.vmId(1));
        assertThat(hosts.only(OperationKind.FENCE).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(hosts.lab.events())
                .contains("VDS_RECOVER", "VM_WAS_SET_DOWN_DUE_TO_HOST_REBOOT_OR_MANUAL_FENCE")
                .doesNotContain("VM_DOWN_ERROR");
        String why = hosts.only(OperationKind.FENCE).origin().correlation();
        assertThat(hosts.lab.correlations("HOST_OPERATION_BEGUN")).containsExactly(why);
        assertThat(hosts.lab.correlations("VDS_RECOVER")).containsExactly(why);
        assertThat(hosts.lab.correlations("HOST_OPERATION_DONE")).containsExactly(why);
        assertThat(hosts.lab.operations.all().toString()).doesNotContain("secret word");
        hosts.wellEnded();
    }

    @Test
    void aHostThatCannotBeSwitchedOffKeepsItsVms() {
        HostLab hosts = new HostLab(2).withAgent(1).withVms(2, true);
        hosts.power.mode = ScriptedPowerFence.Mode.FAILS;
        hosts.lab.settled();
        hosts.lab.host(1).cutOff();
        hosts.lab.seconds(1_800);
        // Thrice, after longer and longer pauses, and then no more.
        assertThat(hosts.power.fenced).hasSize(3);
        assertThat(hosts.lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(hosts.operations(OperationKind.RUN)).isEmpty();
        assertThat(hosts.operations(OperationKind.FENCE))
                .hasSize(3)
                .allMatch(fence -> fence.state() == OperationState.FAILED);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.NON_RESPONSIVE);
        assertThat(hosts.lab.events()).contains("VDS_RECOVER_FAILED");
        hosts.wellEnded();
    }

    @Test
    void aHostThatCouldNotBeSwitchedOffIsTriedAgain() {
        HostLab hosts = new HostLab(2).withAgent(1).withVms(2, true);
        hosts.power.mode = ScriptedPowerFence.Mode.FAILS;
        hosts.lab.settled();
        hosts.lab.host(1).cutOff();
        for (int i = 0; i < 600 && hosts.power.fenced.isEmpty(); i++) {
            hosts.lab.seconds(1);
        }
        hosts.lab.seconds(5);
        // How often it was tried is known after a restart, too.
        hosts.lab.crash();
        hosts.power.mode = ScriptedPowerFence.Mode.WORKS;
        hosts.lab.seconds(900);
        assertThat(hosts.power.fenced).hasSize(2);
        hosts.up(1, 2);
        hosts.up(2, 2);
        hosts.wellEnded();
    }

    @ParameterizedTest(name = "also while the wall clock is set by {0}")
    @ValueSource(strings = {"PT0S", "PT-6H", "PT6H"})
    void aHostThatMayHoldItsStorageLeasesIsFencedLater(Duration step) {
        HostLab hosts = new HostLab(2).withAgent(1).withVms(1, true);
        hosts.lab.clusters.put(
                new Cluster(
                        Cluster.DEFAULT.id(),
                        Cluster.DEFAULT.dataCentre(),
                        Cluster.DEFAULT.name(),
                        Cluster.DEFAULT.description(),
                        Cluster.DEFAULT.requirements(),
                        Cluster.DEFAULT.migrateOnError(),
                        new FencingPolicy(true, null, true),
                        Cluster.DEFAULT.memory()));
        hosts.lab.settled();
        hosts.lab.seconds(300);
        hosts.lab.host(1).cutOff();
        int silent = 0;
        while (hosts.status(1) != HostStatus.NON_RESPONSIVE && silent++ < 400) {
            hosts.lab.seconds(1);
        }
        hosts.lab.clock.jump(step);
        hosts.lab.seconds(85);
        assertThat(hosts.power.fenced).isEmpty();
        hosts.lab.seconds(15);
        assertThat(hosts.power.fenced).hasSize(1);
    }

    @Test
    void aVmThatMayHaveArrivedElsewhereIsNotStartedWhenItsSourceIsFenced() {
        HostLab hosts = new HostLab(3).withAgent(1).withVms(1, true);
        hosts.lab.host(3).of(64, 1);
        hosts.lab.settled();
        hosts.lab.accepted(1, OperationKind.MIGRATE);
        hosts.lab.seconds(4);
        hosts.lab.host(2).cutOff();
        hosts.lab.host(1).cutOff();
        hosts.lab.host(3).of(64, 64_000);
        assertThat(hosts.lab.engine().administration().refresh(CommandLab.hostId(3))).isTrue();
        CompletableFuture<Answer> answer =
                hosts.hosts.fence(CommandLab.hostId(1), CommandLab.TESTER);
        hosts.lab.seconds(120);
        assertThat(answer.join()).isInstanceOf(Answer.Accepted.class);
        assertThat(hosts.power.fenced).containsExactly(CommandLab.hostId(1));
        assertThat(hosts.lab.centre.doubles()).isEmpty();
        assertThat(hosts.lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(hosts.lab.vm(1).state().placement().runOn()).isEqualTo(CommandLab.hostId(2));
        assertThat(hosts.operations(OperationKind.RUN)).isEmpty();
        hosts.lab.host(2).heal();
        hosts.lab.seconds(700);
        assertThat(hosts.lab.status(1).isRunningOrPaused()).as("%s", hosts.lab.vm(1)).isTrue();
        assertThat(hosts.lab.centre.homes(CommandLab.vmId(1))).hasSize(1);
        assertThat(hosts.lab.centre.doubles()).isEmpty();
    }

    @Test
    void aDryRunReportsItsPlanOnly() {
        HostLab hosts = new HostLab(2).withAgent(1).withVms(2, true);
        hosts.settings = HostOperationSettings.DEFAULT;
        hosts.lab.settled();
        hosts.lab.host(1).cutOff();
        hosts.lab.seconds(500);
        assertThat(hosts.power.fenced).isEmpty();
        assertThat(hosts.lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(hosts.operations(OperationKind.RUN)).isEmpty();
        assertThat(hosts.only(OperationKind.FENCE).step())
                .startsWith("dry run: ")
                .contains("fence_ipmilan at 192.0.2.200")
                .doesNotContain("secret");
    }

    @Test
    @DisplayName(
            "S30 a host that comes back before it is fenced is not, and its VMs are known again")
    void aHostThatComesBack() {
        HostLab hosts = new HostLab(2).withAgent(1).withVms(2, true);
        hosts.lab.settled();
        hosts.lab.host(1).cutOff();
        hosts.lab.seconds(290);
        assertThat(hosts.lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        hosts.lab.host(1).heal();
        hosts.lab.seconds(200);
        assertThat(hosts.power.fenced).isEmpty();
        assertThat(hosts.operations(OperationKind.FENCE)).isEmpty();
        hosts.up(1, 1);
        hosts.wellEnded();
    }

    @Test
    @DisplayName("S31 a host that booted by itself does not have its VMs: they are started again")
    void aHostThatBooted() {
        HostLab hosts = new HostLab(2).withVms(2, true);
        hosts.lab.settled();
        hosts.lab.host(1).powerOff();
        hosts.lab.seconds(200);
        assertThat(hosts.lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        hosts.lab.host(1).powerOn();
        hosts.lab.seconds(120);
        hosts.up(1, 1, 2);
        hosts.up(2, 1, 2);
        assertThat(hosts.operations(OperationKind.RUN)).hasSize(2);
        hosts.wellEnded();
    }

    @ParameterizedTest(name = "crash while power is {0}")
    @EnumSource(ScriptedPowerFence.Mode.class)
    void anEngineThatCrashesWhileItFences(ScriptedPowerFence.Mode mode) {
        HostLab hosts = new HostLab(3).withAgent(1).withVms(3, true);
        hosts.power.mode = mode;
        hosts.lab.settled();
        hosts.lab.host(1).cutOff();
        for (int i = 0; i < 400 && hosts.power.fenced.isEmpty(); i++) {
            hosts.lab.seconds(1);
        }
        assertThat(hosts.power.fenced).hasSize(1);
        hosts.lab.crash();
        hosts.power.mode = ScriptedPowerFence.Mode.WORKS;
        hosts.lab.seconds(1_200);
        for (int n = 1; n <= 3; n++) {
            hosts.up(n, 1, 2, 3);
            assertThat(hosts.lab.centre.homes(CommandLab.vmId(n))).hasSize(1);
        }
        assertThat(hosts.operations(OperationKind.RUN)).hasSize(3);
        hosts.wellEnded();
    }

    @Test
    void aRebootIsConfirmed() {
        HostLab hosts = new HostLab(2).withVms(2, true);
        hosts.lab.settled();
        assertThat(hosts.hosts.confirmRebooted(CommandLab.hostId(1), CommandLab.TESTER).join())
                .isInstanceOf(Answer.Refused.class);
        hosts.lab.host(1).powerOff();
        hosts.lab.seconds(200);
        CompletableFuture<Answer> answer =
                hosts.hosts.confirmRebooted(CommandLab.hostId(1), CommandLab.TESTER);
        hosts.lab.seconds(90);
        assertThat(answer.join()).isInstanceOf(Answer.Accepted.class);
        hosts.up(1, 2);
        hosts.up(2, 2);
        assertThat(hosts.only(OperationKind.FENCE).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(hosts.power.fenced).isEmpty();
    }

    @Test
    void aUserFencesAHost() {
        HostLab hosts = new HostLab(2).withAgent(1).withVms(1, true);
        hosts.lab.settled();
        CompletableFuture<Answer> answer =
                hosts.hosts.fence(CommandLab.hostId(1), CommandLab.TESTER);
        hosts.lab.seconds(60);
        assertThat(answer.join()).isInstanceOf(Answer.Accepted.class);
        assertThat(hosts.power.fenced).hasSize(1);
        hosts.up(1, 2);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.REBOOT);
        hosts.wellEnded();
    }

    @ParameterizedTest(name = "the engine crashes meanwhile: {0}")
    @ValueSource(booleans = {false, true})
    void aHostInMaintenanceThatIsFencedStaysInMaintenance(boolean crashes) {
        HostLab hosts = new HostLab(2).withAgent(1);
        CommandLab lab = hosts.lab.settled();
        hosts.maintain(1);
        hosts.until(HostStatus.MAINTENANCE);
        if (crashes) {
            hosts.power.mode = ScriptedPowerFence.Mode.SILENT;
        }
        CompletableFuture<Answer> answer =
                hosts.hosts.fence(CommandLab.hostId(1), CommandLab.TESTER);
        lab.seconds(10);
        assertThat(answer.join()).isInstanceOf(Answer.Accepted.class);
        if (crashes) {
            lab.crash();
            hosts.power.mode = ScriptedPowerFence.Mode.WORKS;
        }
        lab.seconds(1_200);
        assertThat(hosts.status(1)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(hosts.power.on).containsExactly(CommandLab.hostId(1));
        assertThat(hosts.only(OperationKind.FENCE).state()).isEqualTo(OperationState.SUCCEEDED);
        hosts.wellEnded();
    }

    @ParameterizedTest(name = "the destination is fenced, too: {0}")
    @ValueSource(booleans = {false, true})
    void aVmMayRunWhereItWentUntilThatHostHasRemovedIt(boolean fenced) {
        HostLab hosts = new HostLab(3).withAgent(1).withAgent(2).withVms(1, true);
        CommandLab lab = hosts.lab;
        lab.settled();
        VmId vm = CommandLab.vmId(1);
        Answer asked =
                lab.ask(
                        1,
                        OperationKind.MIGRATE,
                        new OperationParameters.Migrate(CommandLab.hostId(2), ""));
        assertThat(asked).isInstanceOf(Answer.Accepted.class);
        for (int i = 0; i < 100 && lab.host(2).status(vm) != VmStatus.MIGRATING_TO; i++) {
            lab.seconds(1);
        }
        lab.host(2).hang();
        lab.host(1).cutOff();
        for (int i = 0; i < 300 && lab.host(2).status(vm) != VmStatus.UP; i++) {
            lab.centre.advance(Duration.ofSeconds(1), lab.centre::step);
        }
        assertThat(lab.host(2).status(vm)).isEqualTo(VmStatus.UP);

        CompletableFuture<Answer> _ = hosts.hosts.fence(CommandLab.hostId(1), CommandLab.TESTER);
        lab.seconds(90);
        assertThat(hosts.power.fenced).contains(CommandLab.hostId(1));
        assertThat(lab.centre.homes(vm)).hasSize(1);

        if (fenced) {
            CompletableFuture<Answer> _ =
                    hosts.hosts.fence(CommandLab.hostId(2), CommandLab.TESTER);
        } else {
            lab.host(2).goOn();
        }
        lab.seconds(300);
        hosts.up(1, 1, 2, 3);
        hosts.wellEnded();
    }

    @Test
    void aHostWithoutAgentsIsRefusedWithARemedy() {
        HostLab hosts = new HostLab(2).withVms(1, true);
        hosts.lab.settled();
        hosts.lab.host(1).cutOff();
        hosts.lab.seconds(400);
        assertThat(Objects.requireNonNull(hosts.only(OperationKind.FENCE).failure()).reason())
                .contains("confirm");
        assertThat(hosts.status(1)).isEqualTo(HostStatus.NON_RESPONSIVE);
    }

    // ----------------------------------------------------------------------------- definitions

    @Test
    void aVmIsAddedChangedAndRemoved() throws StoreUnavailable {
        HostLab hosts = new HostLab(1);
        CommandLab lab = hosts.lab.settled();
        succeeds(lab, lab.accepted(9, OperationKind.ADD_VM, definition("9 5")));
        assertThat(lab.status(9)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.commands.definitions().priority(CommandLab.vmId(9))).isEqualTo(5);
        succeeds(lab, lab.accepted(9, OperationKind.UPDATE_VM, definition("8 0")));
        assertThat(lab.vm(9).definition().name()).isEqualTo("vm8");
        assertThat(lab.commands.definitions().priority(CommandLab.vmId(9))).isZero();
        UUID run = lab.accepted(9, OperationKind.RUN);
        assertThat(lab.ask(9, OperationKind.REMOVE_VM, OperationParameters.NONE))
                .isInstanceOf(Answer.Refused.class);
        lab.seconds(30);
        succeeds(lab, run);
        lab.seconds(1);
        succeeds(lab, powerOff(lab));
        succeeds(lab, lab.accepted(9, OperationKind.REMOVE_VM));
        assertThat(lab.engine().fleet().vm(CommandLab.vmId(9))).isNull();
        assertThat(lab.definitions.load(List.of(CommandLab.vmId(9)))).isEmpty();
        hosts.wellEnded();
    }

    @Test
    void aChangeOfADefinitionThatIsAnotherByNowIsRefused() throws Exception {
        HostLab hosts = new HostLab(1);
        CommandLab lab = hosts.lab.settled();
        VmId vm = CommandLab.vmId(9);
        succeeds(lab, lab.accepted(9, OperationKind.ADD_VM, definition("9 5")));
        Definition basis = Objects.requireNonNull(lab.definitions.load(List.of(vm)).get(vm));
        succeeds(lab, lab.accepted(9, OperationKind.UPDATE_VM, definition("9 6")));
        Answer late = change(lab, vm, "9 7", basis);
        assertThat(late).isInstanceOf(Answer.Refused.class);
        assertThat(((Answer.Refused) late).why()).isEqualTo(Answer.Why.CONFLICT);
        assertThat(((Answer.Refused) late).reason()).contains("another request has changed");
        assertThat(lab.commands.definitions().priority(vm)).isEqualTo(6);
        Definition present = Objects.requireNonNull(lab.definitions.load(List.of(vm)).get(vm));
        assertThat(change(lab, vm, "9 7", present)).isInstanceOf(Answer.Accepted.class);
        lab.seconds(1);
        assertThat(lab.commands.definitions().priority(vm)).isEqualTo(7);
        hosts.wellEnded();
    }

    private static Answer change(CommandLab lab, VmId vm, String text, Definition basis) {
        var answer =
                lab.commands
                        .submit(
                                List.of(
                                        OperationRequest.changing(
                                                vm,
                                                new OperationParameters.Definition(text),
                                                basis)),
                                CommandLab.TESTER)
                        .getFirst();
        lab.pump();
        return answer.join();
    }

    private static UUID powerOff(CommandLab lab) {
        UUID off = lab.accepted(9, OperationKind.POWER_OFF);
        lab.seconds(5);
        return off;
    }

    @Test
    void anAbsurdDefinitionIsRefusedWithItsReason() {
        HostLab hosts = new HostLab(1);
        hosts.lab.settled();
        UUID add = hosts.lab.accepted(9, OperationKind.ADD_VM, definition("absurd"));
        OperationFailure failure = hosts.lab.operation(add).failure();
        assertThat(failure).isNotNull();
        assertThat(failure.code()).isEqualTo(OperationFailure.Code.INVALID);
        assertThat(failure.reason()).contains("a number and a priority");
        assertThat(hosts.lab.engine().fleet().vm(CommandLab.vmId(9))).isNull();
    }

    @Test
    void aDefinitionThatWaitsForTheDatabaseSurvivesACrash() {
        HostLab hosts = new HostLab(1);
        CommandLab lab = hosts.lab.settled();
        lab.definitions.unavailable("gone");
        UUID add = lab.accepted(9, OperationKind.ADD_VM, definition("9 1"));
        lab.seconds(20);
        assertThat(lab.operation(add).isEnded()).isFalse();
        lab.definitions.unavailable(null);
        lab.crash();
        lab.seconds(2);
        succeeds(lab, add);
        assertThat(lab.status(9)).isEqualTo(VmStatus.DOWN);
        UUID again = lab.accepted(9, OperationKind.UPDATE_VM, definition("9 2"));
        lab.crash();
        lab.seconds(2);
        assertThat(lab.commands.definitions().priority(CommandLab.vmId(9))).isEqualTo(2);
        assertThat(again).isNotNull();
        hosts.wellEnded();
    }

    private static OperationParameters definition(String text) {
        return new OperationParameters.Definition(text);
    }

    private static void succeeds(CommandLab lab, UUID id) {
        assertThat(lab.operation(id).state())
                .as("%s", lab.operation(id))
                .isEqualTo(OperationState.SUCCEEDED);
    }
}
