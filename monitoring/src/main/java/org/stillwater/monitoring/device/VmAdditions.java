package org.stillwater.monitoring.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmNic;
import org.stillwater.core.port.DeviceStore;
import org.stillwater.core.port.DeviceUpdate;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.StoredVm;
import org.stillwater.core.port.VmStore;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.StoreTask;

/**
 * Saves the imported VMs of all hosts with their devices. VMs that several hosts add during a write
 * are written together, so that the statements of a fleet's first start depend on its VMs and not
 * on its hosts. The writer has at most one task.
 *
 * <p>If a write of several hosts' VMs throws, which is a bug, the VMs are written host by host, so
 * that only the faulty ones are dropped. Thread-safe.
 */
public final class VmAdditions {

    /** VMs in one write, unless one host hands in more. */
    static final int VMS_AT_ONCE = 2_000;

    /** Most VMs of all hosts under import. */
    private static final int MOST = 20_000;

    private final BatchWriter writer;
    private final VmStore vms;
    private final DeviceStore devices;
    private final IntakeRoom room = new IntakeRoom(MOST);

    // Guarded by this.
    private final Deque<Batch> waiting = new ArrayDeque<>();
    private List<Batch> underWay = List.of();
    private boolean taskExists;

    /** How many of the first batches are written alone, because a write of several threw. */
    private int alone;

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
        synchronized (this) {
            waiting.add(new Batch(some, receiver));
            if (taskExists) {
                return;
            }
            taskExists = true;
        }
        writer.perform(new Task());
    }

    /** The batches of this write; those of the last one if it is repeated. */
    private synchronized List<Batch> take() {
        if (underWay.isEmpty()) {
            List<Batch> taken = new ArrayList<>();
            int count = 0;
            while (!waiting.isEmpty()) {
                int more = waiting.getFirst().vms().size();
                if (!taken.isEmpty() && (alone > 0 || count + more > VMS_AT_ONCE)) {
                    break;
                }
                taken.add(waiting.removeFirst());
                count += more;
            }
            underWay = taken;
            alone = Math.max(0, alone - 1);
        }
        return underWay;
    }

    private void done() {
        synchronized (this) {
            underWay = List.of();
            taskExists = !waiting.isEmpty();
            if (!taskExists) {
                return;
            }
        }
        writer.perform(new Task());
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
                    take().stream()
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
            WriteOutcome added = vms.add(all.stream().map(NewVm::vm).toList());
            if (!(added instanceof WriteOutcome.Written(int rows, var rejected, _, _))) {
                return added;
            }
            rejected.forEach(row -> refused.put(VmId.parse(row.key()), row.reason()));
            someWereThere = rows + rejected.size() < all.size();
            List<DeviceUpdate> updates =
                    all.stream()
                            .map(NewVm::devices)
                            .filter(update -> !refused.containsKey(update.vmId()))
                            .toList();
            // Refused devices do not make the VM unknown again.
            return switch (devices.save(updates)) {
                case WriteOutcome.Written(int deviceRows, var deviceRejected, _, _) -> {
                    deviceRejected.forEach(row -> withoutDevices.add(VmId.parse(row.key())));
                    List<WriteOutcome.Rejected> both = new ArrayList<>(rejected);
                    both.addAll(deviceRejected);
                    yield new WriteOutcome.Written(rows + deviceRows, both);
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
            List<Batch> batches;
            synchronized (VmAdditions.this) {
                batches = underWay;
            }
            Map<VmId, String> refusedNow = Map.copyOf(refused);
            Set<VmId> withoutNow = Set.copyOf(withoutDevices);
            done();
            for (Batch batch : batches) {
                List<NewVm> own = new ArrayList<>(batch.vms().size());
                batch.vms().forEach(one -> own.add(saved.getOrDefault(one.vm().id(), one)));
                batch.receiver().added(new Saved(own, refusedNow, withoutNow, someWereThere));
            }
        }

        @Override
        public void abandoned() {
            List<Batch> givenUp;
            synchronized (VmAdditions.this) {
                givenUp = underWay.size() > 1 ? List.of() : underWay;
                if (givenUp.isEmpty()) {
                    alone = underWay.size();
                    underWay.reversed().forEach(waiting::addFirst);
                }
            }
            done();
            givenUp.forEach(batch -> batch.receiver().abandoned());
        }
    }
}
