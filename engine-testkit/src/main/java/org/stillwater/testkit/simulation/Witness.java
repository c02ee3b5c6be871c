package org.stillwater.testkit.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;

/**
 * Reports that the engine received in its present life, so that a rule can determine its possible
 * knowledge.
 */
final class Witness {

    /** Kind of a host's report about a VM. */
    enum Kind {
        RUNS,
        ENDED,
        ABSENT
    }

    /**
     * The newest word of one host about one VM, by the host's own order.
     *
     * @param process number of the process that it is about, 0 for none
     * @param status as reported
     * @param takenNanos when the host looked
     * @param home where the VM ran when the host looked, null for nowhere
     * @param exit how the process ended, if it had
     * @param reason why it did
     * @param isTheEnd whether the VM had ended at that time: it had run on that host to its end, or
     *     ran nowhere at all
     */
    record Word(
            Kind kind,
            long process,
            VmStatus status,
            long takenNanos,
            @Nullable HostId home,
            ExitStatus exit,
            ExitReason reason,
            boolean isTheEnd) {}

    /** The last word that a VM runs, by arrival, and where. */
    record Running(HostId host, long process, VmStatus status) {}

    private final Map<VmId, Map<HostId, Word>> words = new HashMap<>();
    private final Map<VmId, Running> running = new HashMap<>();

    /** A new run of the engine has no reports of the former one. */
    void forgetAll() {
        words.clear();
        running.clear();
    }

    /** Forgets the reports of a removed host. */
    void forget(HostId host) {
        words.values().forEach(ofVm -> ofVm.remove(host));
        running.values().removeIf(word -> word.host().equals(host));
    }

    /**
     * Notes the content of an event.
     *
     * @param fresh whether the engine has no reason to leave it aside
     */
    void hearEvent(SimulatedHost host, SimulatedHost.Event event, boolean fresh) {
        hear(host, event.vm(), event.process(), event.takenNanos(), host.id(), fresh);
    }

    /**
     * Notes a poll's report of a VM, or its absence.
     *
     * @param fresh whether the engine has no reason to leave it aside
     */
    void hearPoll(SimulatedHost host, SimulatedHost.Poll poll, VmId vm, boolean fresh) {
        hear(host, vm, poll.processes().get(vm), poll.takenNanos(), poll.homes().get(vm), fresh);
    }

    private void hear(
            SimulatedHost host,
            VmId vm,
            @Nullable GuestProcess process,
            long takenNanos,
            @Nullable HostId home,
            boolean fresh) {
        Map<HostId, Word> ofVm = words.computeIfAbsent(vm, _ -> new HashMap<>());
        Word known = ofVm.get(host.id());
        boolean newest = known == null || known.takenNanos() <= takenNanos;
        if (!newest) {
            running.remove(vm);
            return;
        }
        Kind kind = process == null ? Kind.ABSENT : process.hasEnded() ? Kind.ENDED : Kind.RUNS;
        ofVm.put(
                host.id(),
                new Word(
                        kind,
                        process == null ? 0 : process.number(),
                        process == null ? VmStatus.DOWN : process.status(),
                        takenNanos,
                        home,
                        process == null ? ExitStatus.UNKNOWN : process.exit(),
                        process == null ? ExitReason.UNKNOWN : process.reason(),
                        home == null || (process != null && process.endedTheVm())));
        if (process != null && kind == Kind.RUNS && process.status() != VmStatus.MIGRATING_TO) {
            if (fresh) {
                running.put(vm, new Running(host.id(), process.number(), process.status()));
            } else {
                running.remove(vm);
            }
        }
    }

    @Nullable Word newest(VmId vm, HostId host) {
        return words.getOrDefault(vm, Map.of()).get(host);
    }

    Collection<Word> all(VmId vm) {
        Map<HostId, Word> ofVm = words.get(vm);
        return ofVm == null ? List.of() : ofVm.values();
    }

    @Nullable Running running(VmId vm) {
        return running.get(vm);
    }
}
