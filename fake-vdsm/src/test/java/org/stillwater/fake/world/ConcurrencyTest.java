package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Many ask while much happens. */
class ConcurrencyTest {

    private static final int ACTIONS = 2_000;
    private static final List<String> VERBS =
            List.of("Host.getAllVmStats", "Host.getStats", "Host.getCapabilities");

    @Test
    void everyAnswerIsWholeWhileTheWorldChanges() throws Exception {
        Lab lab = Lab.of(3, 10);
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Integer>> pollers = new ArrayList<>();
            for (int host = 0; host < 3; host++) {
                int polled = host;
                pollers.add(threads.submit(() -> poll(lab, polled, over)));
            }
            pollers.add(threads.submit(() -> readState(lab, over)));
            try {
                live(lab);
            } finally {
                over.set(true);
            }
            for (Future<Integer> poller : pollers) {
                assertThat(poller.get()).isPositive();
            }
        }
        assertThat(lab.heard()).as("something did happen").hasSizeGreaterThan(100);
    }

    private static int poll(Lab lab, int host, AtomicBoolean over) {
        int answers = 0;
        do {
            for (String verb : VERBS) {
                Lab.Answer answer = lab.ask(host, verb, "{}");
                assertThat(answer.code()).isIn(0, 99);
                assertThat(answer.json()).isNotNull();
                answers++;
            }
        } while (!over.get());
        return answers;
    }

    private static int readState(Lab lab, AtomicBoolean over) {
        int read = 0;
        do {
            JsonNode state = Lab.JSON.readTree(lab.world.state());
            assertThat(state.get("hosts")).hasSize(3);
            read++;
        } while (!over.get());
        return read;
    }

    private static void live(Lab lab) {
        SplittableRandom dice = new SplittableRandom(5);
        List<SimulatedVm> vms = lab.world.vms();
        for (int i = 0; i < ACTIONS; i++) {
            SimulatedVm vm = vms.get(dice.nextInt(vms.size()));
            try {
                act(lab, vm, dice.nextInt(12));
            } catch (WorldException e) {
                assertThat(e.reason()).isNotEqualTo(WorldException.Reason.UNKNOWN);
            }
            lab.world.advance(Duration.ofMillis(dice.nextInt(3_000)));
        }
    }

    private static void act(Lab lab, SimulatedVm vm, int action) {
        switch (action) {
            case 0 -> vm.crash();
            case 1, 2 -> {
                if (vm.host() == null) {
                    vm.start("any", null);
                } else if ("Down".equals(vm.status())) {
                    vm.destroy();
                }
            }
            case 3 -> vm.pause(PauseCause.ENOSPC);
            case 4 -> vm.resume();
            case 5, 6 -> vm.migrate(MigrationOrder.to("any"));
            case 7 -> vm.plugNic();
            case 8 -> vm.unplugNic();
            case 9 -> vm.reboot();
            case 10 -> vm.logIn("alice");
            default -> lab.host(vm.machine().serial % 3).restartVdsm(Duration.ofSeconds(5));
        }
    }
}
