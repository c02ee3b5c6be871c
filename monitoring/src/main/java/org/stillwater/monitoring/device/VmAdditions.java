package org.stillwater.monitoring.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.StoreTask;

/**
 * Saves the imported VMs of all hosts with their devices. VMs that several hosts add during a write
 * are written together ({@link SharedBatches}), so that the statements of a fleet's first start
 * depend on its VMs and not on its hosts.
 *
 * <p>VMs and devices are one transaction, in which rows are only inserted. A VM that this
 * transaction refuses is written again, its row and its devices apart, because refused devices do
 * not make a VM unknown. Devices of a VM with a row, which an attempt without an answer left, are
 * merged with the saved ones. Thread-safe.
 */
public final class VmAdditions {

    /** VMs in one write, unless one host has more. */
    static final int VMS_AT_ONCE = 2_000;

    /** Most VMs of all hosts under import. */
    private static final int MOST = 20_000;

    private final BatchWriter writer;
    private final VmStore vms;
    private final DeviceStore devices;
    private final IntakeRoom room = new IntakeRoom(MOST);
    private final SharedBatches<Batch> batches = new SharedBatches<>();

    /**
     * Has no VMs to save.
     *
     * @param writer the writer that saves on its thread
     */
    public VmAdditions(BatchWriter writer, VmStore vms, DeviceStore devices) {
        this.writer = writer;
        this.vms = vms;
        this.devices = devices;
    }

    /** Bounds the added VMs. */
    IntakeRoom room() {
        return room;
    }

    /** A receiver of the results of added VMs. Called on the writer's thread; must not block. */
    interface Receiver {

        /** The VMs are durable. */
        void added(Saved saved);

        /** They are given up: saving them threw. */
        void abandoned();
    }

    /**
     * Result of a write.
     *
     * @param vms the added VMs as they were saved
     * @param refused reasons of the database for refused VMs, including those of other hosts
     * @param withoutDevices VMs with refused devices
     * @param someWereThere whether some VMs of this write already had rows
     */
    record Saved(
            List<NewVm> vms,
            Map<VmId, String> refused,
            Set<VmId> withoutDevices,
            boolean someWereThere) {}

    private record Batch(List<NewVm> vms, Receiver receiver) {}

    /** Has VMs of one host saved. */
    void save(List<NewVm> some, Receiver receiver) {
        if (batches.add(new Batch(some, receiver))) {
            writer.perform(new Task());
        }
    }

    private void done() {
        if (batches.done()) {
            writer.perform(new Task());
        }
    }

    /** Room of one write. */
    private static final class Room implements Predicate<Batch> {

        private int count;

        @Override
        public boolean test(Batch batch) {
            count += batch.vms().size();
            return count <= VMS_AT_ONCE;
        }
    }

    private final class Task implements StoreTask {

        private final Map<VmId, String> refused = new HashMap<>();
        private final Set<VmId> withoutDevices = new HashSet<>();
        private final Map<VmId, NewVm> saved = new HashMap<>();
        private boolean someWereThere;

        @Override
        public WriteOutcome write() {
            refused.clear();
            withoutDevices.clear();
            saved.clear();
            List<NewVm> all =
                    batches.take(new Room()).stream()
                            .flatMap(batch -> batch.vms().stream())
                            .sorted(Comparator.comparing((NewVm one) -> one.vm().id()))
                            .toList();
            try {
                Map<UUID, VmId> owners = new HashMap<>(vms.interfaceOwners(interfaces(all)));
                all = all.stream().map(one -> one.withOwnNics(owners)).toList();
            } catch (StoreUnavailable e) {
                return new WriteOutcome.Unavailable(String.valueOf(e.getMessage()));
            }
            all.forEach(one -> saved.put(one.vm().id(), one));
            WriteOutcome together = devices.add(all.stream().map(NewVm::rows).toList());
            if (!(together instanceof WriteOutcome.Written(int rows, var rejected, _, _))) {
                return together;
            }
            someWereThere = rows + rejected.size() < all.size();
            return rejected.isEmpty() && !someWereThere ? together : apart(all, rows, rejected);
        }

        /**
         * Writes refused VMs again, their rows and their devices in transactions of their own, and
         * merges devices if some VMs had rows.
         *
         * @param all all VMs of this write
         * @param added how many are added
         * @param rejected refused VMs
         */
        private WriteOutcome apart(
                List<NewVm> all, int added, List<WriteOutcome.Rejected> rejected) {
            Set<String> again = new HashSet<>();
            rejected.forEach(row -> again.add(row.key()));
            List<NewVm> alone =
                    all.stream().filter(one -> again.contains(one.vm().id().toString())).toList();
            WriteOutcome rowsAlone = vms.add(alone.stream().map(NewVm::vm).toList());
            if (!(rowsAlone instanceof WriteOutcome.Written(int rows, var refusedRows, _, _))) {
                return rowsAlone;
            }
            refusedRows.forEach(row -> refused.put(VmId.parse(row.key()), row.reason()));
            someWereThere |= rows + refusedRows.size() < alone.size();
            List<DeviceUpdate> updates =
                    (someWereThere ? all : alone)
                            .stream()
                                    .map(NewVm::devices)
                                    .filter(update -> !refused.containsKey(update.vmId()))
                                    .toList();
            // Refused devices do not make the VM unknown again.
            return switch (devices.save(updates)) {
                case WriteOutcome.Written(int deviceRows, var refusedDevices, _, _) -> {
                    refusedDevices.forEach(row -> withoutDevices.add(VmId.parse(row.key())));
                    List<WriteOutcome.Rejected> both = new ArrayList<>(refusedRows);
                    both.addAll(refusedDevices);
                    yield new WriteOutcome.Written(added + rows + deviceRows, both);
                }
                case WriteOutcome.Unavailable unavailable -> unavailable;
            };
        }

        private static List<UUID> interfaces(List<NewVm> all) {
            return all.stream()
                    .map(NewVm::vm)
                    .map(StoredVm::definition)
                    .flatMap(definition -> definition.nics().stream())
                    .map(VmNic::id)
                    .toList();
        }

        @Override
        public void written(WriteOutcome.Written outcome) {
            List<Batch> ended = batches.underWay();
            Map<VmId, String> refusedNow = Map.copyOf(refused);
            Set<VmId> withoutNow = Set.copyOf(withoutDevices);
            done();
            for (Batch batch : ended) {
                List<NewVm> own = new ArrayList<>(batch.vms().size());
                batch.vms().forEach(one -> own.add(saved.getOrDefault(one.vm().id(), one)));
                batch.receiver().added(new Saved(own, refusedNow, withoutNow, someWereThere));
            }
        }

        @Override
        public void abandoned() {
            List<Batch> givenUp = batches.giveUp();
            done();
            givenUp.forEach(batch -> batch.receiver().abandoned());
        }
    }
}
