package org.stillwater.benchmarks.replay;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stillwater.benchmarks.replay.RecordingMaker.Message;
import org.stillwater.fake.world.Exit;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.vdsm.wire.Verb;

/** The histories of the library, each a recording. */
final class Histories {

    private Histories() {}

    /** Makes a history. */
    @FunctionalInterface
    interface History {
        String make() throws IOException;
    }

    /** All, by the name of their file. */
    static Map<String, History> all() {
        Map<String, History> all = new LinkedHashMap<>();
        all.put("hand-over", Histories::handOvers);
        all.put("ends", Histories::ends);
        all.put("silence", Histories::silence);
        all.put("storm", Histories::storm);
        return all;
    }

    static List<List<Integer>> permutations(List<Integer> of) {
        if (of.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Integer>> all = new ArrayList<>();
        for (Integer first : of) {
            List<Integer> rest = new ArrayList<>(of);
            rest.remove((Object) first);
            for (List<Integer> tail : permutations(rest)) {
                List<Integer> one = new ArrayList<>(List.of(first));
                one.addAll(tail);
                all.add(one);
            }
        }
        return all;
    }

    /**
     * One VM after the other migrates, and four reports of each arrive in another of their 24
     * orders: the event of the destination, that of the source, the poll of the source and that of
     * the destination.
     */
    private static String handOvers() throws IOException {
        List<List<Integer>> orders = permutations(List.of(0, 1, 2, 3));
        RecordingMaker maker =
                new RecordingMaker(2, 0, orders.stream().map(order -> "moves-" + order).toList());
        List<SimulatedVm> vms = maker.world().vms();
        maker.cycles(1);
        for (int i = 0; i < orders.size(); i++) {
            handOver(maker, vms.get(i), orders.get(i));
        }
        maker.cycles(2);
        return maker.finish();
    }

    private static void handOver(RecordingMaker maker, SimulatedVm vm, List<Integer> order) {
        maker.migrate(vm, 0, 1);
        maker.holdEvents(true);
        maker.pass(Duration.ofSeconds(60));
        Message arrived = null;
        Message departed = null;
        for (Message event : maker.takeEvents()) {
            if (event.text().contains("|VM_status|") && event.host() == 1) {
                arrived = event;
            } else if (event.text().contains("exitReason")) {
                departed = event;
            } else {
                maker.deliver(event);
            }
        }
        if (arrived == null || departed == null) {
            throw new IllegalStateException("the migration has not ended");
        }
        List<Message> four =
                List.of(
                        arrived,
                        departed,
                        maker.ask(0, Verb.GET_ALL_VM_STATS),
                        maker.ask(1, Verb.GET_ALL_VM_STATS));
        for (int each : order) {
            maker.pass(Duration.ofSeconds(2));
            maker.deliver(four.get(each));
        }
        maker.holdEvents(false);
        maker.pass(Duration.ofSeconds(1));
        maker.remove(0, vm);
        maker.pass(Duration.ofSeconds(4));
    }

    /** VMs end in all the ways that a host distinguishes, one of them without a report. */
    private static String ends() throws IOException {
        RecordingMaker maker = new RecordingMaker(1, 6);
        List<SimulatedVm> vms = maker.world().vms();
        maker.cycles(1);
        vms.get(0).shutDownByUser();
        maker.pass(Duration.ofSeconds(20));
        maker.remove(0, vms.get(0));
        vms.get(1).crash();
        maker.cycles(1);
        maker.remove(0, vms.get(1));
        vms.get(2).crash(); // highly available
        maker.cycles(1);
        maker.remove(0, vms.get(2));
        vms.get(3).pause(PauseCause.EIO);
        maker.cycles(1);
        vms.get(3).resume();
        maker.cycles(1);
        vms.get(4).reboot();
        maker.cycles(2);
        maker.holdEvents(true);
        vms.get(5).destroy();
        maker.takeEvents();
        maker.holdEvents(false);
        maker.cycles(3);
        return maker.finish();
    }

    /** A host is silent for longer than its grace period, and comes back with one VM less. */
    private static String silence() throws IOException {
        RecordingMaker maker = new RecordingMaker(2, 3);
        maker.cycles(2);
        maker.disconnect(0);
        maker.world().hosts().getFirst().loseNetwork(null);
        for (int i = 0; i < 16; i++) {
            maker.pass(Duration.ofSeconds(15));
            maker.disconnect(0);
            maker.cycle(1);
        }
        maker.holdEvents(true);
        maker.world().vms().getFirst().crash();
        maker.takeEvents();
        maker.holdEvents(false);
        maker.world().hosts().getFirst().restoreNetwork();
        maker.connect(0);
        maker.pass(Duration.ofSeconds(1));
        maker.remove(0, maker.world().vms().getFirst());
        maker.cycles(3);
        return maker.finish();
    }

    /** Events without end about a few VMs, some twice and some late, between polls. */
    private static String storm() throws IOException {
        RecordingMaker maker = new RecordingMaker(1, 4);
        List<SimulatedVm> vms = maker.world().vms();
        maker.cycles(1);
        maker.holdEvents(true);
        List<Message> late = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            SimulatedVm vm = vms.get(i % vms.size());
            if (i / vms.size() % 2 == 0) {
                vm.pause(PauseCause.USER);
            } else {
                vm.resume();
            }
            maker.pass(Duration.ofMillis(200));
            for (Message event : maker.takeEvents()) {
                maker.deliver(event);
                if (i % 3 == 0) {
                    maker.deliver(event);
                }
                if (i % 5 == 0) {
                    late.add(event);
                }
            }
        }
        late.forEach(maker::deliver);
        maker.holdEvents(false);
        maker.cycles(2);
        vms.getFirst().crash(Exit.SUCCESS, null);
        maker.cycles(2);
        return maker.finish();
    }
}
