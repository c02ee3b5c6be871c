package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.SavedMemory;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.hypervisor.ModelStorage;

/** Volumes for saved memory: created before a VM is suspended, removed when nothing needs them. */
class SuspendTest {

    private CommandLab lab = new CommandLab().withHosts(3).withVm(1).up(1, 1);

    private ModelStorage storage() {
        return lab.centre.storage();
    }

    private Operation ended(UUID id) {
        Operation operation = lab.operation(id);
        assertThat(operation.isEnded()).as("%s has ended", operation).isTrue();
        return operation;
    }

    private void succeeds(UUID id) {
        assertThat(ended(id).state())
                .as("%s", lab.operation(id))
                .isEqualTo(OperationState.SUCCEEDED);
    }

    private OperationFailure fails(UUID id) {
        return Objects.requireNonNull(ended(id).failure(), lab.operation(id).toString());
    }

    private UUID suspended() {
        UUID suspend = lab.accepted(1, OperationKind.SUSPEND);
        lab.seconds(30);
        succeeds(suspend);
        assertThat(lab.status(1)).isEqualTo(VmStatus.SUSPENDED);
        return suspend;
    }

    private void begin(OperationKind kind) {
        List<CompletableFuture<Answer>> _ =
                lab.commands.submit(
                        List.of(
                                new OperationRequest(
                                        CommandLab.vmId(1), kind, OperationParameters.NONE)),
                        CommandLab.TESTER);
    }

