package org.stillwater.monitoring.device;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.VmStore;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.DurableWork;
import org.stillwater.monitoring.write.WriterSettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryHostStore;

/** A batch writer that is stepped by a test. */
final class StepWriter {

    /** Longer than a change lingers and than the first pause of an unavailable database. */
    private static final Duration STEP = Duration.ofSeconds(1);

    private final VirtualClock clock = new VirtualClock();
    private final BatchWriter writer;

    StepWriter(VmStore vms) {
        writer =
                new BatchWriter(
                        WriterSettings.DEFAULT,
                        vms,
                        new InMemoryHostStore(),
                        clock,
                        new MonitoringMeters(new SimpleMeterRegistry()),
                        VmId::toString,
                        HostId::toString,
                        new NoWork());
    }

    BatchWriter writer() {
        return writer;
    }

    /** One write. */
    void write() {
        clock.advance(STEP);
        boolean _ = writer.writeDue();
    }

    private static final class NoWork implements DurableWork {

        @Override
        public void opened(OpenWork work) {}

        @Override
        public void opened(OpenHostWork work) {}

        @Override
        public void episodeReached(HostId host, long episode) {}
    }
}
