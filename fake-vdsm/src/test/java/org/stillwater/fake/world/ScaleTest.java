package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.net.JsonBody;
import org.stillwater.fake.net.RpcCall;
import org.stillwater.fake.net.RpcReply;

/** Thousands of VMs on one host. Bounds are on bytes and CPU time, which load does not stretch. */
class ScaleTest {

    private static final int VMS = 6000;
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    @DisplayName("8b.54 6000 VMs are answered for in less than a second, with bounded heap")
    void sixThousandVms() {
        Lab lab = Lab.of(1, VMS);
        assertThat(cpuNanosOfAPoll(lab)).as("cold").isLessThan(SECOND_NANOS);
        lab.pass(15);
        long before = thread.getCurrentThreadAllocatedBytes();
        assertThat(cpuNanosOfAPoll(lab)).as("warm").isLessThan(SECOND_NANOS);
        long allocated = thread.getCurrentThreadAllocatedBytes() - before;
        assertThat(bytes).isBetween(18_000_000, 22_000_000);
        assertThat(allocated).as("the answer and little else").isLessThan(bytes * 3L / 2);
        assertThat(lab.world.plannedSteps()).as("an idle world waits for nothing").isZero();
    }

    private int bytes;

    private long cpuNanosOfAPoll(Lab lab) {
        long before = thread.getCurrentThreadCpuTime();
        lab.endpoint(0)
                .call(
                        new RpcCall("Host.getAllVmStats", Lab.JSON.createObjectNode(), null),
                        new RpcReply() {
                            @Override
                            public void result(JsonBody body) {
                                bytes = body.length();
                            }

                            @Override
                            public void error(int code, String message) {
                                throw new AssertionError(message);
                            }
                        });
        return thread.getCurrentThreadCpuTime() - before;
    }
}
