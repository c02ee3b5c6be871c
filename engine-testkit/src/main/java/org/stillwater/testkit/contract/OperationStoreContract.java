package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.store.OperationStore.Filter;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.Samples;

/**
 * Contract of every {@link OperationStore}, also about the work of {@link VmStore} and {@link
 * HostStore}. A subclass hands out empty stores before each test.
 *
 * <p>It is long because it is a list of independent tests with their samples.
 */
public abstract class OperationStoreContract {

    /** When operations of these tests are requested. */
    protected static final Instant NOW = Instant.parse("2026-03-04T05:06:07.123456Z");

    private static final Operation.Origin ORIGIN =
            new Operation.Origin("ada " + Samples.AWKWARD, "run " + Samples.AWKWARD);

    private VmStore vms;
    private HostStore hosts;
    private OperationStore store;

    /** An empty store of VMs; the others are beside it. */
    protected abstract VmStore emptyVms() throws StoreUnavailable;

    /** The hosts beside those VMs, none at first. */
    protected abstract HostStore hosts();

    /** The operations beside those VMs, none at first. */
    protected abstract OperationStore operations();

    @BeforeEach
    void begin() throws StoreUnavailable {
        vms = emptyVms();
        hosts = hosts();
        store = operations();
        List<StoredVm> both = new ArrayList<>(List.of(Samples.storedVm(1), Samples.storedVm(2)));
        both.sort(Comparator.comparing(StoredVm::id));
        vms.add(both);
        hosts.add(Samples.hostDefinition(1));
    }

    /** Some of each kind of parameters, for each kind of operation that fits. */
    static Stream<OperationParameters> parameters() {
        return Stream.of(
                OperationParameters.NONE,
                OperationParameters.Run.DEFAULT,
                new OperationParameters.Run(
                        Samples.host(1), true, OperationParameters.Cause.HIGH_AVAILABILITY),
                OperationParameters.Shutdown.DEFAULT,
                new OperationParameters.Shutdown(Samples.AWKWARD, 60),
                new OperationParameters.Reboot(true),
                OperationParameters.Migrate.DEFAULT,
                new OperationParameters.Migrate(Samples.host(2), Samples.AWKWARD),
                new OperationParameters.Console("ada", new UUID(3, 4), 120),
                new OperationParameters.Console(Samples.AWKWARD, null, 1),
                new OperationParameters.Definition("{\"name\": \"" + "a\\u0000b\\n" + "\"}"),
                new OperationParameters.Fence(true),
                new OperationParameters.Cd(Samples.AWKWARD),
                new OperationParameters.Cd(null),
                new OperationParameters.Device(
                        OperationParameters.DeviceType.DISK, new UUID(5, 6)));
    }

    @ParameterizedTest
    @MethodSource("parameters")
    void parametersAreKept(OperationParameters parameters) throws StoreUnavailable {
        Operation operation = run(1, parameters, 7);
        assertThat(store.begin(List.of(Begun.of(operation)))).containsExactly(operation.id());
        assertThat(store.find(operation.id())).isEqualTo(operation);
    }

    @ParameterizedTest
    @EnumSource
    void everyKindIsKept(OperationKind kind) throws StoreUnavailable {
        Operation operation =
                kind.subject() == OperationKind.Subject.VM
                        ? Operation.on(
                                Samples.vm(1),
                                id(1),
                                kind,
                                OperationParameters.NONE,
                                ORIGIN,
                                0,
                                NOW)
                        : Operation.on(
                                Samples.host(1),
                                id(1),
                                kind,
                                OperationParameters.NONE,
                                ORIGIN.in(new UUID(5, 6), 999),
                                Long.MAX_VALUE,
                                NOW);
        assertThat(store.begin(List.of(Begun.of(operation)))).containsExactly(operation.id());
        assertThat(store.find(operation.id())).isEqualTo(operation);
        assertThat(open()).containsExactly(operation);
    }

