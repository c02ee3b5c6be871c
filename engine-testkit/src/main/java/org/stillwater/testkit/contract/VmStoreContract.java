package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Samples;

/** Contract of every {@link VmStore}. A subclass hands out an empty store before each test. */
public abstract class VmStoreContract {

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);
    private static final PlacementFields PLACED = PlacementFields.all();

    private VmStore store;

    /** An empty store of VMs. */
    protected abstract VmStore emptyVms() throws StoreUnavailable;

    /** The hosts that placements may name. */
    protected abstract HostStore hosts();

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyVms();
        hosts().add(Samples.hostDefinition(1));
        hosts().add(Samples.hostDefinition(2));
    }

    @Test
    void anAddedVmIsLoadedUnchanged() throws StoreUnavailable {
        StoredVm vm =
                new StoredVm(
                        VM,
                        Samples.definition(1),
                        Samples.runtime(1),
                        Samples.placement(Samples.host(1), Samples.host(2)));
        assertThat(store.add(List.of(vm))).isEqualTo(written(1));
        assertThat(load()).containsExactly(vm);
    }

    @Test
    void manyVmsKeepTheirOwnValues() throws StoreUnavailable {
        List<StoredVm> vms = add(LongStream.rangeClosed(1, 300).toArray());
        assertThat(load()).containsExactlyElementsOf(vms);
    }

    @Test
    void anInterfaceHasOneVm() throws StoreUnavailable {
        StoredVm first = Samples.storedVm(1);
        StoredVm second = Samples.storedVm(2);
        UUID interfaceId = first.definition().nics().getFirst().id();
        StoredVm copy =
                new StoredVm(
                        second.id(),
                        second.definition().withNics(first.definition().nics()),
                        second.runtime(),
                        second.placement());
        assertThat(store.add(List.of(first))).isEqualTo(written(1));
        assertThat(store.interfaceOwners(List.of(interfaceId, new UUID(7, 7))))
                .containsExactly(Map.entry(interfaceId, first.id()));
        assertThat(store.interfaceOwners(List.of())).isEmpty();

        WriteOutcome outcome = store.add(List.of(copy));

        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        assertThat(((WriteOutcome.Written) outcome).rejected())
                .extracting(WriteOutcome.Rejected::key)
                .containsExactly(second.id().toString());
        assertThat(load()).containsExactly(first);
    }

    @Test
    void anExistingVmIsUnchanged() throws StoreUnavailable {
        add(1);
        StoredVm other =
                new StoredVm(VM, Samples.definition(7), Samples.runtime(7), VmPlacement.NOWHERE);
        StoredVm fresh = Samples.storedVm(2);
        assertThat(store.add(sorted(List.of(other, fresh)))).isEqualTo(written(1));
        assertThat(load()).containsExactlyInAnyOrder(Samples.storedVm(1), fresh);
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheNamedColumnIsWritten(RuntimeField field) throws StoreUnavailable {
        add(1);
        VmRuntime reported = Samples.runtime(2);
        RuntimeFields fields = RuntimeFields.of(field);
        VmRuntime expected = Samples.runtime(1).with(field, reported.value(field));
        int rows = expected.equals(Samples.runtime(1)) ? 0 : 1;
        assertThat(write(VmChange.reported(VM, fields, reported))).isEqualTo(written(rows));
        assertThat(load(VM).runtime()).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void everyColumnGoesBackToItsDefault(RuntimeField field) throws StoreUnavailable {
        add(1);
        assertThat(write(VmChange.reported(VM, RuntimeFields.of(field), VmRuntime.INITIAL)))
                .isEqualTo(written(1));
        assertThat(load(VM).runtime())
                .isEqualTo(Samples.runtime(1).with(field, field.defaultValue()));
    }

    @Test
    void theSameReportTwiceWritesOnce() throws StoreUnavailable {
        add(1, 2);
        List<VmChange> changes =
                sorted(
                        List.of(
                                VmChange.reported(VM, RuntimeFields.all(), Samples.runtime(8)),
                                VmChange.reported(OTHER, RuntimeFields.all(), Samples.runtime(9))),
                        VmChange::vmId);
        assertThat(store.write(changes)).isEqualTo(written(2));
        assertThat(store.write(changes)).isEqualTo(written(0));
        assertThat(load(VM).runtime()).isEqualTo(Samples.runtime(8));
        assertThat(load(OTHER).runtime()).isEqualTo(Samples.runtime(9));
    }

    @Test
    void oneBatchMayChangeDifferentColumnsOfDifferentVms() throws StoreUnavailable {
        add(1, 2);
        VmRuntime paused = Samples.runtime(1).with(RuntimeField.STATUS, VmStatus.PAUSED);
        VmRuntime named = Samples.runtime(2).with(RuntimeField.FQDN, "new.example.org");
        assertThat(
                        store.write(
                                sorted(
                                        List.of(
                                                VmChange.reported(
                                                        VM,
                                                        RuntimeFields.of(RuntimeField.STATUS),
                                                        paused),
                                                VmChange.reported(
                                                        OTHER,
                                                        RuntimeFields.of(RuntimeField.FQDN),
                                                        named)),
                                        VmChange::vmId)))
                .isEqualTo(written(2));
        assertThat(load(VM).runtime()).isEqualTo(paused);
        assertThat(load(OTHER).runtime()).isEqualTo(named);
    }

    @Test
    void aReportNeverTouchesThePlacement() throws StoreUnavailable {
        VmPlacement placement = Samples.placement(Samples.host(1), Samples.host(2));
        store.add(List.of(new StoredVm(VM, Samples.definition(1), VmRuntime.INITIAL, placement)));
        write(VmChange.reported(VM, RuntimeFields.all(), Samples.runtime(3)));
        assertThat(load(VM).placement()).isEqualTo(placement);
    }

    @Test
    void aPlacementNeverTouchesTheRuntime() throws StoreUnavailable {
        add(1);
        VmPlacement placement = Samples.placement(Samples.host(2), Samples.host(1));
        List<VmChange> changes = List.of(VmChange.placed(VM, PLACED, placement));
        assertThat(store.write(changes)).isEqualTo(written(1));
        assertThat(store.write(changes)).isEqualTo(written(0));
        assertThat(load(VM))
                .isEqualTo(new StoredVm(VM, Samples.definition(1), Samples.runtime(1), placement));
    }

    @Test
    void aPlacementMayBecomeNowhere() throws StoreUnavailable {
        VmPlacement placement = Samples.placement(Samples.host(1), Samples.host(2));
        store.add(List.of(new StoredVm(VM, Samples.definition(1), VmRuntime.INITIAL, placement)));
        assertThat(store.write(List.of(VmChange.placed(VM, PLACED, VmPlacement.NOWHERE))))
                .isEqualTo(written(1));
        assertThat(load(VM).placement()).isEqualTo(VmPlacement.NOWHERE);
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheNamedPlacementColumnIsWritten(PlacementField field) throws StoreUnavailable {
        VmPlacement before = Samples.placement(Samples.host(1), Samples.host(2));
        VmPlacement after =
                new VmPlacement(
                        Samples.host(2),
                        Samples.host(1),
                        Instant.parse("2026-05-05T05:05:05Z"),
                        Instant.parse("2026-06-06T06:06:06Z"),
                        new VmRun(
                                2,
                                Instant.parse("2026-07-07T07:07:07Z"),
                                7L,
                                "other name",
                                "other user",
                                new UUID(7, 7),
                                "other CPU",
                                "other machine",
                                false,
                                new VmRun.Topology("1#1", 6, 7, 8, "1#1"),
                                "other reason"));
        store.add(List.of(new StoredVm(VM, Samples.definition(1), VmRuntime.INITIAL, before)));
        List<VmChange> change = List.of(VmChange.placed(VM, PlacementFields.of(field), after));
        assertThat(store.write(change)).isEqualTo(written(1));
        assertThat(store.write(change)).isEqualTo(written(0));
        VmPlacement loaded = load(VM).placement();
        assertThat(PlacementFields.between(before, loaded)).isEqualTo(PlacementFields.of(field));
        assertThat(PlacementFields.between(after, loaded).contains(field)).isFalse();
    }

    @Test
    @DisplayName("S14 a VM that stops keeps nothing of its run in the database but its count")
    void aStopForgetsTheRun() throws StoreUnavailable {
        VmPlacement running = Samples.placement(Samples.host(1), null);
        VmRuntime up = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP);
        store.add(List.of(new StoredVm(VM, Samples.definition(1), up, running)));
        VmPlacement stopped =
                running.withRunOn(null)
                        .withLastStop(Instant.parse("2026-08-08T08:08:08Z"))
                        .withRun(running.run().ended());
        VmRuntime down = up.with(RuntimeField.STATUS, VmStatus.DOWN);
        assertThat(
                        store.write(
                                List.of(
                                        new VmChange(
                                                VM,
                                                RuntimeFields.of(RuntimeField.STATUS),
                                                down,
                                                PlacementFields.between(running, stopped),
                                                stopped,
                                                List.of()))))
                .isEqualTo(written(2));
        StoredVm loaded = load(VM);
        assertThat(loaded.runtime()).isEqualTo(down);
        assertThat(loaded.placement()).isEqualTo(stopped);
        assertThat(loaded.placement().run())
                .isEqualTo(
                        new VmRun(
                                running.run().generation(),
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                false,
                                null,
                                running.run().stopReason()));
    }

    @Test
    @DisplayName("T6 a console user set meanwhile survives a write made from an older placement")
    void aConsoleUserSetMeanwhileSurvives() throws StoreUnavailable {
        VmPlacement before = VmPlacement.on(Samples.host(1));
        store.add(List.of(new StoredVm(VM, Samples.definition(1), VmRuntime.INITIAL, before)));
        VmPlacement ticket = before.withRun(before.run().withConsoleUser("alice", new UUID(1, 1)));
        rows(
                store.write(
                        List.of(
                                VmChange.placed(
                                        VM, PlacementFields.between(before, ticket), ticket))));
        VmPlacement moved = before.withRunOn(Samples.host(2));
        rows(
                store.write(
                        List.of(
                                new VmChange(
                                        VM,
                                        RuntimeFields.of(RuntimeField.FQDN),
                                        Samples.runtime(3),
                                        PlacementFields.between(before, moved),
                                        moved,
                                        List.of()))));
        assertThat(load(VM).placement().run().consoleUser()).isEqualTo("alice");
        assertThat(load(VM).placement().run().consoleUserId()).isEqualTo(new UUID(1, 1));
        assertThat(load(VM).placement().runOn()).isEqualTo(Samples.host(2));
    }

    @Test
    @DisplayName("T7 a write made from an older copy reverts no column that it does not name")
    void aWriteFromAnOlderCopyRevertsNothing() throws StoreUnavailable {
        VmPlacement migrating = Samples.placement(Samples.host(1), Samples.host(2));
        VmRuntime older = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM);
        store.add(List.of(new StoredVm(VM, Samples.definition(1), older, migrating)));
        write(
                VmChange.reported(
                        VM,
                        RuntimeFields.of(RuntimeField.STATUS),
                        older.with(RuntimeField.STATUS, VmStatus.UNKNOWN)));
        rows(
                store.write(
                        List.of(
                                VmChange.placed(
                                        VM,
                                        PlacementFields.of(PlacementField.MIGRATING_TO),
                                        migrating.withMigratingTo(null)))));

        VmPlacement restarted = migrating.withLastStart(Instant.parse("2026-09-09T09:09:09Z"));
        rows(
                store.write(
                        List.of(
                                new VmChange(
                                        VM,
                                        RuntimeFields.of(RuntimeField.FQDN),
                                        older.with(RuntimeField.FQDN, "guest.example.org"),
                                        PlacementFields.between(migrating, restarted),
                                        restarted,
                                        List.of()))));

        StoredVm loaded = load(VM);
        assertThat(loaded.runtime().status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(loaded.runtime().text(RuntimeField.FQDN)).isEqualTo("guest.example.org");
        assertThat(loaded.placement().migratingTo()).isNull();
        assertThat(loaded.placement().lastStart()).isEqualTo(restarted.lastStart());
    }

    @Test
    void aTimeFinerThanTheColumnIsNotWrittenAgainAndAgain() throws StoreUnavailable {
        add(1);
        VmPlacement fine =
                VmPlacement.NOWHERE.withLastStart(Instant.parse("2026-01-02T03:04:05.123456789Z"));
        List<VmChange> changes = List.of(VmChange.placed(VM, PLACED, fine));
        assertThat(store.write(changes)).isEqualTo(written(1));
        assertThat(store.write(changes)).isEqualTo(written(0));
    }

    @Test
    void guestInterfacesAreReplacedWithTheirDigest() throws StoreUnavailable {
        add(1, 2);
        RuntimeFields nics = RuntimeFields.of(RuntimeField.GUEST_NICS);
        VmRuntime reported = VmRuntime.INITIAL.with(RuntimeField.GUEST_NICS, Samples.guestNics(99));
        assertThat(write(VmChange.reported(VM, nics, reported))).isEqualTo(written(1));
        assertThat(load(VM).runtime().guestNics()).isEqualTo(Samples.guestNics(99));
        assertThat(write(VmChange.reported(VM, nics, VmRuntime.INITIAL))).isEqualTo(written(1));
        assertThat(load(VM).runtime().guestNics()).isEqualTo(GuestNics.NONE);
        assertThat(load(OTHER).runtime().guestNics()).isEqualTo(Samples.guestNics(2));
    }

    @Test
    void aVmThatIsGoneIsNoError() throws StoreUnavailable {
        assertThat(write(VmChange.reported(VM, RuntimeFields.all(), Samples.runtime(1))))
                .isEqualTo(written(0));
        assertThat(
                        store.write(
                                List.of(
                                        VmChange.placed(
                                                VM, PLACED, VmPlacement.on(Samples.host(1))))))
                .isEqualTo(written(0));
        assertThat(load()).isEmpty();
    }

    @Test
    void anEmptyBatchIsDoneAtOnce() {
        assertThat(store.add(List.of())).isEqualTo(written(0));
        assertThat(store.write(List.of())).isEqualTo(written(0));
    }

    private List<StoredVm> add(long... seeds) {
        List<StoredVm> vms = sorted(LongStream.of(seeds).mapToObj(Samples::storedVm).toList());
        assertThat(store.add(vms)).isEqualTo(written(vms.size()));
        return vms;
    }

    private WriteOutcome write(VmChange change) {
        return store.write(List.of(change));
    }

    private StoredVm load(VmId id) throws StoreUnavailable {
        return load().stream().filter(vm -> vm.id().equals(id)).findFirst().orElseThrow();
    }

    private List<StoredVm> load() throws StoreUnavailable {
        List<StoredVm> loaded = new ArrayList<>();
        store.loadAll(loaded::add);
        return loaded;
    }

    private static int rows(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        WriteOutcome.Written written = (WriteOutcome.Written) outcome;
        assertThat(written.rejected()).isEmpty();
        return written.rows();
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }

    private static List<StoredVm> sorted(List<StoredVm> vms) {
        return sorted(vms, StoredVm::id);
    }

    private static <T> List<T> sorted(List<T> rows, Function<T, VmId> key) {
        return rows.stream().sorted(Comparator.comparing(key)).toList();
    }
}
