package org.stillwater.server.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The way to one receiver of notices. Used by one thread at a time. */
interface NoticeSender extends AutoCloseable {

    /** Outcome of a batch. */
    sealed interface Outcome {

        /**
         * The receiver took it.
         *
         * @param remark remaining trouble; null for none
         */
        record Taken(@Nullable String remark) implements Outcome {}

        /** It did not take it now; it may later. */
        record Failed(String reason) implements Outcome {}

        /** It refuses this batch, and will probably refuse it again. */
        record Refused(String reason) implements Outcome {}
    }

    /** Sends a batch; bounded in time. */
    Outcome send(List<Notice> batch) throws InterruptedException;

    @Override
    default void close() {}
}
