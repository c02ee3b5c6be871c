package org.stillwater.monitoring.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.vm.VmRegistry;

/** The host from which an unknown VM is added. */
class ExternalIntakeTest {

    private static final VmId VM = new VmId(0, 1);

    private final VmRegistry registry = new VmRegistry(0);
    private final FailedReads failures = new FailedReads(10, 1, 1_000);
    private final ExternalIntake one = intake(1);
    private final ExternalIntake other = intake(2);

    @Test
    void aVmThatAnEndedMonitorWasAskingForIsTakenInFromAnotherHost() {
        assertThat(one.seen(running(), 0, () -> true)).isTrue();
        assertThat(other.seen(running(), 0, () -> true)).isFalse();
        assertThat(one.nextChunk(10)).containsExactly(VM);
        one.gone(VM); // its definition is on the way as yet
        one.clear(); // and will never come: the host is taken out of service
        assertThat(other.seen(running(), 0, () -> true)).isTrue();
    }

    @Test
    void aVmThatWaitedAtAnEndedMonitorIsTakenInFromAnotherHost() {
        assertThat(one.seen(running(), 0, () -> true)).isTrue();
        one.clear();
        assertThat(other.seen(running(), 0, () -> true)).isTrue();
    }

    @Test
    void onlyAWaitingVmChecksItsAdmission() {
        AtomicInteger asked = new AtomicInteger();
        BooleanSupplier admitted =
                () -> {
                    asked.incrementAndGet();
                    return true;
                };
        assertThat(one.seen(running(), 0, admitted)).isTrue();
        assertThat(one.seen(running(), 0, admitted)).as("it waits already").isTrue();
        assertThat(other.seen(running(), 0, admitted)).as("the other has it").isFalse();
        one.failed(VM);
        failures.refused(VM, "as ever", 0);
        assertThat(one.seen(running(), 1, admitted)).as("refused lately").isFalse();
        assertThat(asked).hasValue(1);

        assertThat(other.seen(running(), 1, () -> false)).isFalse();
        assertThat(one.seen(running(), 1_000, () -> true)).as("nobody has it").isTrue();
    }

    private ExternalIntake intake(int host) {
        return new ExternalIntake(new HostId(new UUID(1, host)), registry, 10, failures, () -> {});
    }

    private static VmReport.Running running() {
        return new VmReport.Running(VM, 1, null, VmRuntime.INITIAL, null);
    }
}
