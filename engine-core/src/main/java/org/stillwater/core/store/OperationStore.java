package org.stillwater.core.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.vm.PendingWork;

/**
 * Durable operations. Every method is one transaction with a number of statements that does not
 * depend on how many operations it is given. Thread-safe.
 */
public interface OperationStore {

    /**
     * Makes operations durable and takes over, in the same transaction, the work that they are to
     * do. An operation that already exists, because an answer was lost, counts as begun again.
     *
     * @param begun at most one per operation, in no order
     * @return the ids of those that are durable now; left out are operations without a right to
     *     their work ({@link WorkStore#takeOver}) and operations about VMs or hosts that are gone
     * @throws StoreUnavailable if the database does not answer; the call may be repeated
     */
    Set<UUID> begin(List<Begun> begun) throws StoreUnavailable;

    /**
     * An operation that is to become durable.
     *
     * @param operation the operation, not ended
     * @param work work about its VM that it does, null for none
     * @param hostWork work about its host that it does, null for none
     */
    record Begun(Operation operation, @Nullable PendingWork work, @Nullable HostWork hostWork) {

        /** An operation that a user ordered. */
        public static Begun of(Operation operation) {
            return new Begun(operation, null, null);
        }
    }

    /**
     * Takes over more work for operations that are durable already, as {@link #begin} does.
     *
     * @return the operations that have their work now
     * @throws StoreUnavailable if the database does not answer; the call may be repeated
     */
    Set<UUID> takeOver(List<Begun> taken) throws StoreUnavailable;

    /**
     * Ends open work that needs no action, also if another owner has taken it over.
     *
     * @throws StoreUnavailable if the database does not answer; the call may be repeated
     */
    void discharge(List<PendingWork> done, Instant at) throws StoreUnavailable;

    /**
     * Writes how far operations are, by their ids; missing operations are ignored.
     *
     * @param operations at most one per id, sorted by id
     */
    WriteOutcome save(List<Operation> operations);

    /**
     * Streams operations that have not ended, oldest first.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadOpen(Consumer<Operation> receiver) throws StoreUnavailable;

    /**
     * Operations that have not ended and that {@link #loadOpen} had to leave out, because their
     * rows make no operation; with the reason, one clause for people.
     */
    default Map<UUID, String> unreadable() {
        return Map.of();
    }

    /**
     * Streams the starts of cold reboots that failed or were taken back, of each VM those with
     * which nothing else was done since, oldest first: unless there are enough of them, the next
     * attempt is due.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    void loadFailedColdReboots(Consumer<Operation> receiver) throws StoreUnavailable;

    /**
     * The operation of this id, ended or not; null if there is none.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    @Nullable Operation find(UUID id) throws StoreUnavailable;

    /**
     * Operations that meet a filter, newest first.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<Operation> list(Filter filter) throws StoreUnavailable;

    /**
     * Filter of operations; a null component matches all.
     *
     * @param vm about this VM
     * @param host about this host
     * @param kind of this kind
     * @param state in this state
     * @param batch of this batch
     * @param before created before this moment, or at it with a smaller id
     * @param beforeId see {@code before}
     * @param limit most operations to return, at least 1
     */
    record Filter(
            @Nullable VmId vm,
            @Nullable HostId host,
            @Nullable OperationKind kind,
            @Nullable OperationState state,
            @Nullable UUID batch,
            @Nullable Instant before,
            @Nullable UUID beforeId,
            int limit) {}

    /**
     * Removes operations that ended before this moment.
     *
     * @param most most operations to remove at a time
     * @return how many were removed
     * @throws StoreUnavailable if the database cannot be written now
     */
    int removeEndedBefore(Instant moment, int most) throws StoreUnavailable;
}
