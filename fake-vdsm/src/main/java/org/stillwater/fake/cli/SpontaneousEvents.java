package org.stillwater.fake.cli;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldException;

/**
 * Spontaneous events in a world, drawn from its seed: without them a demonstration would look dead.
 * It runs on the world's time.
 */
final class SpontaneousEvents {

    /** The rate of events. */
    enum Pace {
        /** Nothing. */
        NONE,
        /** Something every few seconds. */
        GENTLE
    }

    private static final Logger log = LoggerFactory.getLogger(SpontaneousEvents.class);

    private static final Duration STEP = Duration.ofSeconds(4);
    private static final Duration PAUSED = Duration.ofSeconds(20);
    private static final int DRAWS = 16;

    /** Limits the ended VMs to one of this number before another one starts, in any fleet. */
    private static final int UP_FOR_ONE_DOWN = 5;

    /** Number of first draws that end a VM. */
    private static final int ENDINGS = 3;

    private final World world;
    private final SplittableRandom random;

    private SpontaneousEvents(World world) {
        this.world = world;
        this.random = new SplittableRandom(world.settings().seed());
    }

    static void begin(Pace pace, World world) {
        if (pace == Pace.GENTLE && world.settings().vmsPerHost() > 0) {
            new SpontaneousEvents(world).plan();
        }
    }

    private void plan() {
        world.after(
                STEP,
                () -> {
                    try {
                        step();
                    } catch (WorldException e) {
                        log.debug("passed over: {}", e.getMessage());
                    }
                    plan();
                });
    }

    private void step() {
        List<SimulatedVm> vms = world.vms();
        long down = vms.stream().filter(SpontaneousEvents::isDown).count();
        boolean mayEnd = (down + 1) * UP_FOR_ONE_DOWN <= vms.size();
        for (int draw = 0; draw < DRAWS && !vms.isEmpty(); draw++) {
            SimulatedVm vm = vms.get(random.nextInt(vms.size()));
            String status = vm.status();
            if (status == null) {
                vm.start(anyHost().name(), null);
                return;
            }
            if (status.equals("Up")) {
                stir(vm, mayEnd);
                return;
            }
        }
    }

    /** Whether it has ended, reported to its host's clients or not. */
    private static boolean isDown(SimulatedVm vm) {
        String status = vm.status();
        return status == null || status.equals("Down");
    }

    private void stir(SimulatedVm vm, boolean mayEnd) {
        switch (random.nextInt(mayEnd ? 0 : ENDINGS, 8)) {
            case 0, 1 -> vm.shutDownByUser();
            case 2 -> vm.crash();
            case 3 -> vm.reboot();
            case 4 -> {
                vm.pause(PauseCause.USER);
                world.after(PAUSED, () -> resume(vm));
            }
            case 5 -> vm.plugNic();
            default -> {
                String target = anyHost().name();
                if (!target.equals(vm.host())) {
                    vm.migrate(MigrationOrder.to(target));
                }
            }
        }
    }

    private static void resume(SimulatedVm vm) {
        try {
            vm.resume();
        } catch (WorldException e) {
            log.debug("passed over: {}", e.getMessage());
        }
    }

    private SimulatedHost anyHost() {
        List<SimulatedHost> hosts = world.hosts();
        return hosts.get(random.nextInt(hosts.size()));
    }
}
