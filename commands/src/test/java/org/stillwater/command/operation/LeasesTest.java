package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.hypervisor.ModelStorage;

/** Leases of VMs: created before a start, held by its process, deleted when nothing needs them. */
class LeasesTest {

    private static final VmId VM = CommandLab.vmId(1);

    private final HostLab hosts = new HostLab(3);
    private final CommandLab lab = hosts.lab;

    private ModelStorage storage() {
        return lab.centre.storage();
    }

    private void settledWithALeasedVm() {
        lab.withVm(1, false, 0, true).settled();
    }

    private List<VmLease> recorded() {
        try {
            return lab.definitions.loadLeases();
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
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

    private void done(OperationKind kind) {
        UUID id = lab.accepted(1, kind);
        lab.seconds(40);
        succeeds(id);
    }

    private void define(String text) {
        UUID id =
                lab.accepted(1, OperationKind.UPDATE_VM, new OperationParameters.Definition(text));
        lab.seconds(1);
        succeeds(id);
    }

    private List<VmOrder.Create> starts() {
        return lab.centre.hosts().stream()
                .flatMap(host -> host.orders(VmOrder.Create.class).stream())
                .toList();
    }

    private long run() {
        return lab.vm(1).state().placement().run().generation();
    }

    private int home() {
        return (int)
                Objects.requireNonNull(lab.vm(1).state().placement().runOn())
                        .value()
                        .getLeastSignificantBits();
    }

    private void nothingIsLeft() {
        assertThat(storage().leases()).isEmpty();
        assertThat(storage().tasks()).isZero();
        assertThat(recorded()).isEmpty();
        assertThat(lab.open()).isEmpty();
    }

    // ---------------------------------------------------------------------------------- starting

    @Test
    @DisplayName("a VM with a lease in its definition is started with one that was created")
    void itIsCreatedBeforeTheFirstStart() {
        settledWithALeasedVm();
        assertThat(storage().leases()).isEmpty();
        done(OperationKind.RUN);
        VmLease.Place place = storage().leases().get(VM);
        assertThat(place).isNotNull();
        assertThat(starts()).hasSize(1);
        assertThat(starts().getFirst().xml())
                .contains(
                        "<lease>",
                        "<lockspace>" + ModelStorage.DOMAIN + "</lockspace>",
                        "<key>" + VM + "</key>",
                        "<target path=\"%s\" offset=\"%d\"/>"
                                .formatted(place.path(), place.offsetBytes()));
        assertThat(storage().tasks()).isZero();
        assertThat(recorded())
                .containsExactly(new VmLease(VM, ModelStorage.DOMAIN, place, run(), false));
    }

    @Test
    @DisplayName("a later start takes the lease that is there")
    void itIsCreatedOnce() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        VmLease.Place place = storage().leases().get(VM);
        done(OperationKind.POWER_OFF);
        assertThat(storage().leases()).as("it is kept").containsEntry(VM, place);
        done(OperationKind.RUN);
        assertThat(storage().leases()).containsEntry(VM, place);
        assertThat(recorded()).extracting(VmLease::run).containsExactly(run());
    }

    @Test
    @DisplayName("a lease that is there already is taken, whether seen before or after")
    void itMayBeThereAlready() {
        settledWithALeasedVm();
        VmLease.Place place = storage().putLease(VM);
        done(OperationKind.RUN);
        assertThat(recorded())
                .containsExactly(new VmLease(VM, ModelStorage.DOMAIN, place, run(), false));
    }

    @Test
    @DisplayName("a VM without a lease in its definition is started without one")
    void withoutALease() {
        lab.withVm(1).settled();
        done(OperationKind.RUN);
        assertThat(starts().getFirst().xml()).doesNotContain("lease");
        nothingIsLeft();
    }

    @Test
    @DisplayName("a lease that cannot be created fails the start, which no host is asked for")
    void itCannotBeCreated() {
        settledWithALeasedVm();
        storage().leasesFail(true);
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        OperationFailure failure = fails(id);
        assertThat(failure.code()).isEqualTo(Code.REFUSED);
        assertThat(failure.reason())
                .contains(
                        "its lease on the storage domain " + ModelStorage.DOMAIN,
                        "cannot be created",
                        "No space to add lease");
        assertThat(starts()).isEmpty();
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.events()).contains("USER_FAILED_RUN_VM");
        storage().leasesFail(false);
        done(OperationKind.RUN);
    }

    @Test
    @DisplayName("a start waits for a host that manages the storage pool, and then fails")
    void withoutAManager() {
        settledWithALeasedVm();
        storage().managed(false);
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(30);
        assertThat(lab.operation(id).isEnded()).isFalse();
        lab.seconds(60);
        assertThat(fails(id).reason()).contains("no host that is up manages the storage pool");
        assertThat(starts()).isEmpty();
    }

