package org.stillwater.benchmarks.simulate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.PowerFence;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.testkit.hypervisor.ModelDataCentre;

/**
 * The power switches of the model hosts: some orders fail, some get no answer, all take their time.
 * Used on one thread.
 */
final class PowerSwitches implements PowerFence {

    private final SplittableRandom random;
    private final ModelDataCentre centre;
    private final List<HostId> switched = new ArrayList<>();
    private boolean reliable;
    private int life;

    /** The switches of a data centre. */
    PowerSwitches(SplittableRandom random, ModelDataCentre centre) {
        this.random = random;
        this.centre = centre;
    }

    /** From now on they follow orders. */
    void reliable() {
        reliable = true;
    }

    /** Requests of an engine that has ended get no answer. */
    void forget() {
        life++;
    }

    /** How often power was switched off. */
    int count() {
        return switched.size();
    }

    @Override
    public void fence(HostWork work, UUID owner, Consumer<Answer> receiver) {
        int asked = life;
        int mode = reliable ? 9 : random.nextInt(10);
        Duration pause = Duration.ofSeconds(1 + random.nextInt(20));
        if (mode == 0) {
            return; // never answers
        }
        plan(
                pause,
                () -> {
                    if (mode < 3) {
                        answer(asked, receiver, new Answer.Failed("the board does not answer"));
                        return;
                    }
                    switched.add(work.host());
                    centre.host(work.host()).powerOff();
                    if (mode > 3) {
                        answer(asked, receiver, new Answer.Fenced());
                    }
                });
    }

    private void answer(int asked, Consumer<Answer> receiver, Answer answer) {
        if (asked == life) {
            receiver.accept(answer);
        }
    }

    @Override
    public void powerOn(HostId host, Consumer<@Nullable String> receiver) {
        int asked = life;
        plan(
                Duration.ofSeconds(5),
                () -> {
                    centre.host(host).powerOn();
                    if (asked == life) {
                        receiver.accept(null);
                    }
                });
    }

    private void plan(Duration pause, Runnable action) {
        centre.after(pause, action);
    }
}
