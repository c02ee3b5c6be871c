package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.DefinitionTaken;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.Specifications;

/**
 * Contract of every {@link DefinitionStore}. A subclass hands out empty stores before each test.
 *
 * <p>It is long because it is a list of independent tests with their samples.
 */
public abstract class DefinitionStoreContract {

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);
    private static final VmId FOUND = Samples.vm(3);
    private static final UUID LEASE = new UUID(4, 4);

    private VmStore vms;
    private DefinitionStore store;

    /** An empty store of VMs; the others are beside it. */
    protected abstract VmStore emptyVms() throws StoreUnavailable;

    /** The hosts beside those VMs, none at first. */
    protected abstract HostStore hosts();

    /** The definitions of those VMs. */
    protected abstract DefinitionStore definitions();

    @BeforeEach
    void begin() throws StoreUnavailable {
        vms = emptyVms();
        store = definitions();
        vms.add(List.of(Samples.storedVm(3)));
        hosts().add(Samples.hostDefinition(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aVmIsAddedAndFound(long seed) throws StoreUnavailable {
        Definition definition = full(1, Specifications.any(seed));
        assertThat(store.add(VM, definition)).isTrue();
        assertThat(store.load(List.of(VM, OTHER))).isEqualTo(Map.of(VM, definition));
        assertThat(all())
                .filteredOn(vm -> vm.id().equals(VM))
                .containsExactly(
                        new StoredVm(
                                VM,
                                definition.definition(),
                                VmRuntime.INITIAL,
                                VmPlacement.NOWHERE));
    }

    @Test
    void anIdIsTakenOnce() throws StoreUnavailable {
        Definition definition = full(1, VmSpecification.BARE);
        store.add(VM, definition);
        assertThat(store.add(VM, plain(2))).isFalse();
        assertThat(store.add(FOUND, plain(2))).isFalse();
        assertThat(store.load(List.of(VM))).isEqualTo(Map.of(VM, definition));
        assertThat(store.load(List.of(FOUND)))
                .as("what was found is as it was")
                .isEqualTo(
                        Map.of(FOUND, new Definition(Samples.definition(3), null, 0, null, null)));
    }

    @Test
    void aNameBelongsToOneVm() throws StoreUnavailable {
        store.add(VM, plain(1));
        assertThat(store.taken(OTHER, plain(1))).isEqualTo("there is already a VM plain-1");
        assertThatExceptionOfType(DefinitionTaken.class)
                .isThrownBy(() -> store.add(OTHER, plain(1)))
                .withMessage("there is already a VM plain-1");
        assertThat(store.load(List.of(OTHER))).as("nothing half done").isEmpty();
        assertThat(store.taken(OTHER, plain(2))).isNull();
        store.add(OTHER, plain(2));
        assertThatExceptionOfType(DefinitionTaken.class)
                .isThrownBy(() -> store.update(OTHER, plain(1)));
        assertThat(one(OTHER)).isEqualTo(plain(2));
        assertThat(store.taken(VM, plain(1))).as("it is its own").isNull();
        assertThat(store.update(VM, plain(1))).isTrue();
        assertThat(store.update(VM, plain(4))).isTrue();
        assertThat(store.update(OTHER, plain(1))).as("the name is free").isTrue();
        store.remove(OTHER);
        assertThat(store.add(OTHER, plain(1))).as("the name is free again").isTrue();
    }

    @Test
    void aMacAddressBelongsToOneVm() throws StoreUnavailable {
        Definition first = full(1, VmSpecification.BARE);
        VmNic nic = first.definition().nics().getFirst();
        VmNic same = new VmNic(new UUID(8, 9), "other", nic.mac(), null, 100);
        Definition second =
                new Definition(plain(2).definition().withNics(List.of(same)), null, 0, null, null);
        String reason =
                "the MAC address %s belongs to the VM %s"
                        .formatted(nic.mac(), first.definition().name());
        store.add(VM, first);
        assertThat(store.taken(OTHER, second)).isEqualTo(reason);
        assertThatExceptionOfType(DefinitionTaken.class)
                .isThrownBy(() -> store.add(OTHER, second))
                .withMessage(reason);
        assertThat(store.load(List.of(OTHER))).isEmpty();
        Definition without =
                new Definition(first.definition().withNics(List.of()), null, 0, null, null);
        assertThat(store.update(VM, without)).isTrue();
        assertThat(store.add(OTHER, second)).as("the address is free").isTrue();
    }

    /** An interface has one identity everywhere; a disk has it in its VM. */
    @Test
    void anInterfaceBelongsToOneVm() throws StoreUnavailable {
        VmNic found = Samples.definition(3).nics().getFirst();
        VmNic same = new VmNic(found.id(), "other", "56:6f:00:00:00:09", null, 100);
        Definition wired =
                new Definition(
                        plain(1).definition().withNics(List.of(same)),
                        VmSpecification.BARE,
                        0,
                        null,
                        null);
        String reason =
                "the interface %s belongs to the VM %s"
                        .formatted(found.id(), Samples.definition(3).name());
        assertThatExceptionOfType(DefinitionTaken.class)
                .isThrownBy(() -> store.add(VM, wired))
                .withMessage(reason);
        assertThat(store.load(List.of(VM))).as("nothing half done").isEmpty();
        store.add(VM, plain(1));
        assertThatExceptionOfType(DefinitionTaken.class)
                .isThrownBy(() -> store.update(VM, wired))
                .withMessage(reason);
        assertThat(one(VM)).isEqualTo(plain(1));
        VmSpecification devices =
                LongStream.rangeClosed(1, 100)
                        .mapToObj(Specifications::any)
                        .filter(each -> !each.disks().isEmpty())
                        .findFirst()
                        .orElseThrow();
        Definition first = new Definition(plain(1).definition(), devices, 0, null, null);
        Definition second = new Definition(plain(2).definition(), devices, 0, null, null);
        assertThat(store.update(VM, first)).isTrue();
        assertThat(store.add(OTHER, second)).isTrue();
        assertThat(store.load(List.of(VM, OTHER))).isEqualTo(Map.of(VM, first, OTHER, second));
    }

    @Test
    void aVmThatWasFoundOwnsNothing() throws StoreUnavailable {
        String name = Samples.storedVm(3).definition().name();
        Definition same =
                new Definition(
                        new VmStatic(name, VmOrigin.OVIRT, false, 1_024, 512, 1, 1, 1, List.of()),
                        VmSpecification.BARE,
                        0,
                        null,
                        null);
        assertThat(store.taken(VM, same)).isNull();
        assertThat(store.add(VM, same)).isTrue();
    }

    @Test
    void everythingCanBeChangedAndSavedMemoryStays() throws StoreUnavailable {
        store.add(VM, plain(1));
        store.saveMemory(Map.of(VM, "a,b,c " + Samples.AWKWARD));
        Definition next = full(1, Specifications.any(77));
        assertThat(store.update(VM, next)).isTrue();
        assertThat(store.load(List.of(VM)))
                .isEqualTo(
                        Map.of(
                                VM,
                                new Definition(
                                        next.definition(),
                                        next.specification(),
                                        next.priority(),
                                        next.lease(),
                                        "a,b,c " + Samples.AWKWARD)));
        assertThat(store.update(VM, plain(1))).isTrue();
        assertThat(one(VM).definition()).isEqualTo(plain(1).definition());
        assertThat(store.update(OTHER, plain(1))).isFalse();
        assertThat(store.load(List.of(OTHER))).isEmpty();
    }

    @Test
    void theRunDefinitionIsKeptForTheRun() throws StoreUnavailable {
        RunDefinition begun = beginsToRun(3);
        Definition second = full(3, Specifications.any(2));
        assertThat(store.update(FOUND, second)).isTrue();
        Map<VmId, RunDefinition> kept = Map.of(FOUND, begun);
        assertThat(store.loadRuns(null)).isEqualTo(kept);
        assertThat(store.loadRuns(List.of(OTHER, FOUND))).isEqualTo(kept);
        assertThat(store.loadRuns(List.of(VM, OTHER))).isEmpty();
        assertThat(store.update(FOUND, plain(3))).isTrue();
        assertThat(store.loadRuns(null)).as("the oldest is what it runs with").isEqualTo(kept);

        is(VmStatus.DOWN, 3);
        assertThat(store.loadRuns(null)).as("its run is over").isEmpty();
        is(VmStatus.UP, 4);
        assertThat(store.loadRuns(null)).as("it runs with its definition").isEmpty();
        assertThat(store.update(FOUND, second)).isTrue();
        assertThat(store.loadRuns(null))
                .isEqualTo(
                        Map.of(
                                FOUND,
                                RunDefinition.of(4, plain(3).definition(), VmSpecification.BARE)));
        assertThat(store.remove(FOUND)).isTrue();
        assertThat(store.loadRuns(null)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(VmStatus.class)
    void onlyOfAVmInARunSomethingIsKept(VmStatus status) throws StoreUnavailable {
        RunDefinition begun = beginsToRun(8);
        is(status, 8);
        assertThat(store.update(FOUND, plain(3))).isTrue();
        assertThat(store.loadRuns(null))
                .isEqualTo(status.isInRun() ? Map.of(FOUND, begun) : Map.of());
    }

    @Test
    void aSuspendedVmContinuesUnchanged() throws StoreUnavailable {
        RunDefinition begun = beginsToRun(5);
        is(VmStatus.SUSPENDED, 5);
        assertThat(store.update(FOUND, plain(3))).isTrue();
        is(VmStatus.WAIT_FOR_LAUNCH, 6);
        for (int times = 0; times < 2; times++) {
            store.resumed(FOUND);
            assertThat(store.loadRuns(null)).isEqualTo(Map.of(FOUND, begun.inRun(6)));
        }
        is(VmStatus.DOWN, 6);
        is(VmStatus.SUSPENDED, 7);
        is(VmStatus.WAIT_FOR_LAUNCH, 8);
        store.resumed(FOUND);
        store.resumed(OTHER);
        assertThat(store.loadRuns(null)).as("it is of a run before that").isEmpty();
    }

    /** Lets a VM begin a run and returns its run definition; the VM is up then. */
    private RunDefinition beginsToRun(long generation) throws StoreUnavailable {
        Definition first = full(3, Specifications.any(1));
        is(VmStatus.DOWN, generation - 1);
        assertThat(store.update(FOUND, first)).isTrue();
        assertThat(store.loadRuns(null)).isEmpty();
        is(VmStatus.UP, generation);
        assertThat(store.loadRuns(null)).isEmpty();
        return RunDefinition.of(generation, first.definition(), first.specification());
    }

    private void is(VmStatus status, long generation) {
        VmChange change =
                new VmChange(
                        FOUND,
                        RuntimeFields.of(RuntimeField.STATUS),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                        PlacementFields.all(),
                        VmPlacement.NOWHERE.withRun(Samples.run(generation)),
                        List.of());
        assertThat(vms.write(List.of(change))).isInstanceOf(WriteOutcome.Written.class);
    }

    @Test
    void interfacesComeGoAndChangePlaces() throws StoreUnavailable {
        Definition definition = full(1, null);
        VmNic first = definition.definition().nics().get(0);
        VmNic second = definition.definition().nics().get(1);
        VmNic third = new VmNic(new UUID(8, 8), "nic3", "52:54:00:00:04:00", null, 100);
        store.add(VM, definition);
        for (List<VmNic> nics :
                List.of(
                        List.of(second, first),
                        List.of(third, second),
                        List.<VmNic>of(),
                        List.of(first, second, third))) {
            Definition next =
                    new Definition(definition.definition().withNics(nics), null, 3, LEASE, null);
            assertThat(store.update(VM, next)).isTrue();
            assertThat(one(VM).definition().nics()).isEqualTo(nics);
        }
    }

    @Test
    void aVmThatWasFoundGetsADefinition() throws StoreUnavailable {
        Definition next = full(3, VmSpecification.BARE);
        assertThat(store.update(FOUND, next)).isTrue();
        assertThat(store.load(List.of(FOUND))).isEqualTo(Map.of(FOUND, next));
        StoredVm before = Samples.storedVm(3);
        assertThat(all())
                .containsExactly(
                        new StoredVm(
                                FOUND, next.definition(), before.runtime(), before.placement()));
    }

    @Test
    void aVmIsRemovedWithAllItsRows() throws StoreUnavailable {
        store.add(VM, full(1, VmSpecification.BARE));
        store.save(group("g", VM, FOUND));
        assertThat(store.remove(VM)).isTrue();
        assertThat(store.remove(VM)).isFalse();
        assertThat(store.load(List.of(VM, FOUND))).containsOnlyKeys(FOUND);
        assertThat(store.loadAffinityGroups()).containsExactly(group("g", FOUND));
        assertThat(store.add(VM, plain(1))).as("its id is free").isTrue();
        assertThat(store.load(List.of(VM))).isEqualTo(Map.of(VM, plain(1)));
    }

    @Test
    void leasesAreKeptUntilTheirRemoval() throws StoreUnavailable {
        UUID domain = new UUID(0xD0, 1);
        UUID other = new UUID(0xD0, 2);
        store.add(VM, plain(1));
        assertThat(store.loadLeases()).isEmpty();
        VmLease wanted = VmLease.wanted(VM, domain);
        VmLease made =
                VmLease.wanted(VM, other)
                        .at(new VmLease.Place("/rhev/" + Samples.AWKWARD, 1L << 40))
                        .with(7L);
        store.saveLease(wanted);
        store.saveLease(made);
        assertThat(store.loadLeases()).containsExactlyInAnyOrder(wanted, made);
        store.saveLease(made.ending());
        assertThat(store.loadLeases()).containsExactlyInAnyOrder(wanted, made.ending());
        store.saveLease(made.at(new VmLease.Place("/dev/x/xleases", 0)));
        assertThat(store.remove(VM)).isTrue();
        assertThat(store.loadLeases())
                .containsExactlyInAnyOrder(wanted, made.at(new VmLease.Place("/dev/x/xleases", 0)));
        store.removeLease(VM, domain);
        store.removeLease(VM, domain);
        store.removeLease(VM, other);
        assertThat(store.loadLeases()).isEmpty();
    }

    @Test
    void memoryIsSavedAndForgotten() throws StoreUnavailable {
        store.add(VM, plain(1));
        assertThat(store.loadMemory()).isEmpty();
        store.saveMemory(Map.of(VM, "one", FOUND, "two", OTHER, "nobody's"));
        assertThat(store.loadMemory()).isEqualTo(Map.of(VM, "one", FOUND, "two"));
        assertThat(saved(VM)).isEqualTo("one");
        assertThat(saved(FOUND)).isEqualTo("two");
        Map<VmId, @Nullable String> none = new HashMap<>();
        none.put(VM, null);
        none.put(OTHER, null);
        store.saveMemory(none);
        store.saveMemory(Map.of());
        assertThat(saved(VM)).isNull();
        assertThat(saved(FOUND)).isEqualTo("two");
        assertThat(one(VM).specification()).isEqualTo(VmSpecification.BARE);
    }

    @Test
    void foundVmsThatUsersDefinedAreKnown() throws StoreUnavailable {
        store.add(VM, full(1, VmSpecification.BARE));
        assertThat(foundAndDefined()).isEmpty();
        define(new FoundDefinition(true, List.of(), List.of("its balloon")));
        assertThat(foundAndDefined()).as("its host defines it").isEmpty();
        define(new FoundDefinition(false, List.of("a disk"), List.of()));
        assertThat(foundAndDefined()).containsExactly(FOUND);
        define(null);
        assertThat(foundAndDefined()).containsExactly(FOUND);
        store.remove(FOUND);
        assertThat(foundAndDefined()).isEmpty();
    }

    private Set<VmId> foundAndDefined() throws StoreUnavailable {
        Set<VmId> defined = new HashSet<>();
        store.loadRecords((vm, at, isDefined) -> {
            if (isDefined) {
                defined.add(vm);
            }
        });
        // The other VM is not found, but made by a user.
        defined.remove(VM);
        return defined;
    }

    private void define(@Nullable FoundDefinition found) throws StoreUnavailable {
        VmSpecification specification = VmSpecification.BARE.withFound(found);
        assertThat(
                        store.update(
                                FOUND,
                                new Definition(
                                        Samples.definition(3), specification, 0, null, null)))
                .isTrue();
    }

    @Test
    void prioritiesAreLoadedWhereThereAreSome() throws StoreUnavailable {
        store.add(VM, full(1, null));
        store.add(OTHER, plain(2));
        Map<VmId, Integer> priorities = new HashMap<>();
        store.loadPriorities(priorities::put);
        assertThat(priorities).isEqualTo(Map.of(VM, 70));
    }

    @Test
    void timesOfCreationAreLoadedForAll() throws StoreUnavailable {
        Map<VmId, Instant> before = new HashMap<>();
        store.loadRecords((vm, at, defined) -> before.put(vm, at));
        store.add(VM, full(1, null));
        store.add(OTHER, plain(2));
        Map<VmId, Instant> created = new HashMap<>();
        store.loadRecords((vm, at, defined) -> created.put(vm, at));
        created.keySet().removeAll(before.keySet());
        assertThat(created).containsOnlyKeys(VM, OTHER);
        assertThat(created.values()).allMatch(time -> time.isAfter(Instant.EPOCH));
    }

    @Test
    void noVmsLoadNothing() throws StoreUnavailable {
        assertThat(store.load(List.of())).isEmpty();
        assertThat(store.load(Set.of(VM))).isEmpty();
    }

    @Test
    void affinityGroupsAreSavedChangedAndRemoved() throws StoreUnavailable {
        store.add(VM, plain(1));
        assertThat(store.loadAffinityGroups()).isEmpty();
        assertThat(store.save(group("g " + Samples.AWKWARD, VM, FOUND, Samples.vm(99))))
                .isEqualTo(Saved.SAVED);
        assertThat(store.loadAffinityGroups())
                .as("who is not there is left out")
                .containsExactly(group("g " + Samples.AWKWARD, VM, FOUND));
        AffinityGroup apart =
                new AffinityGroup(
                        new UUID(6, 6),
                        "apart",
                        "two " + Samples.AWKWARD,
                        ClusterId.DEFAULT,
                        false,
                        true,
                        Set.of());
        assertThat(store.save(apart)).isEqualTo(Saved.SAVED);
        assertThat(store.loadAffinityGroups()).containsExactly(apart);
        AffinityGroup same =
                new AffinityGroup(
                        new UUID(6, 7), "apart", ClusterId.DEFAULT, true, true, Set.of(VM));
        assertThat(store.save(same)).isEqualTo(Saved.TAKEN);
        assertThat(store.loadAffinityGroups()).containsExactly(apart);
        assertThat(store.removeAffinityGroup(new UUID(6, 6))).isTrue();
        assertThat(store.removeAffinityGroup(new UUID(6, 6))).isFalse();
        assertThat(store.loadAffinityGroups()).isEmpty();
    }

    @Test
    void fenceAgentsAreReplacedInTheirOrder() throws StoreUnavailable {
        FenceAgent first =
                new FenceAgent(
                        "ipmilan",
                        "10.0.0.1",
                        623,
                        "root",
                        "pass\"w\\ord Ü 漢",
                        Map.of("lanplus", "1", "power-wait", "4 \"s\""));
        FenceAgent second = new FenceAgent("apc", "apc.example", null, null, null, Map.of());
        assertThat(store.fenceAgents(Samples.host(1))).isEmpty();
        assertThat(store.hostsWithFenceAgents()).isEmpty();
        assertThat(store.saveFenceAgents(Samples.host(1), List.of(first, second))).isTrue();
        assertThat(store.fenceAgents(Samples.host(1))).containsExactly(first, second);
        assertThat(store.hostsWithFenceAgents()).containsExactly(Samples.host(1));
        store.saveFenceAgents(Samples.host(1), List.of(second, first, second));
        assertThat(store.fenceAgents(Samples.host(1))).containsExactly(second, first, second);
        store.saveFenceAgents(Samples.host(1), List.of());
        assertThat(store.fenceAgents(Samples.host(1))).isEmpty();
        assertThat(store.hostsWithFenceAgents()).isEmpty();
    }

    private @Nullable String saved(VmId vm) throws StoreUnavailable {
        return one(vm).savedMemory();
    }

    private Definition one(VmId vm) throws StoreUnavailable {
        return Objects.requireNonNull(store.load(List.of(vm)).get(vm));
    }

    private List<StoredVm> all() throws StoreUnavailable {
        List<StoredVm> all = new ArrayList<>();
        vms.loadAll(all::add);
        all.sort(Comparator.comparing(StoredVm::id));
        return all;
    }

    private static AffinityGroup group(String name, VmId... members) {
        return new AffinityGroup(
                new UUID(6, 6),
                name,
                ClusterId.DEFAULT,
                true,
                false,
                Set.copyOf(Stream.of(members).toList()));
    }

    /** A VM in which every value differs from its default. */
    private static Definition full(long seed, @Nullable VmSpecification specification) {
        VmStatic sample = Samples.definition(seed);
        return new Definition(
                new VmStatic(
                        "renamed " + sample.name(),
                        VmOrigin.OVIRT,
                        true,
                        8_192,
                        1_024,
                        3,
                        4,
                        2,
                        sample.nics(),
                        true,
                        ClusterId.DEFAULT),
                specification,
                70,
                LEASE,
                null);
    }

    private static Definition plain(long seed) {
        return new Definition(
                new VmStatic(
                        "plain-" + seed, VmOrigin.OVIRT, false, 1_024, 512, 1, 1, 1, List.of()),
                VmSpecification.BARE,
                0,
                null,
                null);
    }
}