    @Test
    @DisplayName(
            "a start that waited so long that its VM changed is given up; the next one succeeds")
    void aManagerThatComesLate() {
        settledWithALeasedVm();
        storage().managed(false);
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(50);
        storage().managed(true);
        lab.seconds(30);
        assertThat(fails(id).code()).isEqualTo(Code.OVERTAKEN);
        assertThat(starts()).isEmpty();
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        done(OperationKind.RUN);
    }

    @Test
    @DisplayName("a VM that is found running while its lease is created is not started again")
    void aVmThatRunsMeanwhile() {
        settledWithALeasedVm();
        storage().managed(false);
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(5);
        lab.host(home()).put(VM);
        lab.seconds(45);
        storage().managed(true);
        lab.seconds(60);
        assertThat(lab.operation(id).isEnded()).isTrue();
        assertThat(starts()).isEmpty();
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("a lease on a storage domain that hosts do not have fails the start")
    void onAnUnknownDomain() {
        lab.withVm(1).settled();
        define("1 0 " + new UUID(0xBAD, 1));
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(30);
        assertThat(fails(id).reason()).contains("Storage domain does not exist");
        assertThat(starts()).isEmpty();
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
    }

    @Test
    @DisplayName("without a configured storage pool a lease is refused, and so is a start with one")
    void withoutAPool() {
        lab.with(CommandSettings.DEFAULT).withVm(1, false, 0, true).withVm(2).settled();
        assertThat(
                        lab.ask(
                                2,
                                OperationKind.UPDATE_VM,
                                new OperationParameters.Definition("2 0 leased")))
                .isEqualTo(
                        new Answer.Refused(Answer.Why.CONFLICT, CommandSettings.NO_STORAGE_POOL));
        assertThat(
                        lab.ask(
                                7,
                                OperationKind.ADD_VM,
                                new OperationParameters.Definition("7 0 leased")))
                .isEqualTo(
                        new Answer.Refused(Answer.Why.CONFLICT, CommandSettings.NO_STORAGE_POOL));
        assertThat(lab.ask(1, OperationKind.RUN, OperationParameters.Run.DEFAULT))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> {
                            assertThat(refused.why()).isEqualTo(Answer.Why.CONFLICT);
                            assertThat(refused.reason())
                                    .contains("stillwater.commands.storage-pool");
                        });
        define("1 3 leased"); // it may keep its lease
        define("1 3");
        done(OperationKind.RUN);
    }

    @Test
    @DisplayName("a start after a crash amid the creation of the lease finds it, and it is deleted")
    void aCrashAmidACreation() {
        settledWithALeasedVm();
        UUID _ = lab.accepted(1, OperationKind.RUN);
        for (int i = 0; i < 10 && storage().tasks() == 0; i++) {
            lab.seconds(1);
        }
        assertThat(recorded()).containsExactly(VmLease.wanted(VM, ModelStorage.DOMAIN));
        lab.crash();
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(recorded()).extracting(VmLease::run).containsExactly(run());
        done(OperationKind.POWER_OFF);
        done(OperationKind.REMOVE_VM);
        assertThat(storage().leases()).isEmpty();
        assertThat(recorded()).isEmpty();
    }

    // ---------------------------------------------------------------------------------- deleting

