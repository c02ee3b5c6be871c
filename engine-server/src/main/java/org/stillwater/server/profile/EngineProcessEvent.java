package org.stillwater.server.profile;

import java.lang.management.ManagementFactory;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** CPU time of the process since its start and its present heap, emitted periodically. */
@Name("stillwater.EngineProcess")
@Label("Engine Process")
@Description("CPU time of the engine, of its compilers and of its collector since its start")
@Category("Stillwater")
@StackTrace(false)
@Period("1 s")
public final class EngineProcessEvent extends Event {

    /** CPU time of all threads, in ns. */
    @Label("CPU Time")
    @Timespan(Timespan.NANOSECONDS)
    public long cpuTime;

    /** CPU time of the compilers of hot code, in ms; elapsed time where there is no /proc. */
    @Label("Compilation Time")
    @Timespan(Timespan.MILLISECONDS)
    public long compilationTime;

    /** CPU time of the garbage collector beside its pauses, in ms; 0 where there is no /proc. */
    @Label("Concurrent Collection Time")
    @Timespan(Timespan.MILLISECONDS)
    public long collectionTime;

    /** Bytes in the heap, garbage included. */
    @Label("Used Heap")
    @DataAmount
    public long usedHeap;

    /** Emits one. */
    static void emit(JvmThreadCpu compilers, JvmThreadCpu collectors) {
        EngineProcessEvent event = new EngineProcessEvent();
        event.cpuTime = processCpuNanos();
        event.compilationTime = compilers.millis();
        event.collectionTime = collectors.millis();
        event.usedHeap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        event.commit();
    }

    private static long processCpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? Math.max(0, system.getProcessCpuTime())
                : 0;
    }
}
