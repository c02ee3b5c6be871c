package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.world.Store.Row;

/**
 * Now and then something happens by itself: a VM starts, stops, pauses or moves; numbers change.
 */
public final class Life {

    private static final Duration PAUSE = Duration.ofSeconds(3);
    private static final List<String> OPERATIONS =
            List.of(
                    "start",
                    "clean_shutdown",
                    "clean_reboot",
                    "pause",
                    "unpause",
                    "suspend",
                    "resume",
                    "pool_migrate");

    private final Pool pool;
    private final SplittableRandom random;

    private Life(Pool pool) {
        this.pool = pool;
        this.random = new SplittableRandom(pool.seed() ^ 0x11FE);
    }

    /** Lets a pool live from now on. */
    public static void begin(Pool pool) {
        new Life(pool).next();
    }

    private void next() {
        pool.clock.after(
                PAUSE,
                () -> {
                    pool.locked(this::happen);
                    pool.changed();
                    next();
                });
    }

    private void happen() {
        for (Row each : pool.objects("host_metrics")) {
            pool.store.set("host_metrics", each.ref(), "last_updated", pool.clock.wireNow());
        }
        List<Row> vms = pool.objects("VM");
        Row vm = vms.get(random.nextInt(vms.size()));
        List<String> possible =
                vm.list("allowed_operations").stream()
                        .filter(OPERATIONS::contains)
                        .sorted()
                        .toList();
        if (possible.isEmpty() || vm.flag("is_a_template")) {
            return;
        }
        String operation = possible.get(random.nextInt(possible.size()));
        String task = pool.tasks.create("VM." + operation, "");
        try {
            pool.vms.begin(task, vm.ref(), operation, destination(vm, operation), false);
        } catch (XapiError e) {
            pool.tasks.fail(task, e);
        }
    }

    private @Nullable String destination(Row vm, String operation) {
        if (!operation.equals("pool_migrate")) {
            return null;
        }
        List<String> others =
                pool.store.all("host").stream()
                        .map(Row::ref)
                        .filter(each -> !each.equals(vm.text("resident_on")))
                        .sorted()
                        .toList();
        return others.isEmpty()
                ? vm.text("resident_on")
                : others.get(random.nextInt(others.size()));
    }
}