    private boolean isForgotten() {
        try {
            return lab.definitions.loadMemory().isEmpty();
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
    }

    private void nothingIsLeft() {
        noVolumeIsLeft();
        assertThat(storage().tasks()).isZero();
    }

    private void noVolumeIsLeft() {
        assertThat(storage().volumes()).isEmpty();
        assertThat(isForgotten()).isTrue();
        assertThat(lab.open()).isEmpty();
    }

    @Test
    void theVolumesAreCreatedInTheSizesThatHostsExpect() {
        lab.settled();
        suspended();
        SavedMemory saved =
                SavedMemory.parse(
                        lab.host(1).orders(VmOrder.Hibernate.class).getFirst().volumeHandle());
        assertThat(saved.memory().pool()).isEqualTo(ModelStorage.POOL);
        assertThat(saved.memory().domain()).isEqualTo(ModelStorage.DOMAIN);
        assertThat(storage().volumes()).hasSize(2);
        assertThat(storage().size(saved.memory().volume())).isEqualTo((1_024 + 200 + 16) << 20);
        assertThat(storage().size(saved.configuration().volume())).isEqualTo(10_240);
        assertThat(storage().tasks()).isZero();
    }

    @Test
    void theVolumesAreRemovedWhenTheVmRunsAgain() {
        lab.settled();
        suspended();
        UUID resume = lab.accepted(1, OperationKind.RESUME);
        lab.seconds(30);
        succeeds(resume);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        nothingIsLeft();
        suspended();
        assertThat(storage().volumes()).hasSize(2);
    }

    @Test
    void theVolumesAreRemovedWhenASuspendedVmIsPoweredOff() {
        lab.settled();
        suspended();
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(30);
        succeeds(off);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        nothingIsLeft();
    }

    @Test
    @DisplayName("a suspend without a configured storage domain is refused with the reason")
    void withoutAStorageDomain() {
        lab.with(CommandSettings.DEFAULT).withVm(2).up(2, 1).settled();
        List<OperationRequest> batch =
                List.of(
                        new OperationRequest(
                                CommandLab.vmId(1),
                                OperationKind.SUSPEND,
                                OperationParameters.NONE),
                        new OperationRequest(
                                CommandLab.vmId(2),
                                OperationKind.SUSPEND,
                                OperationParameters.NONE));
        assertThat(lab.commands.submit(batch, CommandLab.TESTER))
                .extracting(CompletableFuture::join)
                .hasSize(2)
                .allMatch(Answer.Refused.class::isInstance);
        assertThat(lab.ask(1, OperationKind.SUSPEND, OperationParameters.NONE))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> {
                            assertThat(refused.why()).isEqualTo(Answer.Why.CONFLICT);
                            assertThat(refused.reason())
                                    .contains("stillwater.commands.storage-pool")
                                    .contains("stillwater.commands.storage-domain");
                        });
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.host(1).orders()).isEmpty();
    }

    @Test
    void aStorageDomainThatIsFullFailsTheSuspension() {
        storage().full(true);
        lab.settled();
        UUID suspend = lab.accepted(1, OperationKind.SUSPEND);
        lab.seconds(60);
        assertThat(fails(suspend).reason())
                .startsWith("the volumes for its memory cannot be created: ")
                .contains("550")
                .contains("Not enough free space");
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.host(1).orders(VmOrder.Hibernate.class)).isEmpty();
        nothingIsLeft();
    }

    @Test
    void withoutAHostThatManagesTheStorageNothingIsBegun() {
        storage().managed(false);
        lab.settled();
        UUID suspend = lab.accepted(1, OperationKind.SUSPEND);
        lab.seconds(80);
        OperationFailure failure = fails(suspend);
        assertThat(failure.code()).isEqualTo(OperationFailure.Code.NO_HOST);
        assertThat(failure.reason()).contains("manages the storage pool");
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        // Whether volumes are left is found out as soon as a host manages the storage.
        assertThat(isForgotten()).isFalse();
        storage().managed(true);
        lab.seconds(1_200);
        nothingIsLeft();
    }

    @Test
    void theHostThatManagesTheStorageMayBeAnyAndMayChange() {
        lab = new CommandLab().withHosts(3).withVm(1).up(1, 3).settled();
        suspended();
        lab.host(1).powerOff();
        UUID resume = lab.accepted(1, OperationKind.RESUME);
        lab.seconds(60);
        succeeds(resume);
        lab.seconds(60);
        nothingIsLeft();
    }

    @Test
    void aSuspensionThatIsTakenBackLeavesNothing() {
        lab.settled();
        UUID suspend = lab.accepted(1, OperationKind.SUSPEND);
        lab.seconds(1);
        assertThat(lab.commands.cancel(suspend, CommandLab.TESTER)).isNull();
        lab.pump();
        assertThat(ended(suspend).state()).isEqualTo(OperationState.CANCELLED);
        lab.seconds(30);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.host(1).orders(VmOrder.Hibernate.class)).isEmpty();
        nothingIsLeft();
        suspended();
    }

    @Test
    void memoryThatIsNotReadableStaysUntilTheVmIsPoweredOff() {
        lab.settled();
        suspended();
        lab.centre.failingStarts((_, _) -> true);
        UUID resume = lab.accepted(1, OperationKind.RESUME);
        lab.seconds(120);
        assertThat(fails(resume).reason()).contains("Wake up from hibernation failed");
        assertThat(lab.status(1)).isEqualTo(VmStatus.SUSPENDED);
        assertThat(storage().volumes()).hasSize(2);
        lab.centre.failingStarts((_, _) -> false);
        UUID again = lab.accepted(1, OperationKind.RESUME);
        lab.seconds(60);
        succeeds(again);
        nothingIsLeft();
    }

    /** Wherever the engine ends, the VM is suspended in the end, and no volumes are left over. */
    @Test
    void anEngineThatCrashesWhileItSuspends() {
        List<VmStatus> ends = new ArrayList<>();
        for (int steps = 0; steps < 90; steps += 3) {
            lab = new CommandLab().withHosts(3).withVm(1).up(1, 1).settled();
            begin(OperationKind.SUSPEND);
            for (int i = 0; i < steps; i++) {
                if (!lab.stepOnce()) {
                    lab.centre.advance(Duration.ofMillis(400), () -> {});
                }
            }
            lab.crash();
            lab.seconds(180);
            assertThat(lab.open()).as("after %d steps", steps).isEmpty();
            VmStatus status = lab.status(1);
            ends.add(status);
            assertThat(status).as("after %d steps", steps).isIn(VmStatus.UP, VmStatus.SUSPENDED);
            assertThat(storage().volumes())
                    .as("after %d steps, %s", steps, status)
                    .hasSize(status == VmStatus.UP ? 0 : 2);
            if (status == VmStatus.SUSPENDED) {
                UUID resume = lab.accepted(1, OperationKind.RESUME);
                lab.seconds(60);
                succeeds(resume);
            }
            assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
            noVolumeIsLeft();
        }
        assertThat(ends).contains(VmStatus.SUSPENDED);
    }

    @Test
    void anEngineThatCrashesWhileItResumes() {
        for (int steps = 0; steps < 60; steps += 3) {
            lab = new CommandLab().withHosts(3).withVm(1).up(1, 1).settled();
            suspended();
            begin(OperationKind.RESUME);
            for (int i = 0; i < steps; i++) {
                if (!lab.stepOnce()) {
                    lab.centre.advance(Duration.ofMillis(400), () -> {});
                }
            }
            lab.crash();
            lab.seconds(180);
            assertThat(lab.open()).as("after %d steps", steps).isEmpty();
            if (lab.status(1) == VmStatus.SUSPENDED) {
                UUID resume = lab.accepted(1, OperationKind.RESUME);
                lab.seconds(60);
                succeeds(resume);
            }
            assertThat(lab.status(1)).as("after %d steps", steps).isEqualTo(VmStatus.UP);
            noVolumeIsLeft();
        }
    }
}