    @Test
    @DisplayName("the lease of a VM that is removed is deleted")
    void itGoesWithItsVm() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        done(OperationKind.POWER_OFF);
        done(OperationKind.REMOVE_VM);
        nothingIsLeft();
    }

    @Test
    @DisplayName("a lease that the definition lost is deleted once the VM is down")
    void itGoesWithTheDefinition() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        define("1 0");
        lab.seconds(30);
        assertThat(storage().leases()).as("its process holds it").containsKey(VM);
        done(OperationKind.POWER_OFF);
        nothingIsLeft();
        define("1 0 leased");
        done(OperationKind.RUN);
        assertThat(storage().leases()).containsKey(VM);
    }

    @Test
    @DisplayName("a failed deletion is reported once and repeated until it succeeds; a start waits")
    void aDeletionThatFails() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        done(OperationKind.POWER_OFF);
        storage().leasesFail(true);
        define("1 0");
        lab.seconds(100);
        assertThat(lab.events()).containsOnlyOnce("VM_LEASE_NOT_DELETED");
        assertThat(recorded()).allMatch(VmLease::deleting);
        define("1 0 leased");
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        assertThat(fails(id).reason()).contains("an earlier lease", "cannot be deleted");
        storage().leasesFail(false);
        UUID again = lab.accepted(1, OperationKind.RUN);
        lab.seconds(40);
        succeeds(again);
        assertThat(recorded()).extracting(VmLease::run).containsExactly(run());
        assertThat(storage().leases()).containsKey(VM);
    }

    @Test
    @DisplayName("a deletion goes on after a crash, before another start takes the lease")
    void aCrashAmidADeletion() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        done(OperationKind.POWER_OFF);
        define("1 0");
        assertThat(recorded()).allMatch(VmLease::deleting);
        lab.crash();
        lab.seconds(60);
        assertThat(storage().leases()).isEmpty();
        assertThat(recorded()).isEmpty();
    }

    // -------------------------------------------------------------------------- starts by lease

    private void silentHost(int host) {
        lab.host(host).powerOff();
        lab.seconds(290);
    }

    @Test
    @DisplayName(
            "a VM that was started with its lease is started elsewhere while its host is silent")
    void itIsStartedElsewhere() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        int first = home();
        silentHost(first);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(home()).isNotEqualTo(first);
        assertThat(starts()).hasSize(2);
        assertThat(starts()).allMatch(start -> start.xml().contains("<lease>"));
        assertThat(recorded()).extracting(VmLease::run).containsExactly(run());
        assertThat(lab.centre.doubles()).isEmpty();
    }

    @Test
    @DisplayName("a VM with a lease that was only asked for is not started elsewhere")
    void aRequestedLeaseOnly() {
        lab.withVm(1, false, 0, true).upWithoutLease(1, 1);
        lab.settled();
        silentHost(1);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(hosts.operations(OperationKind.RUN)).isEmpty();
        assertThat(lab.events()).contains("VM_LEASE_NOT_HELD");
    }

    @Test
    @DisplayName("a lease that a VM got while it runs counts from its next start on")
    void aLeaseThatItsProcessDoesNotHold() {
        lab.withVm(1).settled();
        done(OperationKind.RUN);
        define("1 0 leased");
        silentHost(home());
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(starts()).hasSize(1);
    }

    @Test
    @DisplayName("a VM started behind the engine's back is not started elsewhere")
    void aRunOfAnotherOrigin() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        int host = home();
        done(OperationKind.POWER_OFF);
        lab.host(host).put(VM);
        lab.seconds(20);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        silentHost(host);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(starts()).hasSize(1);
    }

    @Test
    @DisplayName(
            "what a process holds that was there already is not known: it is not started twice")
    void aProcessThatWasThere() {
        settledWithALeasedVm();
        lab.centre.refusing((host, order) -> {
            if (order instanceof VmOrder.Create && !host.runs(VM)) {
                host.put(VM);
                return new HostFailure.Refused(RefusalCode.VM_EXISTS, "it exists");
            }
            return null;
        });
        done(OperationKind.RUN);
        assertThat(recorded()).extracting(VmLease::run).containsOnlyNulls();
        silentHost(home());
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(lab.events()).contains("VM_LEASE_NOT_HELD");
    }

    @Test
    @DisplayName(
            "a process that holds its lease on a host that cannot be reached stays the only one")
    void aProcessThatContinues() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        int first = home();
        lab.host(first).cutOff();
        lab.seconds(400);
        assertThat(hosts.operations(OperationKind.RUN)).hasSizeGreaterThan(1);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(lab.host(first).runs(VM)).isTrue();
        assertThat(lab.centre.doubles()).isEmpty();
    }

    @Test
    @DisplayName("a lease that is gone from storage, or another one by now, keeps nothing apart")
    void aLeaseThatIsNotTheSame() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        int first = home();
        storage().loseLease(VM);
        silentHost(first);
        assertThat(hosts.operations(OperationKind.RUN).getLast().failure())
                .extracting(OperationFailure::reason)
                .asString()
                .contains("is not there any more");
        storage().putLease(VM);
        lab.seconds(1_100);
        assertThat(hosts.operations(OperationKind.RUN).getLast().failure())
                .extracting(OperationFailure::reason)
                .asString()
                .contains("is not where its process took it");
        assertThat(starts()).hasSize(1);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    @DisplayName("a VM that was woken up holds the lease that it held when it was saved")
    void aVmIsResumed() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        done(OperationKind.SUSPEND);
        assertThat(storage().leases()).containsKey(VM);
        done(OperationKind.RESUME);
        assertThat(recorded()).extracting(VmLease::run).containsExactly(run());
    }

    @Test
    @DisplayName("a VM that was saved without a lease does not hold one when it is woken up")
    void aVmIsResumedWithoutALease() {
        lab.withVm(1).settled();
        done(OperationKind.RUN);
        define("1 0 leased");
        done(OperationKind.SUSPEND);
        done(OperationKind.RESUME);
        assertThat(recorded()).extracting(VmLease::run).containsOnlyNulls();
        silentHost(home());
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(lab.centre.doubles()).isEmpty();
    }

    @Test
    @DisplayName("after a crash of the engine the lease of a VM that runs is known as before")
    void afterACrash() {
        settledWithALeasedVm();
        done(OperationKind.RUN);
        lab.crash();
        lab.centre.advance(Duration.ofSeconds(5), lab::pump);
        int first = home();
        silentHost(first);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(home()).isNotEqualTo(first);
    }
}
