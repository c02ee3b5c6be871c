package org.stillwater.core.operation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.text.SafeText;

/**
 * A request on a VM or host, from the moment that it is durable until it has ended, with its
 * result. Immutable.
 *
 * <p>After a restart of the engine the operation continues from these components and the state of
 * its VM: {@code generation} is the run of the VM at its begin, so that a greater one is its own
 * effect.
 *
 * @param id identity
 * @param kind kind of operation
 * @param vm the VM that it is about, null if it is about a host
 * @param host the host that it is about, null if it is about a VM
 * @param origin where it comes from
 * @param parameters further parameters of the request
 * @param generation the VM's run when it began ({@code VmRun#generation()})
 * @param state how far it is
 * @param step its present step, one clause for people
 * @param progress 0–100, as far as known
 * @param target the host on which it is done, or the destination of a migration; null until chosen
 * @param attempts hosts on which it failed, in order, each with its answer; they are not chosen
 *     again
 * @param explanation why the target was chosen, or why there is none; null when nothing was chosen
 * @param failure why it failed, null if it did not
 * @param createdAt when it was requested
 * @param startedAt when it began, null before
 * @param endedAt when it ended, null before
 */
public record Operation(
        UUID id,
        OperationKind kind,
        @Nullable VmId vm,
        @Nullable HostId host,
        Origin origin,
        OperationParameters parameters,
        long generation,
        OperationState state,
        String step,
        int progress,
        @Nullable HostId target,
        List<Attempt> attempts,
        @Nullable String explanation,
        @Nullable OperationFailure failure,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt) {

    /**
     * Origin of an operation.
     *
     * @param requestedBy the requester: a user, or a part of the engine
     * @param correlation correlation id of the requester, at most 255 characters; for logs and
     *     audit
     * @param batch the batch that it belongs to, null for none
     * @param position its index in the batch, 0 without one
     */
    public record Origin(
            String requestedBy, String correlation, @Nullable UUID batch, int position) {

        /** Not part of a batch. */
        public Origin(String requestedBy, String correlation) {
            this(requestedBy, correlation, null, 0);
        }

        /** The same as a part of a batch. */
        public Origin in(UUID newBatch, int newPosition) {
            return new Origin(requestedBy, correlation, newBatch, newPosition);
        }
    }

    /**
     * A host on which a start or migration failed.
     *
     * @param host the host that was to run the VM
     * @param answer reason of the refusal, for people, at most 1000 characters; empty if an earlier
     *     version did not keep it
     */
    public record Attempt(HostId host, String answer) {

        /** Longest answer that is kept: three of them fit in the reason of a failure. */
        private static final int LONGEST_ANSWER = 1_000;

        public Attempt {
            answer = SafeText.of(answer, LONGEST_ANSWER);
        }
    }

    public Operation {
        if ((vm == null) == (host == null)) {
            throw new IllegalArgumentException("an operation is about a VM or a host");
        }
        attempts = List.copyOf(attempts);
    }

    /** An operation on a VM without effects so far. */
    public static Operation on(
            VmId vm,
            UUID id,
            OperationKind kind,
            OperationParameters parameters,
            Origin origin,
            long generation,
            Instant now) {
        return new Operation(
                id,
                kind,
                vm,
                null,
                origin,
                parameters,
                generation,
                OperationState.QUEUED,
                "waits for its turn",
                0,
                null,
                List.of(),
                null,
                null,
                now,
                null,
                null);
    }

    /** An operation on a host without effects so far. */
    public static Operation on(
            HostId host,
            UUID id,
            OperationKind kind,
            OperationParameters parameters,
            Origin origin,
            long episode,
            Instant now) {
        return new Operation(
                id,
                kind,
                null,
                host,
                origin,
                parameters,
                episode,
                OperationState.QUEUED,
                "waits for its turn",
                0,
                null,
                List.of(),
                null,
                null,
                now,
                null,
                null);
    }

    /** Whether it has ended. */
    public boolean isEnded() {
        return state.isEnd();
    }

    /** The same, under way and doing this. */
    public Operation doing(String newStep, Instant now) {
        return new Operation(
                id,
                kind,
                vm,
                host,
                origin,
                parameters,
                generation,
                OperationState.RUNNING,
                newStep,
                progress,
                target,
                attempts,
                explanation,
                failure,
                createdAt,
                startedAt == null ? now : startedAt,
                endedAt);
    }

    /** The same with this progress. */
    public Operation at(int percent) {
        return new Operation(
                id,
                kind,
                vm,
                host,
                origin,
                parameters,
                generation,
                state,
                step,
                Math.clamp(percent, 0, 100),
                target,
                attempts,
                explanation,
                failure,
                createdAt,
                startedAt,
                endedAt);
    }

    /** The same with this target, or without one. */
    public Operation placed(@Nullable HostId newTarget, @Nullable String why) {
        return new Operation(
                id,
                kind,
                vm,
                host,
                origin,
                parameters,
                generation,
                state,
                step,
                progress,
                newTarget,
                attempts,
                why,
                failure,
                createdAt,
                startedAt,
                endedAt);
    }

    /** Hosts on which it failed, in order; they are not chosen again. */
    public List<HostId> tried() {
        return attempts.stream().map(Attempt::host).toList();
    }

    /** The same after it failed on its target, which answered so and is not chosen again. */
    public Operation failedOnTarget(String answer) {
        HostId last = target;
        if (last == null || tried().contains(last)) {
            return this;
        }
        List<Attempt> all = new ArrayList<>(attempts);
        all.add(new Attempt(last, answer));
        return new Operation(
                id,
                kind,
                vm,
                host,
                origin,
                parameters,
                generation,
                state,
                step,
                0,
                null,
                all,
                explanation,
                failure,
                createdAt,
                startedAt,
                endedAt);
    }

    /** The same, ended. */
    public Operation ended(
            OperationState end, String result, @Nullable OperationFailure why, Instant now) {
        if (!end.isEnd()) {
            throw new IllegalArgumentException(end + " is no end");
        }
        return new Operation(
                id,
                kind,
                vm,
                host,
                origin,
                parameters,
                generation,
                end,
                result,
                end == OperationState.SUCCEEDED ? 100 : progress,
                target,
                attempts,
                explanation,
                why,
                createdAt,
                startedAt == null ? now : startedAt,
                now);
    }
}
