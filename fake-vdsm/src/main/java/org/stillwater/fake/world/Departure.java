package org.stillwater.fake.world;

import org.jspecify.annotations.Nullable;

/**
 * A VM's way off its host, to another host or into a volume, as VDSM's source thread keeps it
 * ({@code vdsm/virt/migration.py}): from the order until the next order, so that its outcome can be
 * queried afterwards. Thread-safe; a thread that holds its monitor takes no other one.
 */
final class Departure {

    /** Its progress. */
    enum Stage {
        /** It searches the other host. */
        CONNECTING,
        /** As many as the host lets go at a time are on their way. */
        WAITING_FOR_TURN,
        /** The destination receives as many VMs as it may at a time; the source retries. */
        WAITING_FOR_DESTINATION,
        /** It has its turn. */
        ON_ITS_WAY,
        /** It has ended, well or not. */
        OVER
    }

    /** The phase before; the VM returns to it on failure. */
    final Phase before;

    /** The destination; {@code null} for a hibernation, and for an address without a host. */
    final @Nullable FakeHost target;

    final boolean hibernation;

    /** The volumes for the saved state; {@code null} for a migration, and if none are requested. */
    final VolumeAddress.@Nullable Pair volumes;

    /**
     * Most VMs that the destination may receive at a time, from the order; 0 keeps its own limit.
     */
    final long incomingLimit;

    private Stage stage = Stage.CONNECTING;
    private boolean transferred;
    private boolean stopping;
    private int code;
    private String message = "Migration in progress";
    private int progress;
    private long downtimeMillis = -1;

    private Departure(
            Phase before,
            boolean hibernation,
            @Nullable FakeHost target,
            VolumeAddress.@Nullable Pair volumes,
            long incomingLimit) {
        this.before = before;
        this.hibernation = hibernation;
        this.target = target;
        this.volumes = volumes;
        this.incomingLimit = incomingLimit;
    }

    static Departure migration(Phase before, @Nullable FakeHost target, long incomingLimit) {
        return new Departure(before, false, target, null, incomingLimit);
    }

    static Departure hibernation(Phase before, VolumeAddress.@Nullable Pair volumes) {
        return new Departure(before, true, null, volumes, 0);
    }

    synchronized Stage stage() {
        return stage;
    }

    synchronized void reach(Stage next) {
        stage = next;
    }

    /** The hypervisor begins to move memory: from now on it knows of a job. */
    synchronized void transfer() {
        transferred = true;
    }

    /** Whether the hypervisor ever began to move memory. */
    synchronized boolean hasTransferred() {
        return transferred;
    }

    /** A request to stop it, which it handles at its turn. */
    synchronized void stopWhenItsTurnComes() {
        stopping = true;
        message = "Migration process cancelled";
    }

    /** Whether a request to stop it exists. */
    synchronized boolean isStopping() {
        return stopping;
    }

    synchronized boolean isUnderWay() {
        return stage != Stage.OVER;
    }

    /** Whether it holds one of its host's outgoing slots. */
    synchronized boolean hasTurn() {
        return stage == Stage.ON_ITS_WAY;
    }

    /** The code of its outcome; 0 while there is no error. */
    synchronized int code() {
        return code;
    }

    /** Something went wrong; the first error is the one that is kept. */
    synchronized void failed(VdsmError error) {
        if (code == 0) {
            code = error.code();
            message = error.text();
        }
    }

    /** The hypervisor has stopped it on request, also after an earlier failure. */
    synchronized void cancel() {
        code = VdsmError.MIGRATION_CANCEL_FAILED.code();
        message = "Migration canceled";
    }

    /** Another text to the same code. */
    synchronized void saying(String newMessage) {
        message = newMessage;
    }

    /** Everything has arrived. */
    synchronized void completed(String newMessage, long newDowntimeMillis) {
        message = newMessage;
        progress = 100;
        downtimeMillis = newDowntimeMillis;
    }

    /** Keeps how far the transfer has come. */
    synchronized void reached(int percent) {
        progress = Math.max(progress, percent);
    }

    synchronized int progress(long now, @Nullable Migration migration) {
        return migration == null ? progress : Math.max(progress, migration.progress(now));
    }

    /** Writes the answer of {@code VM.getMigrationStatus}. */
    synchronized void write(JsonOut out, long now, @Nullable Migration migration) {
        write(out, code, message, progress(now, migration), downtimeMillis);
    }

    /** The same for a VM that never left: VDSM has a thread for it that has not begun. */
    static void writeNone(JsonOut out) {
        write(out, 0, "Migration in progress", 0, -1);
    }

    private static void write(
            JsonOut out, int code, String message, int progress, long downtimeMillis) {
        out.object()
                .name("status")
                .object()
                .name("code")
                .number(code)
                .name("message")
                .text(message)
                .endObject()
                .name("progress")
                .number(progress);
        if (downtimeMillis >= 0) {
            out.name("downtime").number(downtimeMillis);
        }
        out.endObject();
    }
}
