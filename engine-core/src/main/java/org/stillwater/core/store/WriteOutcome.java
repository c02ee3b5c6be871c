package org.stillwater.core.store;

import java.util.List;
import java.util.stream.Stream;

/** Outcome of a batch. */
public sealed interface WriteOutcome {

    /**
     * The batch is durable, except for rejected rows.
     *
     * @param rows rows that the database touched, each as often as it was; rows already equal count
     *     as none
     * @param rejected rows that the database refuses at every attempt; they were left out, the
     *     others are saved
     * @param open all work that is open now of VMs with work in the batch, also if it was queued
     *     before: a repeated batch after a lost answer gets the whole answer, even if other work
     *     has replaced some meanwhile
     * @param openAboutHosts the open work about hosts of the batch, reported in the same way
     */
    record Written(
            int rows,
            List<Rejected> rejected,
            List<OpenWork> open,
            List<OpenHostWork> openAboutHosts)
            implements WriteOutcome {
        public Written {
            rejected = List.copyOf(rejected);
            open = List.copyOf(open);
            openAboutHosts = List.copyOf(openAboutHosts);
        }

        /** Outcome of this batch and another one. */
        public Written and(Written next) {
            return new Written(
                    rows + next.rows,
                    joined(rejected, next.rejected),
                    joined(open, next.open),
                    joined(openAboutHosts, next.openAboutHosts));
        }

        private static <E> List<E> joined(List<E> first, List<E> second) {
            return Stream.concat(first.stream(), second.stream()).toList();
        }

        /** For a batch without work about hosts. */
        public Written(int rows, List<Rejected> rejected, List<OpenWork> open) {
            this(rows, rejected, open, List.of());
        }

        /** For a batch without work. */
        public Written(int rows, List<Rejected> rejected) {
            this(rows, rejected, List.of(), List.of());
        }
    }

    /**
     * The batch is not durable, for a temporary reason: the same batch should be tried again later.
     * Rows of it may be durable, each with all that belongs to it; repetition does them no harm.
     *
     * @param reason one sentence for the operator
     */
    record Unavailable(String reason) implements WriteOutcome {}

    /**
     * A row that the database refuses.
     *
     * @param key the row's key as text
     * @param reason the database's words
     */
    record Rejected(String key, String reason) {}
}
