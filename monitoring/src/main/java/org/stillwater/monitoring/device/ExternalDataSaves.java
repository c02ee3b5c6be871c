package org.stillwater.monitoring.device;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.store.ExternalDataStore;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.StoreTask;

/**
 * Saves TPM and NVRAM data of the VMs of all hosts. Data of hosts that arrives during a write is
 * written together ({@link SharedBatches}). It is secret and never logged. Thread-safe.
 */
public final class ExternalDataSaves {

    /** Rows of one write, unless one host has more. */
    static final int ROWS_AT_ONCE = 2_000;

    /** Characters of one write, unless one host has more. */
    private static final long CHARACTERS_AT_ONCE = 4L * ReportedText.EXTERNAL_DATA.mostCharacters();

    private static final Comparator<ExternalDataUpdate> ORDER =
            Comparator.comparing(ExternalDataUpdate::vmId).thenComparing(ExternalDataUpdate::kind);

    private final BatchWriter writer;
    private final ExternalDataStore store;
    private final SharedBatches<Batch> batches = new SharedBatches<>();

    /**
     * Has no data to save.
     *
     * @param writer the writer that saves on its thread
     */
    public ExternalDataSaves(BatchWriter writer, ExternalDataStore store) {
        this.writer = writer;
        this.store = store;
    }

    /** A receiver of the result. Called on the writer's thread; must not block. */
    interface Receiver {

        /**
         * The data is durable.
         *
         * @param refused refused VMs, including those of other hosts
         */
        void saved(Set<String> refused);

        /** It is given up: saving it threw. */
        void abandoned();
    }

    private record Batch(List<ExternalDataUpdate> updates, Receiver receiver) {}

    /**
     * Has data saved.
     *
     * @param updates at most one per VM and kind
     */
    void save(List<ExternalDataUpdate> updates, Receiver receiver) {
        if (batches.add(new Batch(List.copyOf(updates), receiver))) {
            writer.perform(new Task());
        }
    }

    private void done() {
        if (batches.done()) {
            writer.perform(new Task());
        }
    }

    /** Content of one write, with the data of a VM at most once. */
    private static final class Room implements Predicate<Batch> {

        private record Key(VmId vmId, ExternalDataKind kind) {}

        private final Set<Key> keys = new HashSet<>();
        private long characters;

        @Override
        public boolean test(Batch batch) {
            boolean once = true;
            for (ExternalDataUpdate update : batch.updates()) {
                once &= keys.add(new Key(update.vmId(), update.kind()));
                characters += update.data().length();
            }
            return once && keys.size() <= ROWS_AT_ONCE && characters <= CHARACTERS_AT_ONCE;
        }
    }

    private final class Task implements StoreTask {

        @Override
        public WriteOutcome write() {
            return store.save(
                    batches.take(new Room()).stream()
                            .flatMap(batch -> batch.updates().stream())
                            .sorted(ORDER)
                            .toList());
        }

        @Override
        public void written(WriteOutcome.Written outcome) {
            List<Batch> saved = batches.underWay();
            Set<String> refused = new HashSet<>();
            outcome.rejected().forEach(row -> refused.add(row.key()));
            done();
            Set<String> refusedNow = Set.copyOf(refused);
            saved.forEach(batch -> batch.receiver().saved(refusedNow));
        }

        @Override
        public void abandoned() {
            List<Batch> givenUp = batches.giveUp();
            done();
            givenUp.forEach(batch -> batch.receiver().abandoned());
        }
    }
}