    @Test
    void coldRebootsThatFailedAreFoundUntilSomethingElseIsDone() throws StoreUnavailable {
        OperationParameters cold =
                new OperationParameters.Run(null, false, OperationParameters.Cause.COLD_REBOOT);
        Operation first = ended(run(1, cold, 1), OperationState.FAILED);
        Operation second = ended(at(2, cold, 1), OperationState.CANCELLED);
        Operation open = at(3, cold, 2);
        keep(first, second, open);
        assertThat(failedColdReboots()).containsExactly(first, second);
        Operation changed = on(4, OperationKind.UPDATE_VM);
        keep(changed);
        assertThat(failedColdReboots()).containsExactly(first, second);
        keep(on(5, OperationKind.MIGRATE));
        assertThat(failedColdReboots()).isEmpty();
        Operation third = ended(at(6, cold, 3), OperationState.FAILED);
        keep(third);
        assertThat(failedColdReboots()).containsExactly(third);
        keep(ended(at(7, cold, 4), OperationState.SUCCEEDED));
        assertThat(failedColdReboots()).isEmpty();
    }

    private List<Operation> failedColdReboots() throws StoreUnavailable {
        List<Operation> found = new ArrayList<>();
        store.loadFailedColdReboots(found::add);
        return found;
    }

    /** Operations on the first VM, one second after the other. */
    private static Operation at(long n, OperationParameters parameters, long generation) {
        return Operation.on(
                Samples.vm(1),
                id(n),
                OperationKind.RUN,
                parameters,
                ORIGIN,
                generation,
                NOW.plusSeconds(n));
    }

    private static Operation on(long n, OperationKind kind) {
        return Operation.on(
                Samples.vm(1),
                id(n),
                kind,
                OperationParameters.NONE,
                ORIGIN,
                0,
                NOW.plusSeconds(n));
    }

    private static Operation ended(Operation operation, OperationState end) {
        OperationFailure why =
                end == OperationState.FAILED
                        ? new OperationFailure(OperationFailure.Code.REFUSED, "no")
                        : null;
        return operation.ended(end, "ended", why, operation.createdAt().plusMillis(500));
    }

    private void keep(Operation... operations) throws StoreUnavailable {
        for (Operation operation : operations) {
            Operation begun =
                    Operation.on(
                            Samples.vm(1),
                            operation.id(),
                            operation.kind(),
                            operation.parameters(),
                            operation.origin(),
                            operation.generation(),
                            operation.createdAt());
            store.begin(List.of(Begun.of(begun)));
            store.save(List.of(operation));
        }
    }

