package org.stillwater.fake.world;

import org.jspecify.annotations.Nullable;

/**
 * A task of the storage pool manager ({@code vdsm/storage/task.py}): it runs for a moment, and its
 * outcome stays until it is cleared. Guarded by the world's lock.
 */
final class StorageTask {

    /** The work of a task, and its reversal. */
    interface Job {
        /**
         * Does it.
         *
         * @throws VerbError if it cannot be done; nothing has changed then
         */
        void run();

        /** Undoes it once it is done. */
        void undo();
    }

    final String id;
    final String verb;
    private final Job job;
    private boolean done;
    private boolean stopped;
    private String result = "";
    private int code;
    private String message = "running job 1 of 1";

    StorageTask(String id, String verb, Job job) {
        this.id = id;
        this.verb = verb;
        this.job = job;
    }

    boolean isDone() {
        return done;
    }

    /** Runs to its end. A job that fails leaves nothing behind, which is a success of its own. */
    void run() {
        if (done) {
            return;
        }
        if (stopped) {
            finish("cleanSuccess", VdsmError.TASK_ABORTED.of("Unknown error encountered"));
            return;
        }
        try {
            job.run();
            finish("success", null);
        } catch (VerbError e) {
            finish("cleanSuccess", e);
        }
    }

    /** Ends it before it has begun; one that is done stays unchanged. */
    void stop() {
        stopped = true;
    }

    /** Undoes the task's work. */
    void revert() {
        if (!done) {
            throw VdsmError.TASK_NOT_FINISHED.of("can't rollback in state running");
        }
        if (result.equals("success")) {
            job.undo();
            result = "cleanSuccess";
        }
    }

    private void finish(String newResult, @Nullable VerbError failure) {
        done = true;
        result = newResult;
        code = failure == null ? 0 : failure.code();
        message =
                failure == null
                        ? "1 jobs completed successfully"
                        : String.valueOf(failure.getMessage());
    }

    /** Its state as {@code Task.getStatus} has it. */
    void write(JsonOut out) {
        out.object()
                .name("taskID")
                .text(id)
                .name("taskState")
                .text(done ? "finished" : "running")
                .name("taskResult")
                .text(result)
                .name("code")
                .number(code)
                .name("message")
                .text(message)
                .endObject();
    }
}