    @Test
    void everythingAboutAnOperationIsSaved() throws StoreUnavailable {
        Operation operation = run(1, OperationParameters.Run.DEFAULT, 7);
        store.begin(List.of(Begun.of(operation)));
        Operation under =
                operation
                        .doing(Samples.AWKWARD, NOW.plusSeconds(1))
                        .placed(Samples.host(1), Samples.AWKWARD)
                        .at(33)
                        .failedOnTarget("code 16: " + Samples.AWKWARD)
                        .placed(Samples.host(3), "the next best")
                        .failedOnTarget("")
                        .placed(Samples.host(2), "the next best");
        assertThat(store.save(List.of(under))).isEqualTo(written(1));
        assertThat(store.find(operation.id())).isEqualTo(under);
        assertThat(store.save(List.of(under))).as("nothing differs").isEqualTo(written(0));
        Operation failed =
                under.ended(
                        OperationState.FAILED,
                        "failed",
                        new OperationFailure(OperationFailure.Code.NO_HOST, Samples.AWKWARD),
                        NOW.plusSeconds(2));
        assertThat(store.save(List.of(failed))).isEqualTo(written(1));
        assertThat(store.find(operation.id())).isEqualTo(failed);
        assertThat(open()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeOfAFailureIsKept(OperationFailure.Code code) throws StoreUnavailable {
        Operation operation = run(1, OperationParameters.NONE, 1);
        store.begin(List.of(Begun.of(operation)));
        Operation failed =
                operation.ended(OperationState.FAILED, "", new OperationFailure(code, "why"), NOW);
        store.save(List.of(failed));
        assertThat(store.find(operation.id())).isEqualTo(failed);
    }

    @Test
    void missingOperationsAreNotSaved() throws StoreUnavailable {
        assertThat(store.save(List.of())).isEqualTo(written(0));
        assertThat(store.save(List.of(run(1, OperationParameters.NONE, 1)))).isEqualTo(written(0));
        assertThat(store.find(id(1))).isNull();
        assertThat(store.begin(List.of())).isEmpty();
        assertThat(store.takeOver(List.of())).isEmpty();
    }

    @Test
    void anOperationBegunAgainAfterALostAnswerIsUnchanged() throws StoreUnavailable {
        PendingWork work = queue(1, WorkKind.HA_RESTART, 3);
        Operation operation = run(1, OperationParameters.Run.DEFAULT, 3);
        Begun begun = new Begun(operation, work, null);
        assertThat(store.begin(List.of(begun))).containsExactly(operation.id());
        Operation doing = operation.doing("starts", NOW);
        store.save(List.of(doing));

        assertThat(store.begin(List.of(begun))).containsExactly(operation.id());
        assertThat(store.find(operation.id())).isEqualTo(doing);

        forgetRunsBefore(1, 9);
        assertThat(store.begin(List.of(begun)))
                .as("durable is durable, also when the work is forgotten")
                .containsExactly(operation.id());
    }

    @Test
    void anOperationBeginsWithItsWorkOrNotAtAll() throws StoreUnavailable {
        PendingWork restart = queue(1, WorkKind.HA_RESTART, 3);
        PendingWork other = queue(2, WorkKind.RERUN, 4);
        Operation first = run(1, OperationParameters.Run.DEFAULT, 3);
        Operation second = on(Samples.vm(2), 2);
        assertThat(
                        store.begin(
                                List.of(
                                        new Begun(first, restart, null),
                                        new Begun(second, other, null))))
                .containsExactlyInAnyOrder(first.id(), second.id());
        assertThat(openWork()).isEmpty();
        assertThat(vms.takeOver(restart, first.id(), NOW)).as("its owner").isTrue();

        Operation late = on(Samples.vm(1), 3);
        PendingWork never = new PendingWork(Samples.vm(1), WorkKind.HA_RESTART, 77, null, "");
        Operation lone = on(Samples.vm(1), 4);
        Operation free = on(Samples.vm(1), 5);
        assertThat(
                        store.begin(
                                List.of(
                                        new Begun(late, restart, null),
                                        new Begun(lone, never, null),
                                        Begun.of(free))))
                .containsExactly(free.id());
        assertThat(store.find(late.id())).isNull();
        assertThat(store.find(lone.id())).isNull();
    }

    @Test
    void anOperationOnAHostBeginsWithItsWorkOrNotAtAll() throws StoreUnavailable {
        HostWork fence = queueAboutHost();
        Operation first = onHost(1);
        assertThat(store.begin(List.of(new Begun(first, null, fence)))).containsExactly(first.id());
        Operation second = onHost(2);
        assertThat(store.begin(List.of(new Begun(second, null, fence)))).isEmpty();
        assertThat(store.find(second.id())).isNull();
        assertThat(store.begin(List.of(new Begun(first, null, fence)))).containsExactly(first.id());
        List<OpenHostWork> open = new ArrayList<>();
        hosts.loadHostWork(open::add);
        assertThat(open).isEmpty();
    }

    @Test
    void nothingBeginsOnAVmThatIsGoneButItsAddition() throws StoreUnavailable {
        Operation gone = on(Samples.vm(99), 1);
        Operation added =
                Operation.on(
                        Samples.vm(99),
                        id(2),
                        OperationKind.ADD_VM,
                        new OperationParameters.Definition("{}"),
                        ORIGIN,
                        0,
                        NOW);
        assertThat(store.begin(List.of(Begun.of(gone), Begun.of(added))))
                .containsExactly(added.id());
        assertThat(open()).containsExactly(added);
    }

    @Test
    void aDurableOperationTakesOverMoreWork() throws StoreUnavailable {
        PendingWork work = queue(1, WorkKind.HA_RESTART, 3);
        Operation durable = on(Samples.vm(1), 1);
        Operation not = on(Samples.vm(1), 2);
        store.begin(List.of(Begun.of(durable)));
        assertThat(store.takeOver(List.of(new Begun(not, work, null)))).isEmpty();
        assertThat(openWork()).hasSize(1);
        assertThat(store.takeOver(List.of(new Begun(durable, work, null))))
                .containsExactly(durable.id());
        assertThat(store.takeOver(List.of(new Begun(durable, work, null))))
                .as("after a lost answer")
                .containsExactly(durable.id());
        assertThat(openWork()).isEmpty();
    }

    @Test
    void dischargedWorkIsClosedAndOwnedWorkIsKept() throws StoreUnavailable {
        PendingWork undone = queue(1, WorkKind.HA_RESTART, 3);
        PendingWork taken = queue(2, WorkKind.HA_RESTART, 3);
        Operation owner = on(Samples.vm(2), 1);
        store.begin(List.of(new Begun(owner, taken, null)));
        PendingWork never = new PendingWork(Samples.vm(1), WorkKind.RERUN, 77, null, "");
        store.discharge(List.of(undone, taken, never), NOW);
        store.discharge(List.of(undone), NOW);
        store.discharge(List.of(), NOW);
        assertThat(openWork()).isEmpty();
        assertThat(vms.takeOver(undone, owner.id(), NOW)).isFalse();
        assertThat(vms.takeOver(taken, owner.id(), NOW)).isTrue();
    }

    @Test
    void openOperationsAreLoadedOldestFirst() throws StoreUnavailable {
        List<Operation> all = many(20);
        for (int i = 0; i < all.size(); i += 4) {
            Operation ended =
                    all.get(i).ended(OperationState.SUCCEEDED, "done", null, NOW.plusSeconds(9));
            store.save(List.of(ended));
            all.set(i, ended);
        }
        assertThat(open())
                .containsExactlyElementsOf(
                        all.stream().filter(operation -> !operation.isEnded()).toList());
    }

    @Test
    void operationsAreListedPageByPageNewestFirst() throws StoreUnavailable {
        List<Operation> all = many(20);
        List<Operation> listed = new ArrayList<>();
        List<Operation> page = store.list(filter(null, null, null, null, null, null, 7));
        while (!page.isEmpty()) {
            listed.addAll(page);
            page = store.list(filter(null, null, null, null, null, page.getLast(), 7));
        }
        assertThat(listed).containsExactlyElementsOf(all.reversed());
        Filter early = new Filter(null, null, null, null, null, NOW.plusSeconds(1), null, 100);
        assertThat(store.list(early))
                .allMatch(operation -> operation.createdAt().isBefore(NOW.plusSeconds(1)))
                .isNotEmpty();
    }

    @Test
    void operationsAreListedByFilters() throws StoreUnavailable {
        UUID batch = new UUID(7, 7);
        Operation inBatch =
                Operation.on(
                        Samples.vm(1),
                        id(1),
                        OperationKind.MIGRATE,
                        OperationParameters.Migrate.DEFAULT,
                        ORIGIN.in(batch, 3),
                        0,
                        NOW);
        Operation other = on(Samples.vm(2), 2);
        Operation ofHost = onHost(3);
        store.begin(List.of(Begun.of(inBatch), Begun.of(other), Begun.of(ofHost)));
        Operation cancelled = other.ended(OperationState.CANCELLED, "taken back", null, NOW);
        store.save(List.of(cancelled));

        assertThat(store.list(filter(Samples.vm(1), null, null, null, null, null, 9)))
                .containsExactly(inBatch);
        assertThat(store.list(filter(null, Samples.host(1), null, null, null, null, 9)))
                .containsExactly(ofHost);
        assertThat(store.list(filter(null, null, OperationKind.MIGRATE, null, null, null, 9)))
                .containsExactly(inBatch);
        assertThat(store.list(filter(null, null, null, OperationState.CANCELLED, null, null, 9)))
                .containsExactly(cancelled);
        assertThat(store.list(filter(null, null, null, OperationState.QUEUED, null, null, 9)))
                .containsExactlyInAnyOrder(inBatch, ofHost);
        assertThat(store.list(filter(null, null, null, null, batch, null, 9)))
                .containsExactly(inBatch);
        assertThat(
                        store.list(
                                filter(
                                        Samples.vm(1),
                                        null,
                                        OperationKind.RUN,
                                        OperationState.QUEUED,
                                        batch,
                                        null,
                                        9)))
                .isEmpty();
    }

    @Test
    void oldOperationsAreRemovedSomeAtATime() throws StoreUnavailable {
        List<Operation> all = many(5);
        for (int i = 0; i < 4; i++) {
            Operation ended =
                    all.get(i)
                            .ended(
                                    OperationState.SUCCEEDED,
                                    "done",
                                    null,
                                    NOW.plusSeconds(100 + i));
            store.save(List.of(ended));
        }
        Instant moment = NOW.plusSeconds(103);
        assertThat(store.removeEndedBefore(moment, 2)).isEqualTo(2);
        assertThat(store.removeEndedBefore(moment, 2)).isEqualTo(1);
        assertThat(store.removeEndedBefore(moment, 2)).isZero();
        assertThat(store.find(all.get(3).id())).as("it ended at that moment").isNotNull();
        assertThat(open()).containsExactly(all.get(4));
    }

    @Test
    void manyBeginAtOnce() throws StoreUnavailable {
        List<Begun> all =
                LongStream.range(0, 500).mapToObj(i -> Begun.of(on(Samples.vm(1), i))).toList();
        Set<UUID> ids = new HashSet<>();
        all.forEach(begun -> ids.add(begun.operation().id()));
        assertThat(store.begin(all)).isEqualTo(ids);
        List<Operation> doing =
                all.stream()
                        .map(begun -> begun.operation().doing("starts", NOW))
                        .sorted(Comparator.comparing(operation -> VmId.of(operation.id())))
                        .toList();
        assertThat(store.save(doing)).isEqualTo(written(500));
        assertThat(open()).hasSize(500).allMatch(operation -> operation.step().equals("starts"));
    }

    /** So many, three of each moment, oldest first. */
    private List<Operation> many(int count) throws StoreUnavailable {
        List<Operation> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(
                    Operation.on(
                            Samples.vm(1 + i % 2),
                            Samples.vm(1_000 + i).toUuid(),
                            OperationKind.RUN,
                            OperationParameters.Run.DEFAULT,
                            ORIGIN,
                            i,
                            NOW.plusSeconds(i / 3)));
        }
        store.begin(all.stream().map(Begun::of).toList());
        all.sort(
                Comparator.comparing(Operation::createdAt)
                        .thenComparing(operation -> VmId.of(operation.id())));
        return all;
    }

    private static Filter filter(
            @Nullable VmId vm,
            @Nullable HostId host,
            @Nullable OperationKind kind,
            @Nullable OperationState state,
            @Nullable UUID batch,
            @Nullable Operation before,
            int limit) {
        return new Filter(
                vm,
                host,
                kind,
                state,
                batch,
                before == null ? null : before.createdAt(),
                before == null ? null : before.id(),
                limit);
    }

    private static UUID id(long number) {
        return Samples.vm(10_000 + number).toUuid();
    }

    private static Operation run(long vm, OperationParameters parameters, long generation) {
        return Operation.on(
                Samples.vm(vm), id(vm), OperationKind.RUN, parameters, ORIGIN, generation, NOW);
    }

    private static Operation on(VmId vm, long number) {
        return Operation.on(
                vm,
                id(number),
                OperationKind.RUN,
                OperationParameters.Run.DEFAULT,
                ORIGIN,
                number,
                NOW);
    }

    private static Operation onHost(long number) {
        return Operation.on(
                Samples.host(1),
                id(number),
                OperationKind.FENCE,
                new OperationParameters.Fence(true),
                ORIGIN,
                1,
                NOW);
    }

    private PendingWork queue(long vm, WorkKind kind, long generation) {
        PendingWork work =
                new PendingWork(Samples.vm(vm), kind, generation, Samples.host(1), "because");
        vms.write(
                List.of(
                        VmChange.placed(Samples.vm(vm), PlacementFields.NONE, VmPlacement.NOWHERE)
                                .withWork(List.of(new OpenWork(work, NOW)))));
        return work;
    }

    private void forgetRunsBefore(long vm, long generation) {
        VmRun run = VmRun.NEVER;
        while (run.generation() < generation) {
            run = run.next();
        }
        vms.write(
                List.of(
                        VmChange.placed(
                                Samples.vm(vm),
                                PlacementFields.of(PlacementField.RUN_GENERATION),
                                VmPlacement.NOWHERE.withRun(run))));
    }

    private HostWork queueAboutHost() {
        HostWork fence = new HostWork(Samples.host(1), HostWorkKind.FENCE, 1, 0, "silent");
        HostCondition silent = HostCondition.of(HostStatus.NON_RESPONSIVE);
        hosts.write(
                List.of(
                        HostChange.of(
                                        Samples.host(1),
                                        new HostCondition(
                                                silent.status(),
                                                silent.previous(),
                                                silent.nonOperational(),
                                                null,
                                                1,
                                                0))
                                .withWork(List.of(new OpenHostWork(fence, NOW)))));
        return fence;
    }

    private List<Operation> open() throws StoreUnavailable {
        List<Operation> open = new ArrayList<>();
        store.loadOpen(open::add);
        return open;
    }

    private List<OpenWork> openWork() throws StoreUnavailable {
        List<OpenWork> open = new ArrayList<>();
        vms.loadWork(open::add);
        return open;
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
